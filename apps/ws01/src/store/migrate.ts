import { type Kysely, sql } from 'kysely';
import { StoreError } from './errors.ts';
import { type Columns, columnsOf, primaryKey, required } from './migrations/columns.ts';
import { migrations as known } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';
import type { Engine, Store } from './store.ts';
import type { Instant, Tables } from './tables/tables.ts';
import type { WriteLimits } from './write-limits.ts';

/** The PostgreSQL advisory lock that migrating processes take: the letters WS01. */
const LOCK = 0x57_53_30_31;

/** A change of a large table takes its time, and whoever starts meanwhile waits for it. */
const PATIENCE: WriteLimits = { busyTimeout: 600_000, workTimeout: 600_000 };

interface HistoryTables {
  schema_migrations: { name: string; applied_at: Instant };
}

/**
 * Applies the migrations that the database lacks, all of them in one transaction, so that a failure leaves nothing
 * half, and under a lock, so that processes that start together apply each once: the later ones find nothing to do.
 * @param migrations in the order in which they are applied.
 * @throws {StoreError} `schema` when the database holds migrations that are not among them.
 */
export async function migrate(store: Store, migrations: readonly Migration[] = known): Promise<void> {
  await store.write(async (tx) => {
    const columns = columnsOf(store.engine);
    const history = await openHistory(tx, store.engine, columns);
    const applied = await history.selectFrom('schema_migrations').select('name').orderBy('name').execute();
    for (const migration of missing(applied, migrations)) {
      await migration.up(tx, columns);
      await history.insertInto('schema_migrations').values({ name: migration.name, applied_at: Date.now() }).execute();
    }
  }, PATIENCE);
}

/** Waits for other processes that migrate, and makes the table of the history where there is none. */
async function openHistory(tx: Kysely<Tables>, engine: Engine, columns: Columns): Promise<Kysely<HistoryTables>> {
  if (engine === 'postgres') {
    await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
  }
  await tx.schema
    .createTable('schema_migrations')
    .ifNotExists()
    .addColumn('name', columns.text, primaryKey)
    .addColumn('applied_at', columns.instant, required)
    .$call(columns.finish)
    .execute();
  return tx as Kysely<Tables & HistoryTables> as Kysely<HistoryTables>;
}

/** The migrations still to apply: those after the ones applied, which must be the first of the list. */
function missing(
  applied: readonly { readonly name: string }[],
  migrations: readonly Migration[],
): readonly Migration[] {
  const unknown = applied.find(({ name }, index) => migrations[index]?.name !== name);
  if (unknown !== undefined) {
    throw new StoreError(
      'schema',
      `The database has the schema change ${unknown.name}, which this version of ws01 does not know; start the version that made it, or a newer one.`,
    );
  }
  return migrations.slice(applied.length);
}
