import { resolve } from 'node:path';
import { DAY_MS, HOUR_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { isBeingChecked, isInProgress, LEASE_MS } from '../../records/backups.ts';
import { lockName } from '../../store/row-lock.ts';
import type { Store } from '../../store/store.ts';
import type {
  BackupStep,
  BackupsTable,
  BackupVerdict,
  Instant,
  Tables,
} from '../../store/tables/tables.ts';
import { newKey } from '../values/keys.ts';
import { type BackupManifest, BROKEN_OFF_MS, nameOfMoment } from './manifest.ts';

/** When a scheduled backup that failed or was interrupted is retried; ms. */
const RETRY_MS = HOUR_MS;

/** How long records are kept; ms. */
export const BACKUP_RECORDS_MS = 400 * DAY_MS;

/** The state of backups, for status, metrics and console. */
export interface BackupState {
  /** The last verified backup in which no later check found anything wrong. */
  readonly lastGood: BackupsTable | undefined;
  /** The last backup that was started. */
  readonly last: BackupsTable | undefined;
}

/** Verdicts on what is a good backup no more. */
const GONE = ['damaged', 'missing'] as const satisfies readonly BackupVerdict[];

/**
 * Returns the state. What a clock made that was a day and more ahead does not count: it would be
 * the newest for years.
 */
export async function backupState(db: Kysely<Tables>, now = Date.now()): Promise<BackupState> {
  const made = db
    .selectFrom('backups')
    .selectAll()
    .where('started_at', '<', now + BROKEN_OFF_MS);
  const [last, lastGood] = await Promise.all([
    made.orderBy('started_at', 'desc').limit(1).executeTakeFirst(),
    made
      .where('verified_at', 'is not', null)
      .where((eb) => eb.or([eb('verdict', 'is', null), eb('verdict', 'not in', GONE)]))
      .orderBy('verified_at', 'desc')
      .limit(1)
      .executeTakeFirst(),
  ]);
  return { last, lastGood };
}

/** Where a service makes its backups. */
interface BackupPlace {
  /** Whether `BACKUP_TO` says so; else it is beside the data. */
  readonly isBackupToSet: boolean;
  readonly backupTo: { readonly kind: string; readonly folder?: string } | undefined;
}

/**
 * Since when backups are made by schedule; `undefined` if they are not. Beside the data they take
 * room that nobody has given them, so they begin when somebody has made the first one there.
 */
export async function scheduledSince(
  db: Kysely<Tables>,
  { isBackupToSet, backupTo }: BackupPlace,
): Promise<Instant | undefined> {
  if (isBackupToSet) return 0;
  if (backupTo?.folder === undefined) return undefined;
  const first = await db
    .selectFrom('backups')
    .select('started_at')
    .where('target', '=', resolve(backupTo.folder))
    .where('verified_at', 'is not', null)
    .orderBy('started_at')
    .limit(1)
    .executeTakeFirst();
  return first?.started_at;
}

/** Whether a scheduled backup must be made: none is in progress or done, or it must be retried. */
export async function isDue(store: Store, slot: Instant, now: Instant): Promise<boolean> {
  const made = await store.read((db) =>
    db.selectFrom('backups').selectAll().where('slot', '=', slot).executeTakeFirst(),
  );
  return made === undefined || isOpen(made, now);
}

function isOpen(row: BackupsTable, now: Instant): boolean {
  if (row.verified_at !== null || isInProgress(row, now)) return false;
  return now - row.started_at >= RETRY_MS;
}

/** Whether the backups on request that began since then have ended; there must be at least one. */
export async function hasEnded(store: Store, since: Instant): Promise<boolean> {
  const begun = await store.read((db) =>
    db
      .selectFrom('backups')
      .select('finished_at')
      .where('slot', 'is', null)
      .where('started_at', '>=', since)
      .execute(),
  );
  return begun.length > 0 && begun.every(({ finished_at }) => finished_at !== null);
}

/** Returns the names of all backups that were made and verified. */
export async function verifiedNames(store: Store): Promise<ReadonlySet<string>> {
  const rows = await store.read((db) =>
    db.selectFrom('backups').select('name').where('verified_at', 'is not', null).execute(),
  );
  return new Set(rows.map(({ name }) => name));
}

/** What is recorded of a backup that begins. */
interface BegunBackup {
  /** Its scheduled time; of several nodes one makes the backup. */
  readonly slot: Instant | null;
  readonly target: string;
  /** `undefined` for the name of this moment, or of the next one that no other backup has. */
  readonly name: string | undefined;
  readonly now: Instant;
}

/**
 * Records the start of a backup.
 * @returns its id and name; `undefined` if another process has started it.
 */
export async function beginRecord(
  store: Store,
  { slot, target, name: given, now }: BegunBackup,
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  const id = newKey();
  return store.write(async (tx) => {
    const name = given ?? (await freeName(tx, now));
    const begun = { id, slot, target, name, started_at: now, seen_at: now };
    const inserted = await tx
      .insertInto('backups')
      .values({
        ...begun,
        finished_at: null,
        verified_at: null,
        bytes: null,
        images: null,
        error: null,
        ...NO_PROGRESS,
        ...{ check_started_at: null, check_started_by: null },
        ...{ checked_at: null, checked_by: null, verdict: null, fault: null },
      })
      .onConflict((conflict) => conflict.column('slot').doNothing())
      .executeTakeFirstOrThrow();
    if (inserted.numInsertedOrUpdatedRows === 1n) return { id, name };
    const taken = await tx
      .updateTable('backups')
      .set({ ...begun, finished_at: null, error: null, ...NO_PROGRESS })
      .where('slot', '=', slot)
      .where('verified_at', 'is', null)
      .where('started_at', '<=', now - RETRY_MS)
      .where((eb) =>
        eb.or([
          eb('finished_at', 'is not', null),
          eb('seen_at', '<=', now - LEASE_MS),
          eb.and([eb('seen_at', 'is', null), eb('started_at', '<=', now - BROKEN_OFF_MS)]),
        ]),
      )
      .executeTakeFirstOrThrow();
    return taken.numUpdatedRows === 1n ? { id, name } : undefined;
  });
}

/** The name of this moment; where others began in this second, of the first second that is free. */
async function freeName(tx: Kysely<Tables>, now: Instant): Promise<string> {
  lockName(tx, 'backups.name');
  const since = nameOfMoment(now);
  const later = await tx
    .selectFrom('backups')
    .select('name')
    .where('name', '>=', since)
    .where('started_at', '>=', now - BROKEN_OFF_MS)
    .execute();
  const names = new Set(later.map(({ name }) => name));
  let at = now;
  while (names.has(nameOfMoment(at))) at += 1_000;
  return nameOfMoment(at);
}

/** Records the end of a backup in the copy of the database that it has, of whatever version. */
export async function endInCopy(
  tx: Kysely<Tables>,
  name: string,
  manifest: BackupManifest,
): Promise<void> {
  await tx
    .updateTable('backups')
    .set({ finished_at: manifest.verified.at, ...resultOf(manifest) })
    .where('name', '=', name)
    .where('finished_at', 'is', null)
    .execute();
}

const resultOf = ({ verified, database, images }: BackupManifest) => ({
  verified_at: verified.at,
  bytes: database.bytes,
  images: images?.count ?? null,
});

/** Records the end of a backup: its manifest, or the reason of its failure. */
export async function endRecord(
  store: Store,
  id: string,
  outcome: BackupManifest | string,
  now: Instant,
): Promise<void> {
  const ended =
    typeof outcome === 'string' ? { error: outcome.slice(0, 1_000) } : resultOf(outcome);
  await store.write((tx) =>
    tx
      .updateTable('backups')
      .set({ finished_at: now, ...ended, ...NO_PROGRESS })
      .where('id', '=', id)
      .execute(),
  );
}

const NO_PROGRESS = { step: null, done: null, total: null } as const;

/** How far a backup or a check is. */
export interface BackupProgress {
  readonly step: BackupStep;
  readonly done: number | null;
  /** `null` where it is not known. */
  readonly total: number | null;
}

/**
 * Records that a backup or a check goes on, and how far it is.
 * @param id of the backup. @param progress `undefined` before the first step.
 */
export async function tellProgress(
  store: Store,
  id: string,
  progress: BackupProgress | undefined,
  now: Instant,
): Promise<void> {
  await store.write((tx) =>
    tx
      .updateTable('backups')
      .set({ ...progress, seen_at: now })
      .where('id', '=', id)
      .execute(),
  );
}

/** A check of a backup that has begun. */
export interface BegunCheck {
  /** Of the backup. */
  readonly id: string;
  readonly at: Instant;
}

/**
 * Records the start of a check. One backup at a time is checked: each takes as much room as the
 * database.
 * @param by who asked for it.
 * @throws {Ws01Error} `Busy` while another one is; `InvalidParameter` for a backup that was never
 *   whole.
 */
export async function beginCheck(
  tx: Kysely<Tables>,
  { id, by, now }: { readonly id: string; readonly by: string; readonly now: Instant },
): Promise<BegunCheck> {
  lockName(tx, 'backups.check');
  const [row, others] = await Promise.all([
    tx.selectFrom('backups').select('verified_at').where('id', '=', id).executeTakeFirst(),
    tx.selectFrom('backups').selectAll().where('check_started_at', 'is not', null).execute(),
  ]);
  if (others.some((other) => isBeingChecked(other, now)))
    throw new Ws01Error('Busy', 'A backup is being verified; wait for its end.');
  if (row?.verified_at == null)
    throw new Ws01Error('InvalidParameter', 'It was never whole, so there is nothing to verify.');
  const check = { check_started_at: now, check_started_by: by, seen_at: now, ...NO_PROGRESS };
  await tx.updateTable('backups').set(check).where('id', '=', id).execute();
  return { id, at: now };
}

/** The check of a backup that was begun last; `undefined` when it has ended. */
export async function begunCheck(
  store: Store,
  id: string,
): Promise<(BegunCheck & Pick<BackupsTable, 'target'>) | undefined> {
  const row = await store.read((db) =>
    db
      .selectFrom('backups')
      .select(['check_started_at as at', 'target'])
      .where('id', '=', id)
      .executeTakeFirst(),
  );
  return row?.at == null ? undefined : { id, at: row.at, target: row.target };
}

/** What a check found. */
export interface CheckResult {
  readonly verdict: BackupVerdict;
  /** What is wrong: a sentence; `null` for nothing. */
  readonly fault: string | null;
}

/** Records the end of a check, unless another one was begun since. */
export async function endCheck(
  store: Store,
  { id, at }: BegunCheck,
  { verdict, fault }: CheckResult,
  now: Instant,
): Promise<void> {
  await store.write((tx) =>
    tx
      .updateTable('backups')
      .set((eb) => ({
        ...{ verdict, fault: fault?.slice(0, 1_000) ?? null, checked_at: now },
        checked_by: eb.ref('check_started_by'),
        ...{ check_started_at: null, check_started_by: null, ...NO_PROGRESS },
      }))
      .where('id', '=', id)
      .where('check_started_at', '=', at)
      .execute(),
  );
}

/**
 * Returns the newest backup of a name that was made and verified.
 * @param targets where it may be. @returns `undefined` if the records do not know it.
 */
export async function backupOfName(
  store: Store,
  name: string,
  targets: readonly string[],
): Promise<string | undefined> {
  const row = await store.read((db) =>
    db
      .selectFrom('backups')
      .select('id')
      .where('name', '=', name)
      .where('target', 'in', targets)
      .where('verified_at', 'is not', null)
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst(),
  );
  return row?.id;
}
