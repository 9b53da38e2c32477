import type { Kysely } from 'kysely';
import type { Store } from './store.ts';
import type { Tables } from './tables/tables.ts';

/** How long an operator's question may take; ms. */
const PATIENCE_MS = 60 * 60_000;

/**
 * Reads what takes longer than a call may: for commands, whose process has nothing else to do. On SQLite it holds up
 * the process that asks.
 */
export function readPatiently<T>(store: Store, work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  return store.engine === 'sqlite' ? store.read(work) : store.write(work, { workTimeout: PATIENCE_MS });
}
