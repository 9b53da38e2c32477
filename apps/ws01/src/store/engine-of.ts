import { type Kysely, PostgresAdapter } from 'kysely';
import type { Tables } from './tables/tables.ts';

/** Whether a query builder is for PostgreSQL; otherwise it is for SQLite. */
export function isPostgres(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
