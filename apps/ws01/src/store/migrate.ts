import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { DependencyError, isFailureOf } from '../failure/dependency-error.ts';
import { restoreIndexes } from './absent-indexes.ts';
import { isPostgres } from './engine-of.ts';
import { changes as known, RELEASED, type SchemaChange } from './schema/changes.ts';
import { createSearchTriggers } from './schema/search.ts';
import { createViews } from './schema/views.ts';
import type { Engine, Store } from './store.ts';
import { type Instant, TABLE_NAMES, type Tables } from './tables/tables.ts';

/** The PostgreSQL advisory lock for changes of the schema: the letters WS01. */
const LOCK = 0x57_53_30_31;

/**
 * How long to wait for another process that changes the schema, because a large table takes long;
 * ms.
 */
const PATIENCE_MS = 600_000;

/**
 * How long a change waits for a lock on PostgreSQL, at first and at most; ms. Writers wait behind
 * it, even while it waits for a long read. So it gives up, lets the others have their turn, and
 * tries again. The server ends a vacuum by itself that a lock is waited for longer than a second.
 */
const LOCK_MS = { first: 100, most: 1_600 };
const PAUSE_MS = 2_000;

interface HistoryTables {
  schema_migrations: { name: string; applied_at: Instant };
}

/**
 * Makes the tables of an empty database, and applies the changes that one of an earlier version
 * lacks: each in a transaction of its own, and under a lock, so that processes that start together
 * do it once. {@link buildIndexes} does the rest.
 * @param changes since {@link RELEASED}, in the order of their application.
 * @throws {DependencyError} `incompatible` when the database is of a version before 0.2.0, or has
 *   other changes, unless they come after all of these and only add.
 */
export async function migrate(
  store: Store,
  changes: readonly SchemaChange[] = known,
): Promise<void> {
  while (await patiently(store, (tx) => applyNext(tx, store.engine, changes)));
  if (changes === known) await patiently(store, restoreIndexes);
}

/** @returns whether there may be more to do. */
async function applyNext(
  tx: Kysely<Tables>,
  engine: Engine,
  changes: readonly SchemaChange[],
): Promise<boolean> {
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
  const applied = await appliedChanges(tx);
  if (applied.length === 0) {
    await createSchema(tx, engine);
    return true;
  }
  const [change, ...others] = missing(applied, changes);
  if (change === undefined) return false;
  await change.up(tx);
  await record(tx, [change.name]);
  return others.length > 0;
}

/** Runs a write that others do not wait for long. */
async function patiently<T>(store: Store, work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> {
  const begun = performance.now();
  for (let lock = LOCK_MS.first; ; lock = Math.min(2 * lock, LOCK_MS.most)) {
    const busyTimeout = store.engine === 'postgres' ? lock : PATIENCE_MS;
    try {
      return await store.write(work, { busyTimeout, workTimeout: PATIENCE_MS });
    } catch (error) {
      const isOver = performance.now() - begun > PATIENCE_MS;
      if (isOver || !isFailureOf('database', error, 'busy')) throw error;
      await pause(PAUSE_MS * Math.random());
    }
  }
}

/** The line of a schema file where the views come. */
const VIEWS = '-- views.ts\n';

/** Makes the present schema in an empty database, which then has all changes. */
async function createSchema(tx: Kysely<Tables>, engine: Engine): Promise<void> {
  const file = new URL(`./schema/${engine}.sql`, import.meta.url);
  const [records = '', service = ''] = readFileSync(file, 'utf8').split(VIEWS);
  await runAll(tx, records);
  await createViews(tx);
  await createSearchTriggers(tx);
  await runAll(tx, service);
  await record(tx, namesOf(known));
}

async function runAll(tx: Kysely<Tables>, statements: string): Promise<void> {
  for (const statement of statements.split(';\n')) {
    if (statement.trim() !== '') await sql.raw(statement).execute(tx);
  }
}

async function record(tx: Kysely<Tables>, names: readonly string[]): Promise<void> {
  const rows = names.map((name) => ({ name, applied_at: Date.now() }));
  await historyOf(tx).insertInto('schema_migrations').values(rows).execute();
}

/** The schema changes of a database. */
export interface PendingChanges {
  /** Applied changes, in order. */
  readonly applied: readonly string[];
  /** Pending changes, in order; all of them for an empty database. */
  readonly pending: readonly string[];
}

/**
 * Returns what {@link migrate} would do. Only reads.
 * @throws {DependencyError} `incompatible`, as {@link migrate}.
 */
export async function pendingChanges(store: Store): Promise<PendingChanges> {
  const applied = await store.read(appliedChanges);
  if (applied.length === 0) return { applied, pending: namesOf(known) };
  return { applied, pending: missing(applied, known).map(({ name }) => name) };
}

/** Returns the changes of a later release, which this one goes on with. Only reads. */
export async function laterChanges(store: Store): Promise<readonly string[]> {
  const ours = new Set(namesOf(known));
  return (await store.read(appliedChanges)).filter((name) => !ours.has(name));
}

/**
 * Checks that the schema has this version. Only reads.
 * @throws {DependencyError} `incompatible` when it is newer or older; `misconfigured` when it is
 *   missing.
 */
export async function requireSchema(store: Store): Promise<void> {
  const { applied, pending } = await pendingChanges(store);
  if (pending.length === 0) return;
  const isEmpty = applied.length === 0;
  const state = isEmpty
    ? 'has no tables yet'
    : `is older than this version, by ${pending.length} ${pending.length === 1 ? 'change' : 'changes'} of the schema`;
  throw new DependencyError(
    'database',
    isEmpty ? 'misconfigured' : 'incompatible',
    `The database ${state}; start the service of this version, or run ws01 migrate.`,
  );
}

const namesOf = (changes: readonly SchemaChange[]): readonly string[] => [
  ...RELEASED,
  ...changes.map(({ name }) => name),
];

async function appliedChanges(db: Kysely<Tables>): Promise<readonly string[]> {
  const history = isPostgres(db)
    ? sql`to_regclass('schema_migrations') is not null`
    : sql`exists (select 1 from sqlite_schema where name = 'schema_migrations')`;
  // Not as raw SQL, which counts as a change.
  const { there } = await db.selectNoFrom(history.as('there')).executeTakeFirstOrThrow();
  if (!there) {
    await assertNotOfOthers(db);
    return [];
  }
  const rows = await historyOf(db)
    .selectFrom('schema_migrations')
    .select('name')
    .orderBy('name')
    .execute();
  return rows.map(({ name }) => name);
}

/**
 * @throws {DependencyError} `misconfigured` where tables of our names are and no record of our
 *   changes.
 */
async function assertNotOfOthers(db: Kysely<Tables>): Promise<void> {
  const tables = isPostgres(db)
    ? sql<string | null>`(select min(tablename) from pg_tables where schemaname = current_schema()
        and tablename in (${sql.join(TABLE_NAMES)}))`
    : sql<
        string | null
      >`(select min(name) from sqlite_schema where name in (${sql.join(TABLE_NAMES)}))`;
  const { found } = await db.selectNoFrom(tables.as('found')).executeTakeFirstOrThrow();
  if (found === null) return;
  throw new DependencyError(
    'database',
    'misconfigured',
    `The database is of another program: it has a table ${found}, and no record of changes by ws01; ` +
      'set DATABASE_URL or DATA_DIR to one of its own. Nothing was done.',
  );
}

const historyOf = (db: Kysely<Tables>) =>
  db as Kysely<Tables & HistoryTables> as Kysely<HistoryTables>;

/** A change of the contract phase, which removes what older code may use; all others only add. */
const TAKES_AWAY = /^\d{4}_contract_/;

/**
 * Returns the changes that a database lacks. The applied ones must be the first of the list. A
 * newer release may have applied more; as long as those only add, nodes of both releases can serve
 * together, and the older ones can start again.
 */
function missing(
  applied: readonly string[],
  changes: readonly SchemaChange[],
): readonly SchemaChange[] {
  const names = namesOf(changes);
  const unknown = applied.find((name, index) =>
    index < names.length ? names[index] !== name : TAKES_AWAY.test(name),
  );
  if (unknown !== undefined) {
    throw new DependencyError(
      'database',
      'incompatible',
      `The database has the schema change ${unknown}, which this version of ws01 does not know; start the version that made it, or a newer one.`,
    );
  }
  if (applied.length < RELEASED.length) {
    throw new DependencyError(
      'database',
      'incompatible',
      `The database is of a version before 0.2.0, since it lacks the schema change ${RELEASED[applied.length]}; start ws01 0.2.0 on it once, then this version. Nothing was done.`,
    );
  }
  return changes.slice(applied.length - RELEASED.length);
}
