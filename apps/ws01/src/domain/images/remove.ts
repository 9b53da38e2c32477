import type { Kysely } from 'kysely';
import type { Tables } from '../../store/tables/tables.ts';
import { removeTerms } from '../../store/text-index.ts';
import { findPosting } from '../counts/posts.ts';
import { assertMayWrite, recordNotFound } from '../shared/ownership.ts';
import { attemptOf, auditImage, earlierWriter, IMAGE_RECORD, type ImageCall } from './call.ts';
import { changeTotals, listedTotals } from './listing/totals.ts';
import {
  deleteImage,
  imageWithFileOf,
  lockFileOfImage,
  lockImage,
  setFileDeleted,
} from './rows.ts';

/** A call that deletes its image (operation 17). */
interface RemoveImageCall extends ImageCall {
  /** The record that the image must belong to; `undefined` if the call names none. */
  readonly linkGuid: string | undefined;
}

/**
 * Deletes the image. Its key becomes free; the ledger keeps its owner. Idempotent.
 *
 * @returns the names of stored files that are no longer used, to be deleted after the commit.
 * @throws {Ws01Error} `NotFound` when the key was never used, when the image belongs to another
 *   record than the call says, and for a user token when it is another user's.
 */
export async function removeImage(
  tx: Kysely<Tables>,
  call: RemoveImageCall,
): Promise<readonly string[]> {
  const { guid, linkGuid, at } = call;
  // One query with everything that decides, in the order of locks: image, file.
  const [present, file, other] = await Promise.all([
    lockImage.first(tx, { guid }),
    lockFileOfImage.first(tx, { guid }),
    imageWithFileOf.first(tx, { guid }),
  ]);
  if (present === undefined) {
    const posting = await findPosting(tx, 'image', guid);
    if (posting === undefined) throw recordNotFound(IMAGE_RECORD);
    assertMayWrite(attemptOf(call, 'change', posting.userId));
    return [];
  }
  assertMayWrite(attemptOf(call, 'change', present.owner));
  if (linkGuid !== undefined && linkGuid !== present.link_guid) {
    throw recordNotFound({ ...IMAGE_RECORD, parameter: 'Link_Guid' });
  }
  // For everyone except admins it is gone, and must not come back by another upload.
  if (present.removed_at !== null && call.context.caller.kind !== 'admin') return [];
  deleteImage.send(tx, { guid });
  removeTerms(tx, 'image_search', present.id);
  await auditImage(tx, call, 'delete', {
    hash: present.hash,
    linkGuid: present.link_guid,
    ...earlierWriter(present),
  });
  await changeTotals(tx, guid, listedTotals(undefined, present));
  if (file === undefined || other !== undefined) return [];
  setFileDeleted.send(tx, { hash: present.hash, deleted_at: at });
  return [file.stored_as];
}
