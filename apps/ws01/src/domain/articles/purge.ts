import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { purgeLinkedImages } from '../images/purge.ts';
import { type PresentContent, recordContents } from './history.ts';
import { deleteArticles, trashed } from './rows.ts';

/** How long an article stays in the trash (semantics 5.15); ms. */
export const TRASH_MS = 30 * 24 * 60 * 60 * 1000;

/** Largest number of articles, and of contents, that one transaction deletes, so that other writes do not wait long. */
const BATCH = 100;
const BATCH_CONTENTS = 1_000;

/**
 * Removes permanently, with their revisions and the images that belong to nothing else, the articles that have been in
 * the trash long enough. Their keys are free; the ledger of postings and the audit trail keep their rows. Contents that
 * have no entry in the audit trail yet get one first: older versions wrote them later. For a timer: calls may overlap,
 * also from several processes.
 *
 * @param most articles removed at most.
 * @param keptFor how long an article stays in the trash; ms.
 * @returns how many were deleted; fewer than `most` if nothing is left.
 */
export async function purgeTrash(store: Store, now: Instant, most = 10_000, keptFor = TRASH_MS): Promise<number> {
  const before = now - keptFor;
  let removed = 0;
  while (removed < most) {
    const purged = await store.write((tx) => purgeSome(tx, before, now, Math.min(BATCH, most - removed)));
    removed += purged.articles;
    if (purged.articles + purged.images === 0) break;
  }
  return removed;
}

/** Removes the oldest, as many as one transaction should; an article when its images are gone. @returns how many. */
async function purgeSome(
  tx: Kysely<Tables>,
  before: Instant,
  now: Instant,
  most: number,
): Promise<{ readonly articles: number; readonly images: number }> {
  const found = await trashed.all(tx, { before, most });
  let contents = 0;
  const purged = found.filter(({ revision }, index) => {
    contents += revision;
    return index === 0 || contents <= BATCH_CONTENTS;
  });
  if (purged.length === 0) return { articles: 0, images: 0 };
  const guids = purged.map(({ guid }) => guid);
  const images = await purgeLinkedImages(tx, guids, now, BATCH);
  if (images === BATCH) return { articles: 0, images };
  await deleteWithHistory(tx, purged);
  return { articles: purged.length, images };
}

/** Removes articles with their revisions, and first writes the contents that the audit trail lacks into it. */
export async function deleteWithHistory(tx: Kysely<Tables>, articles: readonly PresentContent[]): Promise<void> {
  const guids = articles.map(({ guid }) => guid);
  await recordContents(tx, articles);
  await deleteArticles(tx, guids);
}
