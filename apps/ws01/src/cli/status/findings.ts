import { DAY_MS, MINUTE_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { disksOf, isShort, shortageOf } from '../../app/disks.ts';
import type { Config } from '../../config/config.ts';
import { backupLateness } from '../../domain/backup/lateness.ts';
import { backupState, scheduledSince } from '../../domain/backup/records.ts';
import { DOUBTS, doubtOf } from '../../domain/retention/absence.ts';
import { purgeHeldSince } from '../../domain/retention/purge-clock.ts';
import { smsOffSince } from '../../domain/sms/switch.ts';
import { lostCommits } from '../../store/lost-commits.ts';
import type { OutboxKind, Tables } from '../../store/tables/tables.ts';
import { changedConfig } from '../io/changed-config.ts';
import { counted, shownInstant } from '../io/output.ts';

/** A present or coming problem. */
export interface Finding {
  readonly part: string;
  /**
   * `down`: no call can be served; `degraded`: some calls fail or wait; `notice`: nothing fails
   * yet.
   */
  readonly state: 'down' | 'degraded' | 'notice';
  readonly what: string;
  /** Since when, if known; ms since 1970. */
  readonly since: number | undefined;
  /** Who or what is affected, and how many. */
  readonly affected: string;
  /** The next command to run. */
  readonly next: string;
}

/** A message that has waited this long is late; ms. */
const LATE_MS = 10 * MINUTE_MS;

/** Tokens that expire within this time are reported; ms. */
const SOON_MS = 14 * DAY_MS;

/** Returns the problems that the database shows. Only reads. */
export async function findingsOf(
  db: Kysely<Tables>,
  environment: Config,
  now: number,
): Promise<readonly Finding[]> {
  const config = await changedConfig(environment, db);
  const found = [
    await outboxFinding(db, 'mail', now, config.smtpServer !== undefined),
    await outboxFinding(db, 'sms', now, config.smsGateway !== undefined),
    await webhookFinding(db, now),
    await failedFinding(db, now),
    await smsOffFinding(db),
    await purgeFinding(db),
    await sweepFinding(db),
    await lossFinding(db),
    await backupFinding(db, config, now),
    await tokenFinding(db, now),
  ];
  return found.filter((one) => one !== undefined);
}

/** Returns the problems of the disks. */
export async function diskFindings(config: Config): Promise<readonly Finding[]> {
  const short = (await disksOf(config)).filter((disk) => isShort(disk, config.diskWarnBelow));
  return short.map((disk) => ({
    part: 'disk',
    state: 'degraded',
    what: shortageOf(disk),
    since: undefined,
    affected: 'every call that writes, once it is full',
    next: 'ws01 db size',
  }));
}

async function outboxFinding(
  db: Kysely<Tables>,
  kind: OutboxKind,
  now: number,
  sends: boolean,
): Promise<Finding | undefined> {
  const waiting = await db
    .selectFrom('outbox')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('created_at').as('since')])
    .where('kind', '=', kind)
    .where('state', 'in', ['queued', 'deferred', 'sending'])
    .where('created_at', '<=', now - LATE_MS)
    .executeTakeFirstOrThrow();
  const count = Number(waiting.count);
  if (count === 0) return undefined;
  const reply = await db
    .selectFrom('outbox')
    .select('last_reply')
    .where('kind', '=', kind)
    .where('state', 'in', ['queued', 'deferred'])
    .where('last_reply', 'is not', null)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  const setting = kind === 'mail' ? 'SMTP_URL' : 'SMS_URL';
  const said = sends ? (reply?.last_reply ?? 'the server gave no reason') : `${setting} is not set`;
  return {
    part: kind,
    state: 'degraded',
    what: `${count} ${kind === 'mail' ? 'mails' : 'text messages'} wait for more than ten minutes: ${said}`,
    since: Number(waiting.since),
    affected: kind === 'mail' ? await sendersOf(db, now) : `${count} people who wait for a code`,
    next: kind === 'mail' ? 'ws01 mail list --state deferred' : 'ws01 sms list --state deferred',
  };
}

async function webhookFinding(db: Kysely<Tables>, now: number): Promise<Finding | undefined> {
  const gone = await db
    .selectFrom('webhooks')
    .select(['url', 'disabled_reason', 'disabled_at'])
    .where('disabled_reason', 'is not', null)
    .orderBy('id')
    .execute();
  const waiting = await db
    .selectFrom('outbox')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('created_at').as('since')])
    .where('kind', '=', 'webhook')
    .where('state', 'in', ['queued', 'deferred', 'sending'])
    .where('created_at', '<=', now - LATE_MS)
    .executeTakeFirstOrThrow();
  const count = Number(waiting.count);
  if (count === 0 && gone.length === 0) return undefined;
  const late = count === 0 ? [] : [`${count} events wait for webhooks for more than ten minutes`];
  const disabled = gone.map(
    ({ url, disabled_reason }) => `${new URL(url).host} is disabled: ${disabled_reason}`,
  );
  return {
    part: 'webhook',
    state: 'degraded',
    what: [...late, ...disabled].join('; '),
    since: Number(waiting.since ?? gone[0]?.disabled_at ?? now),
    affected: 'the receivers of webhooks',
    next: 'ws01 webhook list',
  };
}

async function sendersOf(db: Kysely<Tables>, now: number): Promise<string> {
  const { senders } = await db
    .selectFrom('mails')
    .innerJoin('outbox', 'outbox.id', 'mails.id')
    .select((eb) => eb.fn.count('mails.sender').distinct().as('senders'))
    .where('outbox.state', 'in', ['queued', 'deferred', 'sending'])
    .where('outbox.created_at', '<=', now - LATE_MS)
    .executeTakeFirstOrThrow();
  return `the mails of ${counted(Number(senders), 'sender')}`;
}

async function failedFinding(db: Kysely<Tables>, now: number): Promise<Finding | undefined> {
  const failed = await db
    .selectFrom('outbox')
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('finished_at').as('since')])
    .where('kind', '=', 'mail')
    .where('state', '=', 'failed')
    .where('finished_at', '>', now - DAY_MS)
    .executeTakeFirstOrThrow();
  if (Number(failed.count) === 0) return undefined;
  return {
    part: 'mail',
    state: 'degraded',
    what: `${failed.count} mails failed permanently in the last 24 hours`,
    since: Number(failed.since),
    affected: 'their recipients',
    next: 'ws01 mail list --state failed, then ws01 mail retry --state failed',
  };
}

async function smsOffFinding(db: Kysely<Tables>): Promise<Finding | undefined> {
  const since = await smsOffSince(db);
  if (since === undefined) return undefined;
  return {
    part: 'sms',
    state: 'degraded',
    what: 'text messages are switched off',
    since,
    affected: 'everybody who requests a verification code',
    next: 'ws01 sms on',
  };
}

async function purgeFinding(db: Kysely<Tables>): Promise<Finding | undefined> {
  const since = await purgeHeldSince(db);
  if (since === undefined) return undefined;
  return {
    part: 'purge',
    state: 'degraded',
    what: 'nothing is purged: the clock has moved by days more than time has passed for the service',
    since,
    affected: 'what has been kept long enough',
    next: 'ws01 purge --trust-clock',
  };
}

async function lossFinding(db: Kysely<Tables>): Promise<Finding | undefined> {
  const lost = await lostCommits(db);
  if (lost === undefined) return undefined;
  return {
    part: 'database',
    state: 'degraded',
    what: `${lost.commits} commits were lost: the write-ahead log was cut, damaged or removed, or the database replaced`,
    since: lost.since,
    affected: 'whoever wrote last; their calls were answered',
    next: 'ws01 restore, or ws01 db accept-loss',
  };
}

async function sweepFinding(db: Kysely<Tables>): Promise<Finding | undefined> {
  const doubt = await doubtOf(db);
  if (doubt === undefined) return undefined;
  const { what, remedy } = DOUBTS[doubt.why];
  return {
    part: 'sweep',
    state: 'degraded',
    what,
    since: doubt.since,
    affected:
      'the disk or bucket of the image files, which keeps what nobody needs; perhaps images that are not shown',
    next: remedy,
  };
}

async function backupFinding(
  db: Kysely<Tables>,
  config: Config,
  now: number,
): Promise<Finding | undefined> {
  const { last, lastGood } = await backupState(db);
  const isAskedFor = (await scheduledSince(db, config)) !== undefined;
  const next =
    config.backupTo === undefined ? 'set BACKUP_TO, or ws01 backup <folder>' : 'ws01 backup';
  if (!isAskedFor && last === undefined) {
    return {
      part: 'backup',
      state: 'notice',
      what: 'there is no backup, and BACKUP_TO is not set',
      since: undefined,
      affected: 'everybody, when the disk fails',
      next,
    };
  }
  const good = lastGood?.verified_at ?? undefined;
  const late =
    isAskedFor && backupLateness({ last, lastGood }, config.backupSchedule, now) !== undefined;
  if (!late && (last?.error ?? null) === null) return undefined;
  const lack =
    good === undefined
      ? 'no backup has been made yet'
      : 'the last good backup is older than the schedule asks for';
  return {
    part: 'backup',
    state: late ? 'degraded' : 'notice',
    what: last?.error ? `the last backup failed: ${last.error}` : lack,
    since: good,
    affected:
      good === undefined
        ? 'everything: there is no good backup'
        : `what was written since ${shownInstant(good)}`,
    next,
  };
}

async function tokenFinding(db: Kysely<Tables>, now: number): Promise<Finding | undefined> {
  const { count } = await db
    .selectFrom('tokens')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .where('expires_at', '<=', now + SOON_MS)
    .executeTakeFirstOrThrow();
  if (Number(count) === 0) return undefined;
  return {
    part: 'tokens',
    state: 'notice',
    what: `${count} ${Number(count) === 1 ? 'token expires' : 'tokens expire'} within 14 days`,
    since: undefined,
    affected: 'the applications that use them',
    next: 'ws01 token list --expiring 14',
  };
}
