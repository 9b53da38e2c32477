import { Readable } from 'node:stream';
import { type Kysely, sql } from 'kysely';
import { Ws01Error } from '../contract/errors.ts';
import { assertConfirmed } from '../domain/admins/sessions.ts';
import { type Actor, auditAct } from '../domain/audit/audit.ts';
import { beginCheck } from '../domain/backup/records.ts';
import { noSetting } from '../domain/settings/settings.ts';
import { OUTBOX_STATES } from '../records/common.ts';
import { COUNTED } from '../records/list.ts';
import { prepare } from '../store/prepared.ts';
import type { Store } from '../store/store.ts';
import type {
  FailedCallsTable,
  Instant,
  OutboxKind,
  OutboxState,
  Tables,
} from '../store/tables/tables.ts';
import { findRow, notFound, readRow, shownInstant } from './kind.ts';
import { BACKUPS } from './kinds.ts';
import { readsPrivate } from './principal.ts';
import { type RestoreRouteDeps, restoreRoutes } from './restore-routes.ts';
import { Raw, type Route } from './route.ts';
import { flag, instant, integer, list, nullable, number, object, text, word } from './schema.ts';
import { actorOf, type Verb, verbRoute } from './verbs.ts';
import { assertVersion, etagOf, withVersion } from './versions.ts';

/** A setting without secrets. */
interface ShownSetting {
  readonly variable: string;
  readonly value: string | null;
  readonly isSet: boolean;
  readonly default: string;
  readonly documentation: string;
  /** Whether it can only be changed in the environment, at a start. */
  readonly isFixed: boolean;
  /** Whether it may change, and its value is never shown whole. */
  readonly isSecret: boolean;
  /** When it was changed while the service ran, and by whom; `undefined` if it was not. */
  readonly change: { readonly changedAt: Instant; readonly changedBy: string | null } | undefined;
}

export interface ServiceRouteDeps extends RestoreRouteDeps {
  /**
   * Starts a backup in a process of its own.
   * @returns the reason if no backup can be made; `undefined` when it has started.
   */
  readonly startBackup: () => Promise<string | undefined>;
  /**
   * Carries out the check of a backup that has begun, in a process of its own.
   * @param id of the backup.
   */
  readonly verifyBackup: (id: string) => void;
  /** A backup as a tar archive. */
  readonly downloadBackup: (name: string) => Promise<Readable>;
  readonly settings: () => readonly ShownSetting[];
  /**
   * Changes a setting of all nodes; `null`: back to its default.
   * @returns whether that changed anything.
   */
  readonly changeSetting: (change: {
    readonly variable: string;
    readonly value: string | null;
    readonly by: Actor;
    /** Whether it is only checked. */
    readonly isPreview: boolean;
    /**
     * Called when {@link settings} has what others changed, and nobody else changes it; what it
     * throws is thrown.
     */
    readonly assertSeen: () => void;
  }) => Promise<boolean>;
  /**
   * Texts that the service writes by a setting, filled in with a sample; none for other settings.
   */
  readonly samplesOf: (variable: string, value: string | null) => readonly string[];
  /** Returns the recent calls with a request id. */
  readonly findCalls: (requestId: string) => Promise<readonly AnsweredCall[]>;
}

/** A logged call. */
interface AnsweredCall {
  readonly at: Instant;
  readonly requestId: string;
  readonly operation: string | undefined;
  readonly binding: string;
  readonly status: number;
  readonly durationMs: number;
  readonly address: string;
  readonly tokenId: string | undefined;
  readonly user: string | undefined;
  readonly error: string | undefined;
  readonly parameter: string | undefined;
  readonly reason: string | undefined;
}

/** Routes about the service itself: its settings, queues and backups. */
export function serviceRoutes(deps: ServiceRouteDeps): readonly Route[] {
  return [
    settingsRoute(deps.settings),
    settingRoute(deps.settings),
    changeRoute(deps),
    queuesRoute(deps.store),
    backupRoute(deps),
    verbRoute(BACKUPS, verifyVerb(deps), deps),
    ...restoreRoutes(deps),
    archiveRoute(deps),
    callsRoute(deps),
  ];
}

const SETTING = {
  ...object({
    variable: text('The environment variable.'),
    value: nullable(
      text('What holds; of a secret only that it is set, of a URL with one its scheme and host.'),
    ),
    isSet: flag('Whether the environment says so; else it is the default.'),
    default: text('What it is when the environment says nothing.'),
    documentation: text('What it is for.'),
    isFixed: flag('Whether it can only be changed in the environment, at a start.'),
    isSecret: flag(
      'Whether its value is not shown whole; then a session must be confirmed to change it.',
    ),
    changedAt: nullable(instant('When it was changed while the service ran.')),
    changedBy: nullable(text('By whom: the name of an admin, or a token.')),
  }),
  title: 'Setting',
};

const itemOfSetting = ({ change, ...setting }: ShownSetting) => ({
  ...setting,
  changedAt: shownInstant(change?.changedAt ?? null),
  changedBy: change?.changedBy ?? null,
});

function settingsRoute(settings: ServiceRouteDeps['settings']): Route {
  return {
    method: 'get',
    path: '/settings',
    id: 'listSettings',
    tag: 'settings',
    summary: 'Every setting, without secrets, as it holds now',
    role: 'reader',
    private: true,
    result: object({ items: list('', SETTING) }),
    run: async () => ({ items: settings().map(itemOfSetting) }),
  };
}

const settingOf = (settings: ServiceRouteDeps['settings'], variable: string) =>
  settings().find((one) => one.variable === variable);

/** The version of a setting: what holds, and which change made it so. */
const settingVersion = (setting: ShownSetting | undefined) =>
  setting && etagOf([setting.value, setting.change?.changedAt, setting.change?.changedBy]);

function settingRoute(settings: ServiceRouteDeps['settings']): Route {
  return {
    method: 'get',
    path: '/settings/{variable}',
    id: 'getSetting',
    tag: 'settings',
    summary: 'One setting, without secrets, as it holds now',
    role: 'reader',
    private: true,
    result: SETTING,
    errors: ['NotFound'],
    async run({ path }) {
      const setting = settingOf(settings, path.variable!);
      if (setting === undefined) throw noSetting(path.variable!);
      return withVersion(itemOfSetting(setting), settingVersion(setting));
    },
  };
}

function changeRoute({ settings, changeSetting, samplesOf, clock }: ServiceRouteDeps): Route {
  return {
    method: 'patch',
    path: '/settings/{variable}',
    id: 'changeSetting',
    tag: 'settings',
    summary:
      'Change a setting that the environment does not fix, while the service runs; other nodes follow within 5 s',
    role: 'owner',
    query: { preview: { ...flag('Only check it, and show a sample.'), default: false } },
    body: object({
      value: nullable(
        text('In the form of the variable; null for its default.', { maxLength: 2_048 }),
      ),
    }),
    result: object({
      changed: flag('Whether it was another before.'),
      item: SETTING,
      samples: list(
        'What the service writes by it, filled in with a sample; none for what is no text.',
        text(''),
      ),
    }),
    errors: ['NotFound'],
    async run(call) {
      const variable = call.path.variable!;
      const value = call.body.value as string | null;
      const { principal } = call;
      const isGuarded = settingOf(settings, variable)?.isSecret === true;
      if (isGuarded && principal.kind === 'admin') assertConfirmed(principal.confirmedAt, clock());
      const isPreview = call.query.preview === true;
      const changed = await changeSetting({
        ...{ variable, value, by: actorOf(call), isPreview },
        assertSeen: () =>
          assertVersion(call.ifMatch, settingVersion(settingOf(settings, variable))),
      });
      const item = settingOf(settings, variable)!;
      const answer = { changed, item: itemOfSetting(item), samples: samplesOf(variable, value) };
      return withVersion(answer, settingVersion(item));
    },
  };
}

function backupRoute({ store, clock, startBackup }: ServiceRouteDeps): Route {
  return {
    method: 'post',
    path: '/backups',
    id: 'startBackup',
    tag: 'backups',
    summary: 'Begin a backup; the list shows how far it is',
    role: 'owner',
    result: object({ started: flag('Whether it is begun: always, else it is an error.') }),
    status: 202,
    errors: ['Busy'],
    async run(call) {
      const refusal = await startBackup();
      if (refusal !== undefined) throw new Ws01Error('Busy', refusal);
      await store.write((tx) => auditAct(tx, 'backup.start', undefined, clock(), actorOf(call)));
      return { started: true };
    },
  };
}

function verifyVerb({ noBackups, verifyBackup }: ServiceRouteDeps): Verb {
  return {
    name: 'verify',
    summary: 'Read it back whole, and compare it with what was copied',
    role: 'owner',
    async act(tx, { key, by, at }) {
      const refusal = noBackups();
      if (refusal !== undefined) throw new Ws01Error('Busy', refusal);
      if ((await findRow(tx, BACKUPS, key)) === undefined) throw notFound(BACKUPS, key);
      await beginCheck(tx, { id: key, by: by.admin ?? by.tokenId ?? '', now: at });
      await auditAct(tx, 'backup.verify', key, at, by);
      return true;
    },
    done: verifyBackup,
  };
}

/**
 * The whole backup, with all that the service knows: as much as a token of an owner, and it
 * outlives a session.
 */
function archiveRoute({ store, clock, downloadBackup }: ServiceRouteDeps): Route {
  return {
    method: 'get',
    path: '/backups/{id}/archive',
    id: 'downloadBackup',
    tag: 'backups',
    summary:
      'The backup as one tar archive, which `ws01 restore` takes; without its end when it broke off',
    role: 'owner',
    confirmed: true,
    result: text('A folder with the database, the image files and `backup.json`.'),
    contentType: 'application/x-tar',
    errors: ['NotFound', 'Busy'],
    async run(call) {
      const { id, name } = await readRow(store, BACKUPS, call.path.id!);
      const archive = await downloadBackup(name);
      try {
        await store.write((tx) => auditAct(tx, 'backup.download', id, clock(), actorOf(call)));
      } catch (error) {
        archive.destroy();
        throw error;
      }
      return new Raw(Readable.toWeb(archive) as ReadableStream, 'application/x-tar', {
        'Content-Disposition': `attachment; filename="${name}.tar"`,
      });
    },
  };
}

const KINDS = ['mail', 'sms', 'webhook'] as const satisfies readonly OutboxKind[];

function queuesRoute(store: Store): Route {
  const state = object({
    kind: word('What goes out.', ...KINDS),
    state: word('How far it is.', ...OUTBOX_STATES),
    count: integer(`How many there are; ${COUNTED} stands for as many or more.`),
    oldestAt: nullable(instant('When the oldest of them was asked for.')),
  });
  return {
    method: 'get',
    path: '/queues',
    id: 'listQueues',
    tag: 'queues',
    summary:
      'How many mails, text messages and calls of webhooks are in each state, and since when',
    role: 'reader',
    result: object({ items: list('Those that have any.', { ...state, title: 'QueueState' }) }),
    run: async () => ({ items: await store.scan(statesOf) }),
  };
}

const failedOf = prepare((db, { id }: { id: string }) =>
  db.selectFrom('failed_calls').selectAll().where('request_id', '=', id).orderBy('id').limit(100),
);

const storedCall = (row: FailedCallsTable): AnsweredCall => ({
  at: Number(row.at),
  requestId: row.request_id,
  operation: row.operation ?? undefined,
  binding: row.binding,
  status: row.status,
  durationMs: Number(row.us) / 1_000,
  address: row.address,
  tokenId: row.token_id ?? undefined,
  user: row.user_id ?? undefined,
  error: row.error,
  parameter: row.parameter ?? undefined,
  reason: row.reason ?? undefined,
});

async function statesOf(db: Kysely<Tables>) {
  const items = [];
  for (const kind of KINDS) {
    for (const state of OUTBOX_STATES) {
      const found = await countState(db, kind, state);
      if (found.count > 0)
        items.push({ kind, state, count: found.count, oldestAt: shownInstant(found.oldestAt) });
    }
  }
  return items;
}

/** Counts the messages of a state, up to {@link COUNTED}; the index alone answers it. */
async function countState(db: Kysely<Tables>, kind: OutboxKind, state: OutboxState) {
  const { rows } = await sql<{ count: number | string; oldest: Instant | string | null }>`
    select (select count(*) from
        (select 1 from outbox where kind = ${kind} and state = ${state} limit ${COUNTED}) counted) as count,
      (select created_at from outbox where kind = ${kind} and state = ${state} order by id limit 1) as oldest`.execute(
    db,
  );
  const { count = 0, oldest = null } = rows[0] ?? {};
  return { count: Number(count), oldestAt: oldest === null ? null : Number(oldest) };
}

/**
 * Returns the calls with a request id. Each process keeps its latest few thousand calls since its
 * start; those that failed are in the database.
 */
function callsRoute({ store, findCalls }: Pick<ServiceRouteDeps, 'store' | 'findCalls'>): Route {
  const call = object({
    at: instant('When it was answered.'),
    requestId: text('Its X-Request-Id.'),
    operation: nullable(text('The operation.')),
    binding: text('How it was called.'),
    status: integer('The HTTP status of its answer.'),
    ms: number('From the arrival of the request to its answer; ms.'),
    address: text('Where it came from.'),
    tokenId: nullable(text('Its token; null for roles that see no tokens.')),
    userId: nullable(text('Whom that acts for.')),
    error: nullable(text('The code of the error that was answered.')),
    parameter: nullable(text('The parameter that was wrong.')),
    reason: nullable(text('Why, in words that quote nothing that was sent.')),
  });
  return {
    method: 'get',
    path: '/calls/{requestId}',
    id: 'listCallsOfRequest',
    tag: 'calls',
    summary:
      'The calls with this request id: of the last 5,000 of each process of this machine, and of those that failed',
    role: 'reader',
    result: object({ items: list('The oldest first.', { ...call, title: 'AnsweredCall' }) }),
    async run({ path, principal }) {
      const id = path.requestId!;
      const [recent, failed] = await Promise.all([
        findCalls(id),
        id.includes('\0') ? [] : store.read((db) => failedOf.all(db, { id })),
      ]);
      const isRecent = ({ at }: AnsweredCall) => recent.some((call) => call.at === at);
      const earlier = failed.map(storedCall).filter((call) => !isRecent(call));
      return {
        items: [...earlier, ...recent].map(({ at, durationMs, user, ...one }) => ({
          at: shownInstant(at),
          requestId: one.requestId,
          operation: one.operation ?? null,
          binding: one.binding,
          status: one.status,
          ms: Math.round(durationMs * 100) / 100,
          address: one.address,
          tokenId: readsPrivate(principal) ? (one.tokenId ?? null) : null,
          userId: user ?? null,
          error: one.error ?? null,
          parameter: one.parameter ?? null,
          reason: one.reason ?? null,
        })),
      };
    },
  };
}
