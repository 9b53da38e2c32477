import { type Kysely, sql } from 'kysely';
import { DependencyError } from '../failure/dependency-error.ts';
import { restoreIndexes } from './absent-indexes.ts';
import { type Columns, columnsOf, primaryKey, required } from './migrations/columns.ts';
import { migrations as known } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';
import type { Engine, Store } from './store.ts';
import type { Instant, Tables } from './tables/tables.ts';
import type { WriteLimits } from './write-limits.ts';

/** The PostgreSQL advisory lock for migrations: the letters WS01. */
const LOCK = 0x57_53_30_31;

/** How long to wait for a migration by another process, because changing a large table takes long; ms. */
const WRITE_LIMITS: WriteLimits = { busyTimeout: 600_000, workTimeout: 600_000 };

interface HistoryTables {
  schema_migrations: { name: string; applied_at: Instant };
}

/**
 * Applies the missing migrations in one transaction, and under a lock, so that processes that start together apply each
 * once.
 * @param migrations in the order of their application.
 * @throws {DependencyError} `incompatible` when the database holds others, unless they come after all of them and only
 * add.
 */
export async function migrate(
  store: Store,
  migrations: readonly Migration[] = known,
): Promise<void> {
  await store.write(async (tx) => {
    const columns = columnsOf(store.engine);
    const history = await openHistory(tx, store.engine, columns);
    const applied = await history
      .selectFrom('schema_migrations')
      .select('name')
      .orderBy('name')
      .execute();
    for (const migration of missing(applied, migrations)) {
      await migration.up(tx, columns);
      await history
        .insertInto('schema_migrations')
        .values({ name: migration.name, applied_at: Date.now() })
        .execute();
    }
    if (migrations === known) await restoreIndexes(tx);
  }, WRITE_LIMITS);
}

/** The schema changes of a database; with `--to`, up to and including the named one. */
export interface PendingChanges {
  /** Applied changes, in order. */
  readonly applied: readonly string[];
  /** Pending changes, in order. */
  readonly pending: readonly string[];
}

/**
 * Returns what {@link migrate} would do. Only reads.
 * @throws {DependencyError} `incompatible` when the database has unknown migrations.
 */
export async function pendingChanges(
  store: Store,
  migrations: readonly Migration[] = known,
): Promise<PendingChanges> {
  const applied = await appliedChanges(store);
  return {
    applied: applied.map(({ name }) => name),
    pending: missing(applied, migrations).map(({ name }) => name),
  };
}

/**
 * Checks that the schema has this version. Only reads.
 * @throws {DependencyError} `incompatible` when it is newer, older or missing.
 */
export async function requireSchema(store: Store): Promise<void> {
  const { applied, pending } = await pendingChanges(store);
  if (pending.length === 0) return;
  const state =
    applied.length === 0
      ? 'has no tables yet'
      : `is older than this version and lacks ${pending.join(', ')}`;
  throw new DependencyError(
    'database',
    'incompatible',
    `The database ${state}; start the service of this version, or run ws01 migrate, to change it. Nothing was done.`,
  );
}

async function appliedChanges(store: Store): Promise<readonly { readonly name: string }[]> {
  return store.read(async (db) => {
    const tables = await db.introspection.getTables({ withInternalKyselyTables: false });
    if (!tables.some(({ name }) => name === 'schema_migrations')) return [];
    const history = db as Kysely<Tables & HistoryTables> as Kysely<HistoryTables>;
    return history.selectFrom('schema_migrations').select('name').orderBy('name').execute();
  });
}

/**
 * Returns the known changes up to and including one.
 * @throws {DependencyError} `incompatible` when there is no change with that name.
 */
export function changesUpTo(name: string): readonly Migration[] {
  const last = known.findIndex((migration) => migration.name === name);
  if (last < 0) {
    throw new DependencyError(
      'database',
      'incompatible',
      `There is no schema change ${name}; the last is ${known.at(-1)?.name}.`,
    );
  }
  return known.slice(0, last + 1);
}

/** Waits for other migrating processes, and creates the history table if it is missing. */
async function openHistory(
  tx: Kysely<Tables>,
  engine: Engine,
  columns: Columns,
): Promise<Kysely<HistoryTables>> {
  if (engine === 'postgres') await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
  await tx.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('name', columns.text, primaryKey)
    .addColumn('applied_at', columns.instant, required)
    .$call(columns.finish)
    .execute();
  return tx as Kysely<Tables & HistoryTables> as Kysely<HistoryTables>;
}

/** A migration of the contract phase, which removes what older code may use; all others only add. */
const TAKES_AWAY = /^\d{4}_contract_/;

/**
 * Returns the pending migrations. The applied ones must be the first of the list. A newer release may have applied
 * more; as long as those only add, nodes of both releases can serve together, and the older ones can start again.
 */
function missing(
  applied: readonly { readonly name: string }[],
  migrations: readonly Migration[],
): readonly Migration[] {
  const unknown = applied.find(({ name }, index) =>
    index < migrations.length ? migrations[index]!.name !== name : TAKES_AWAY.test(name),
  );
  if (unknown !== undefined) {
    throw new DependencyError(
      'database',
      'incompatible',
      `The database has the schema change ${unknown.name}, which this version of ws01 does not know; start the version that made it, or a newer one.`,
    );
  }
  return migrations.slice(applied.length);
}
