import type { Kysely } from 'kysely';
import { BoundDatabase, WriteScope } from './scope.ts';
import type { Tables } from './tables/tables.ts';

/**
 * Has a function called when a write has been committed, before its caller learns so; never when it fails, and once when
 * it was run more than once. For what is remembered of the database, which must not know of anything that was undone.
 * @param tx what `write` of the store handed out.
 * @param proceed must not throw.
 */
export function afterCommit(tx: Kysely<Tables>, proceed: () => void): void {
  if (!(tx instanceof BoundDatabase && tx.target instanceof WriteScope)) throw new TypeError('This is no write.');
  tx.target.afterCommit(proceed);
}
