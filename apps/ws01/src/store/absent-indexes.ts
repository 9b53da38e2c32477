import { type Kysely, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import type { Tables } from './tables/tables.ts';

/**
 * Drops the non-unique indexes of an empty table before a bulk import: building an index at the end
 * is much faster than row by row. Stores their definitions, so that the next start rebuilds them if
 * the import does not. Does nothing on PostgreSQL, and if the table has rows.
 * @param but indexes to keep.
 */
export async function dropIndexes(
  tx: Kysely<Tables>,
  table: keyof Tables,
  but: readonly string[] = [],
): Promise<void> {
  if (isPostgres(tx)) return;
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(tx);
  if (rows.length > 0) return;
  const { rows: indexes } = await sql<{
    name: string;
    sql: string;
  }>`select name, sql from sqlite_schema
    where type = 'index' and tbl_name = ${table} and sql like 'create index%'`.execute(tx);
  for (const index of indexes) {
    if (but.includes(index.name)) continue;
    await noteAbsentIndex(tx, index);
    await sql`drop index ${sql.ref(index.name)}`.execute(tx);
  }
}

/** Notes that an index is to be built. */
export async function noteAbsentIndex(
  tx: Kysely<Tables>,
  index: { readonly name: string; readonly sql: string },
): Promise<void> {
  await tx.insertInto('absent_indexes').values(index).execute();
}

/**
 * Builds the indexes again that {@link dropIndexes} dropped, also after an interruption. Does
 * nothing on PostgreSQL, which builds them beside writers.
 */
export async function restoreIndexes(tx: Kysely<Tables>): Promise<void> {
  if (isPostgres(tx)) return;
  for (const index of await tx.selectFrom('absent_indexes').selectAll().execute()) {
    await sql.raw(index.sql).execute(tx);
    await tx.deleteFrom('absent_indexes').where('name', '=', index.name).execute();
  }
}
