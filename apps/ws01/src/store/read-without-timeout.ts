import { HOUR_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import type { Store } from './store.ts';
import type { Tables } from './tables/tables.ts';

/** Statement timeout on PostgreSQL; ms. */
const TIMEOUT_MS = HOUR_MS;

/** Reads without the timeout of calls, for commands. On SQLite it blocks the process. */
export function readWithoutTimeout<T>(
  store: Store,
  work: (db: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return store.engine === 'sqlite'
    ? store.read(work)
    : store.write(work, { workTimeout: TIMEOUT_MS });
}
