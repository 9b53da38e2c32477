import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import { afterCommit } from '../../store/scope.ts';
import type { CategoriesTable, Instant, Tables } from '../../store/tables/tables.ts';

/** Keys remembered for one store; at one more it begins again. */
const KEYS = 10_000;

/**
 * A cache of existing keys, for tables whose rows are rarely deleted, so that "insert if missing"
 * does not query the database each time.
 */
export class ExistingKeys {
  /**
   * By the store's adapter, of which it has one as long as it is open: the keys, and when each was
   * learned; ms.
   */
  readonly #known = new WeakMap<object, Map<string, number>>();
  readonly #rememberedMs: number;

  /**
   * @param rememberedMs within this a removal by another process is noticed; ms. For ever where
   *   nothing is removed.
   */
  constructor(rememberedMs = Number.POSITIVE_INFINITY) {
    this.#rememberedMs = rememberedMs;
  }

  /** Whether a key is known to stand there. */
  has(tx: Kysely<Tables>, key: string): boolean {
    const learned = this.#known.get(tx.getExecutor().adapter)?.get(key);
    return learned !== undefined && performance.now() - learned < this.#rememberedMs;
  }

  /** Learns, once the write is committed, that a key stands there. */
  learn(tx: Kysely<Tables>, key: string): void {
    const { adapter } = tx.getExecutor();
    afterCommit(tx, () => {
      let keys = this.#known.get(adapter);
      if (keys === undefined) {
        keys = new Map();
        this.#known.set(adapter, keys);
      }
      if (keys.size >= KEYS) keys.clear();
      keys.set(key, performance.now());
    });
  }

  /** Forgets a key, once the write that deletes it is committed. */
  forget(tx: Kysely<Tables>, key: string): void {
    const { adapter } = tx.getExecutor();
    afterCommit(tx, () => this.#known.get(adapter)?.delete(key));
  }
}

/** Creates a category at its first use (semantics 2); does nothing if it exists, or for none. */
export async function ensureCategoryExists(
  tx: Kysely<Tables>,
  key: string | null,
  at: Instant,
): Promise<void> {
  if (key === null || standing.has(tx, key)) return;
  insertCategory.send(tx, { key, created_at: at });
  standing.learn(tx, key);
}

const standing = new ExistingKeys();

const insertCategory = prepare((db, row: CategoriesTable) =>
  db
    .insertInto('categories')
    .values({ key: row.key, created_at: row.created_at })
    .onConflict((conflict) => conflict.column('key').doNothing()),
);
