import { type Kysely, PostgresAdapter } from 'kysely';
import type { Tables } from './tables/tables.ts';

/** Whether a query builder speaks PostgreSQL's SQL; SQLite's otherwise. */
export function isPostgres(db: Kysely<Tables>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
