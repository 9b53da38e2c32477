import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Tables } from '../../store/tables/tables.ts';

/**
 * Deletes rows in batches, each in its own write, so that other writes do not wait long.
 *
 * @param remove deletes at most the given number of rows;
 * @returns how many it deleted.
 * @param portion rows in one write at most.
 * @param most rows in all at most.
 * @returns how many were deleted; fewer than `most` if nothing is left.
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
