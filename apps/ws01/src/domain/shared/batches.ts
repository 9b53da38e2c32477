import type { Kysely } from 'kysely';
import { delaysAnswers } from '../../store/in-background.ts';
import type { PreparedQuery } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Tables } from '../../store/tables/tables.ts';

/** Rows in one write, so that other writes do not wait long. */
const PORTION = 500;

/** What the queries of a batch are to take where answers wait for them; ms. */
const BATCH_MS = 2;

/** Rows of the first batch there. */
const FIRST = 20;

/**
 * Deletes rows in batches, each in its own write, so that other writes do not wait long. Where
 * answers wait, too, the time of a batch decides how many rows the next one has, so that it takes
 * {@link BATCH_MS}: a row in memory takes a fraction of the time of one whose pages are read.
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
  portion = PORTION,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  let removed = 0;
  let rows = delaysAnswers(store) ? Math.min(FIRST, portion) : portion;
  while (removed < most) {
    const batch = Math.min(rows, most - removed);
    let took = 0;
    const deleted = await store.write(async (tx) => {
      const began = performance.now();
      const gone = await remove(tx, batch);
      took = performance.now() - began;
      return gone;
    });
    removed += deleted;
    if (deleted < batch) break;
    if (delaysAnswers(store))
      rows = Math.min(portion, Math.ceil(batch * Math.min(2, BATCH_MS / took)));
  }
  return removed;
}

/**
 * Deletes the rows from before an instant or an id, in batches.
 * @param query deletes at most so many of them.
 * @returns how many were deleted.
 */
export function removeBefore<Before>(
  store: Store,
  query: PreparedQuery<{ readonly before: Before; readonly most: number }, unknown>,
  before: Before,
  portion?: number,
): Promise<number> {
  return removeInBatches(store, (tx, most) => query.run(tx, { before, most }), portion);
}
