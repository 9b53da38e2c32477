import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { ImagesTable, Instant, Tables } from '../../store/tables/tables.ts';
import { removeTerms } from '../../store/text-index.ts';
import { type Actor, auditAct } from '../audit/audit.ts';
import { removeInBatches } from '../shared/batches.ts';
import { earlierWriter } from './call.ts';
import { releaseFile } from './files.ts';
import { lockLink } from './listing/linked.ts';
import { changeTotals, listedTotals } from './listing/totals.ts';
import { deleteImage } from './rows.ts';

/**
 * Deletes the images permanently that are linked to records in a purge and to no advert. Their URLs
 * answer at once that they are gone; the sweep deletes the files.
 *
 * @param linkGuids keys of the records, whose rows are locked.
 * @param most maximum number of images.
 * @param by who purges; `undefined` for the service itself.
 * @returns how many were deleted; fewer than `most` if none is left.
 */
export async function purgeLinkedImages(
  tx: Kysely<Tables>,
  linkGuids: readonly string[],
  at: Instant,
  most: number,
  by?: Actor,
): Promise<number> {
  const images = await tx
    .selectFrom('images')
    .select(['guid', 'link_guid'])
    .where('link_guid', 'in', linkGuids)
    .where('link_guid', 'not in', (adverts) =>
      adverts.selectFrom('adverts').select('guid').where('guid', 'in', linkGuids),
    )
    .orderBy('link_guid')
    .orderBy('guid')
    .limit(most)
    .execute();
  await purgeImages(tx, images, at, by);
  return images.length;
}

/**
 * Deletes images permanently that a moderator removed before an instant.
 * @returns how many.
 */
export async function purgeRemovedImages(
  store: Store,
  before: Instant,
  now: Instant,
): Promise<number> {
  return removeInBatches(
    store,
    async (tx, most) => {
      const images = await tx
        .selectFrom('images')
        .select(['guid', 'link_guid'])
        .where('removed_at', 'is not', null)
        .where('removed_at', '<=', before)
        .orderBy('removed_at')
        .limit(most)
        .execute();
      await purgeImages(tx, images, now, undefined);
      return images.length;
    },
    BATCH,
  );
}

/** Maximum number of images deleted in one transaction. */
const BATCH = 100;

async function purgeImages(
  tx: Kysely<Tables>,
  images: readonly Pick<ImagesTable, 'guid' | 'link_guid'>[],
  at: Instant,
  by: Actor | undefined,
): Promise<void> {
  for (const { guid, link_guid } of images) {
    if (link_guid !== null) lockLink(tx, link_guid);
    await purgeImage(tx, guid, at, by);
  }
}

/**
 * Deletes an image permanently. Its URL answers at once that it is gone; the sweep deletes the
 * file.
 */
export async function purgeImage(
  tx: Kysely<Tables>,
  guid: string,
  at: Instant,
  by: Actor | undefined,
): Promise<void> {
  const image = (await dropImage(tx, guid, at))?.image;
  if (image === undefined) return;
  await auditAct(tx, 'image.purge', guid, at, by, {
    hash: image.hash,
    linkGuid: image.link_guid,
    ...earlierWriter(image),
  });
}

/**
 * Deletes an image from every table; the caller records it in the audit trail. The row comes first:
 * its deletion waits for another write of the image, and says what that has made of it.
 * @returns its row, and the names of stored files that are no longer used; `undefined` if the image
 *   does not exist.
 */
export async function dropImage(tx: Kysely<Tables>, guid: string, at: Instant) {
  const image = await deleteImage.first(tx, { guid });
  if (image === undefined) return undefined;
  removeTerms(tx, 'image_search', image.id);
  const unused = await releaseFile(tx, image.hash, at);
  await changeTotals(tx, guid, listedTotals(undefined, image));
  return { image, unused };
}
