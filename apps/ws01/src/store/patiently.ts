import type { Kysely } from 'kysely';
import type { Store } from './store.ts';
import type { Tables } from './tables/tables.ts';

/** How long an operator's question may take; ms. */
const PATIENCE_MS = 60 * 60_000;

/** A read without the timeout of calls, for commands. On SQLite it blocks the process. */
export function readPatiently<T>(store: Store, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  return store.engine === 'sqlite' ? store.read(work) : store.write(work, { workTimeout: PATIENCE_MS });
}
