import { type Kysely, sql } from 'kysely';
import { StoreError } from './errors.ts';
import { columnsOf } from './migrations/columns.ts';
import { migrations as history } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** The PostgreSQL advisory lock that migrating processes take: the letters WS01. */
const LOCK = 0x57_53_30_31;

interface WithMigrations {
  schema_migrations: { name: string; applied_at: number };
}

/**
 * Applies the migrations that the database lacks, all of them in one transaction, so that a failure leaves nothing
 * half, and under a lock, so that processes that start together apply each once: the later ones find nothing to do.
 * @param migrations in the order in which they are applied.
 * @throws {StoreError} `schema` when the database holds migrations that are not among them.
 */
export async function migrate(store: Store, migrations: readonly Migration[] = history): Promise<void> {
  await store.write(async (tx) => {
    const db = tx as Kysely<Tables & WithMigrations>;
    if (store.engine === 'postgres') {
      await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(db);
    }
    const columns = columnsOf(store.engine);
    await db.schema
      .createTable('schema_migrations')
      .ifNotExists()
      .addColumn('name', columns.text, (column) => column.primaryKey().notNull())
      .addColumn('applied_at', columns.instant, (column) => column.notNull())
      .execute();
    const rows = await db.selectFrom('schema_migrations').select('name').orderBy('name').execute();
    for (const migration of missing(
      rows.map(({ name }) => name),
      migrations,
    )) {
      await migration.up(tx, columns);
      await db.insertInto('schema_migrations').values({ name: migration.name, applied_at: Date.now() }).execute();
    }
  });
}

/** The migrations still to apply: those after the ones applied, which must be the first of the list. */
function missing(applied: readonly string[], migrations: readonly Migration[]): readonly Migration[] {
  const unknown = applied.find((name, index) => migrations[index]?.name !== name);
  if (unknown !== undefined) {
    throw new StoreError(
      'schema',
      `The database has the schema change ${unknown}, which this version of ws01 does not know; start the version that made it, or a newer one.`,
    );
  }
  return migrations.slice(applied.length);
}
