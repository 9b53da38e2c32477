import type { Kysely } from 'kysely';
import type { Store } from './store.ts';
import type { Tables } from './tables/tables.ts';

/** Statement timeout on PostgreSQL; ms. */
const TIMEOUT_MS = 60 * 60_000;

/** Reads without the timeout of calls, for commands. On SQLite it blocks the process. */
export function readWithoutTimeout<T>(
  store: Store,
  work: (db: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return store.engine === 'sqlite'
    ? store.read(work)
    : store.write(work, { workTimeout: TIMEOUT_MS });
}
