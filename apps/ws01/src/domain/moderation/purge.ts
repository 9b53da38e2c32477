import type { Kysely } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { forgetEdits } from '../adverts/edit.ts';
import { deleteAdvert } from '../adverts/search-index.ts';
import { deleteWithHistory } from '../articles/purge.ts';
import { lockForPurge } from '../articles/rows.ts';
import { lockLink } from '../images/listing/linked.ts';
import { purgeImage, purgeLinkedImages } from '../images/purge.ts';
import {
  assertFound,
  auditModeration,
  lockWithoutTrash,
  type ModeratedKind,
  type ModerationCall,
} from './moderation.ts';

/** Images of a record that are removed in one transaction at most. */
const BATCH = 100;

/**
 * Removes permanently what was removed before, an article also when it is in the trash: with its
 * revisions, and with the images that belong to nothing else. The ledger and the audit trail keep
 * their rows. It cannot be undone.
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
    await auditModeration(tx, call, 'purge');
    return true;
  },
  advert: async (tx, call) => {
    assertRemoved(call, await lockWithoutTrash(tx, 'adverts', 'guid', call.key));
    // Without a record, images that it kept from the public would come out.
    if ((await purgeImagesOfAdvert(tx, call)) === BATCH) return false;
    await deleteAdvert(tx, call.key);
    await forgetEdits(tx, call.key);
    await auditModeration(tx, call, 'purge');
    return true;
  },
  image: async (tx, call) => {
    assertRemoved(call, await lockWithoutTrash(tx, 'images', 'guid', call.key));
    await purgeImage(tx, call.key, call.at, call.by);
    return true;
  },
  review: async (tx, call) => {
    assertRemoved(call, await lockWithoutTrash(tx, 'reviews', 'id', call.key));
    await tx.deleteFrom('reviews').where('id', '=', call.key).execute();
    await auditModeration(tx, call, 'purge');
    return true;
  },
};

/**
 * Images of an advert that no article has as well.
 * @returns how many were removed, at most {@link BATCH}.
 */
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
  call: ModerationCall,
  found: Row | undefined,
): Row {
  const row = assertFound(call, found);
  if (row.deleted_at !== null) return row;
  const { kind, key } = call;
  throw new Ws01Error(
    'InvalidParameter',
    say`The ${{ kind }} ${{ key }} has not been removed; remove it first.`,
  );
}
