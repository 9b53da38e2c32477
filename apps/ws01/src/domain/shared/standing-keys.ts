import type { Kysely } from 'kysely';
import { afterCommit } from '../../store/after-commit.ts';
import type { Tables } from '../../store/tables/tables.ts';

/** Keys remembered for one store; at one more it begins anew. */
const KEYS = 10_000;

/**
 * Remembers of a table from which nothing is ever removed which keys stand in it, so that a write that sees to it that
 * one does need not ask the database each time.
 */
export class StandingKeys {
  /** By the store's adapter, of which it has one as long as it is open. */
  readonly #known = new WeakMap<object, Set<string>>();

  /** Whether a key is known to stand there. */
  has(tx: Kysely<Tables>, key: string): boolean {
    return this.#known.get(tx.getExecutor().adapter)?.has(key) ?? false;
  }

  /** Learns, once the write is committed, that a key stands there. */
  learn(tx: Kysely<Tables>, key: string): void {
    const { adapter } = tx.getExecutor();
    afterCommit(tx, () => {
      let keys = this.#known.get(adapter);
      if (keys === undefined) {
        keys = new Set();
        this.#known.set(adapter, keys);
      }
      if (keys.size >= KEYS) keys.clear();
      keys.add(key);
    });
  }
}
