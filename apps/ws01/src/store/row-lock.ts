import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Tables } from './tables/tables.ts';

/**
 * For `$call` on a select inside a write: the rows it finds stay as they are until the write ends, and it waits for
 * other writes that hold them. SQLite runs writes one after another and has no such lock.
 *
 *     db.selectFrom('articles').select('owner').where('guid', '=', guid).$call(lockRows(db))
 */
export function lockRows(db: Kysely<Tables>): <Query extends { forUpdate(): Query }>(query: Query) => Query {
  const locks = db.getExecutor().adapter instanceof PostgresAdapter;
  return (query) => (locks ? query.forUpdate() : query);
}

/**
 * As {@link lockRows}, for a queue: rows that another write holds are passed over instead of waited for.
 *
 *     db.selectFrom('outbox').select('id').where('due_at', '<=', now).limit(10).$call(lockFreeRows(db))
 */
export function lockFreeRows(
  db: Kysely<Tables>,
): <Query extends { forUpdate(): { skipLocked(): Query } }>(query: Query) => Query {
  const locks = db.getExecutor().adapter instanceof PostgresAdapter;
  return (query) => (locks ? query.forUpdate().skipLocked() : query);
}

/**
 * Makes other writes that name the same record wait until this one ends, also where the record is yet to be created and
 * there is no row to lock. Two names may share a lock, which costs a wait and nothing more.
 * @param name the table and the key.
 */
export async function lockName(tx: Kysely<Tables>, name: string): Promise<void> {
  if (tx.getExecutor().adapter instanceof PostgresAdapter) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
  }
}
