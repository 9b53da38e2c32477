import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables.ts';
import { removeInBatches } from '../batches.ts';
import { deleteTrashed } from './rows.ts';

/** How long an article stays in the trash (semantics 5, 15); ms. */
export const TRASH_MS = 30 * 24 * 60 * 60 * 1000;

/** Articles removed in one transaction at most, so that other writes do not wait long. */
const BATCH = 100;

/**
 * Removes for good, with their revisions, the articles that have been in the trash for {@link TRASH_MS}. Their keys are
 * free then; the ledger of postings and the audit trail keep their rows. For a timer: calls may overlap, also from
 * several processes.
 *
 * @param most articles removed at most.
 * @returns how many were removed; fewer than `most` when nothing is left to do.
 */
export async function purgeTrash(store: Store, now: Instant, most = 10_000): Promise<number> {
  const before = now - TRASH_MS;
  return removeInBatches(store, (tx, batch) => deleteTrashed.run(tx, { before, most: batch }), BATCH, most);
}
