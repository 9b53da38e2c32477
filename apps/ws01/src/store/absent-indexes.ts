import { type Kysely, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import type { Tables } from './tables/tables.ts';

/**
 * Takes away the indexes of a table that has no rows yet, those aside that keep rows unique: to make one of all rows at
 * the end takes a small part of the time that it takes row by row. Which they were is written down beside, so that the
 * next start makes them should nobody else do it. Does nothing on PostgreSQL, and where there are rows.
 * @param but indexes that are needed meanwhile.
 */
export async function takeIndexesAway(
  tx: Kysely<Tables>,
  table: keyof Tables,
  but: readonly string[] = [],
): Promise<void> {
  if (isPostgres(tx)) return;
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(tx);
  if (rows.length > 0) return;
  const { rows: indexes } = await sql<{ name: string; sql: string }>`select name, sql from sqlite_schema
    where type = 'index' and tbl_name = ${table} and sql like 'create index%'`.execute(tx);
  for (const index of indexes) {
    if (but.includes(index.name)) continue;
    await tx.insertInto('absent_indexes').values(index).execute();
    await sql`drop index ${sql.ref(index.name)}`.execute(tx);
  }
}

/** Makes the indexes again that {@link takeIndexesAway} took, wherever it was interrupted. */
export async function bringIndexesBack(tx: Kysely<Tables>): Promise<void> {
  for (const index of await tx.selectFrom('absent_indexes').selectAll().execute()) {
    await sql.raw(index.sql).execute(tx);
    await tx.deleteFrom('absent_indexes').where('name', '=', index.name).execute();
  }
}
