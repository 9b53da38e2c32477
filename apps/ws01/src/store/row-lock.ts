import { type AliasedRawBuilder, type Kysely, PostgresAdapter, sql } from 'kysely';
import { send } from './scope.ts';
import type { Tables } from './tables/tables.ts';

/**
 * For `$call` on a select inside a write: locks the found rows until the write ends, and waits for
 * other writes that hold them. SQLite runs writes one after another and needs no lock.
 *
 *     db.selectFrom('articles').select('owner').where('guid', '=', guid).$call(lockRows(db))
 */
export function lockRows(
  db: Kysely<Tables>,
): <Query extends { forUpdate(): Query }>(query: Query) => Query {
  const locks = db.getExecutor().adapter instanceof PostgresAdapter;
  return (query) => (locks ? query.forUpdate() : query);
}

/**
 * As {@link lockRows}, for a queue: skips rows that another write holds.
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
 * For `$call` on a query that creates or changes one record by its key in `guid`: when it does, it
 * takes the lock of {@link lockName} as well.
 * @param prefix what stands before the key in the name, and no quote.
 */
export function lockNameOfRow(
  db: Kysely<Tables>,
  prefix: string,
): <Query extends { returning(lock: AliasedRawBuilder<unknown, 'lock'>): unknown }>(
  query: Query,
) => Query {
  const locks = db.getExecutor().adapter instanceof PostgresAdapter;
  const lock =
    sql`pg_advisory_xact_lock(hashtextextended(${sql.lit(prefix)} || ${sql.ref('guid')}, 0))`.as(
      'lock',
    );
  return (query) => (locks ? (query.returning(lock) as typeof query) : query);
}

/**
 * Locks a name until the write ends, for records that may not exist yet and have no row to lock.
 * Two names may share a lock, which only costs waiting time.
 * @param name the table and the key.
 */
export function lockName(tx: Kysely<Tables>, name: string): void {
  if (!(tx.getExecutor().adapter instanceof PostgresAdapter)) return;
  send(tx, sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.compile(tx));
}
