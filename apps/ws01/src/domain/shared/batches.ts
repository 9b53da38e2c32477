import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Tables } from '../../store/tables/tables.ts';

/**
 * Removes rows in portions, each its own write, so that other writes do not wait long.
 *
 * @param remove removes as many as it is told at most; @returns how many it did.
 * @param portion rows in one write at most.
 * @param most rows in all at most.
 * @returns how many were removed; fewer than `most` when nothing is left to do.
 */
export async function removeInBatches(
  store: Store,
  remove: (tx: Kysely<Tables>, most: number) => Promise<number>,
  portion: number,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  let removed = 0;
  while (removed < most) {
    const batch = Math.min(portion, most - removed);
    const deleted = await store.write((tx) => remove(tx, batch));
    removed += deleted;
    if (deleted < batch) break;
  }
  return removed;
}
