import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { deleteAdvert } from '../adverts/search-index.ts';
import { deleteWithHistory } from '../articles/purge.ts';
import { lockForPurge } from '../articles/rows.ts';
import { doneBy, recordAudit } from '../audit/audit.ts';
import { lockLink } from '../images/listing/linked.ts';
import { purgeImage, purgeLinkedImages } from '../images/purge.ts';
import { lockImage } from '../images/rows.ts';
import type { ModeratedKind, ModerationCall } from './moderation.ts';

/** Images of a record that are removed in one transaction at most. */
const BATCH = 100;

/**
 * Removes permanently what was removed before, an article also when it is in the trash: with its revisions, and with the
 * images that belong to nothing else. The ledger and the audit trail keep their rows. It cannot be undone.
 * @returns whether that is all; else images are left, and the record with them: to be called again.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for what was not removed first.
 */
export function purge(tx: Kysely<Tables>, call: ModerationCall): Promise<boolean> {
  return PURGES[call.kind](tx, call);
}

type PurgeRecord = (tx: Kysely<Tables>, call: ModerationCall) => Promise<boolean>;

const PURGES: Readonly<Record<ModeratedKind, PurgeRecord>> = {
  article: async (tx, call) => {
    const article = assertRemoved(call, await lockForPurge.first(tx, { guid: call.key }));
    if ((await purgeLinkedImages(tx, [call.key], call.at, BATCH, call.by)) === BATCH) return false;
    await deleteWithHistory(tx, [article]);
    await auditPurge(tx, call);
    return true;
  },
  advert: async (tx, call) => {
    const advert = await tx
      .selectFrom('adverts')
      .select('removed_at as deleted_at')
      .where('guid', '=', call.key)
      .$call(lockRows(tx))
      .executeTakeFirst();
    assertRemoved(call, advert);
    // Without a record, images that it kept from the public would come out.
    if ((await purgeImagesOfAdvert(tx, call)) === BATCH) return false;
    await deleteAdvert(tx, call.key);
    await auditPurge(tx, call);
    return true;
  },
  image: async (tx, call) => {
    const image = await lockImage.first(tx, { guid: call.key });
    assertRemoved(call, image && { deleted_at: image.removed_at });
    await purgeImage(tx, call.key, call.at, call.by);
    return true;
  },
  review: async (tx, call) => {
    const review = await tx
      .selectFrom('reviews')
      .select('removed_at as deleted_at')
      .where('id', '=', call.key)
      .$call(lockRows(tx))
      .executeTakeFirst();
    assertRemoved(call, review);
    await tx.deleteFrom('reviews').where('id', '=', call.key).execute();
    await auditPurge(tx, call);
    return true;
  },
};

/** Images of an advert that no article has as well. @returns how many were removed, at most {@link BATCH}. */
async function purgeImagesOfAdvert(
  tx: Kysely<Tables>,
  { key, at, by }: ModerationCall,
): Promise<number> {
  lockLink(tx, key);
  const article = await tx
    .selectFrom('articles')
    .select('guid')
    .where('guid', '=', key)
    .executeTakeFirst();
  if (article !== undefined) return 0;
  const images = await tx
    .selectFrom('images')
    .select('guid')
    .where('link_guid', '=', key)
    .limit(BATCH)
    .execute();
  for (const { guid } of images) await purgeImage(tx, guid, at, by);
  return images.length;
}

/** @throws {Ws01Error} `NotFound` or `InvalidParameter` */
function assertRemoved<Row extends { readonly deleted_at: Instant | null }>(
  { kind, key }: ModerationCall,
  row: Row | undefined,
): Row {
  if (row === undefined)
    throw new Ws01Error('NotFound', say`There is no ${{ kind }} with the key ${{ key }}.`);
  if (row.deleted_at !== null) return row;
  throw new Ws01Error(
    'InvalidParameter',
    say`The ${{ kind }} ${{ key }} has not been removed; remove it first.`,
  );
}

async function auditPurge(
  tx: Kysely<Tables>,
  { kind, key, by, at, reason }: ModerationCall,
): Promise<void> {
  await recordAudit(tx, {
    at,
    ...doneBy(by),
    action: `${kind}.purge`,
    target: { kind, key },
    details: reason === undefined ? {} : { reason },
  });
}
