import { DAY_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { purgeLinkedImages } from '../images/purge.ts';
import { type PresentContent, recordContents } from './history.ts';
import { deleteArticles, trashed } from './rows.ts';

/** How long an article stays in the trash (semantics 5.15); ms. */
export const TRASH_MS = 30 * DAY_MS;

/**
 * Largest number of articles, and of contents, that one transaction deletes, so that other writes
 * do not wait long.
 */
const BATCH = 100;
const BATCH_CONTENTS = 1_000;

/**
 * Deletes articles permanently that have been in the trash long enough, with their revisions and
 * the images that belong to no other record. Their keys become free; the ledger of posts and the
 * audit trail keep their rows. Contents without an entry in the audit trail get one first, because
 * older versions wrote them later. Calls may overlap, also between processes.
 *
 * @param most maximum number of articles.
 * @param keptFor how long an article stays in the trash; ms.
 * @returns how many were deleted; fewer than `most` if none is left.
 */
export async function purgeTrash(
  store: Store,
  now: Instant,
  most = 10_000,
  keptFor = TRASH_MS,
): Promise<number> {
  const before = now - keptFor;
  let removed = 0;
  while (removed < most) {
    const purged = await store.write((tx) =>
      purgeSome(tx, before, now, Math.min(BATCH, most - removed)),
    );
    removed += purged.articles;
    if (purged.articles + purged.images === 0) break;
  }
  return removed;
}

/**
 * Deletes one batch, oldest first; an article after its images.
 * @returns how many.
 */
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

/** Deletes articles with their revisions, after recording contents that the audit trail lacks. */
export async function deleteWithHistory(
  tx: Kysely<Tables>,
  articles: readonly PresentContent[],
): Promise<void> {
  const guids = articles.map(({ guid }) => guid);
  await recordContents(tx, articles);
  await deleteArticles(tx, guids);
}
