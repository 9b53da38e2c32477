import type { Kysely, Selectable } from 'kysely';
import { lockName } from '../../store/row-lock.ts';
import { type ImagesTable, type Tables, toFlag } from '../../store/tables/tables.ts';
import type { Budgets } from '../budgets/budgets.ts';
import { recordPosting } from '../counts/posts.ts';
import { assertMayWrite, assertNotRemoved } from '../shared/ownership.ts';
import { sortKeyOf } from '../values/search-text.ts';
import {
  assertMayLink,
  attemptOf,
  auditImage,
  earlierWriter,
  IMAGE_RECORD,
  type ImageCall,
  isForeignLink,
} from './call.ts';
import { optionalCategoryKey } from './category.ts';
import {
  type ArrivedFile,
  enterFile,
  holdFiles,
  releaseFile,
  rowOfFile,
  type StoredImage,
} from './files.ts';
import { findLinked, type LinkedRecord, leastVisible, ownVisibility } from './listing/linked.ts';
import { indexImage, indexNewImage, searchTextOf } from './listing/search.ts';
import { changeTotals, listedTotals } from './listing/totals.ts';
import {
  type ImageAttributes,
  insertImage,
  insertNewFile,
  lockImage,
  updateImage,
} from './rows.ts';

/** A call that creates or replaces its image (operation 5). */
export interface PutImageCall extends ImageCall {
  readonly linkGuid: string | undefined;
  /** As sent. */
  readonly category: string;
  readonly isIcon: boolean;
  readonly file: ArrivedFile;
}

/** The result of a call: `again` if its file was deleted meanwhile and must be stored again. */
export type PutOutcome =
  | { readonly kind: 'again' }
  | { readonly kind: 'done'; readonly unused: readonly string[] };

/**
 * Inserts the file and creates the image, or changes the file and attributes of an existing image;
 * unchanged ones are not written. Every write locks in the same order: link, image, files, totals.
 *
 * @returns the names of stored files that are no longer used, to be deleted after the commit.
 * @throws {Ws01Error} `AlreadyExists` for a user token when the image is another user's, `NotFound`
 *   when the linked record is; `Forbidden` when a moderator removed the image; `RateLimited` when
 *   the user has created too many.
 */
export async function putImage(
  tx: Kysely<Tables>,
  call: PutImageCall,
  budgets: Budgets,
): Promise<PutOutcome> {
  const [linked, present] = await Promise.all([
    findLinked(tx, call.linkGuid ?? null),
    holdImage(tx, call.guid),
  ]);
  if (present !== undefined) {
    assertMayWrite(attemptOf(call, 'put', present.owner));
    assertNotRemoved(call.context.caller, present, IMAGE_RECORD);
  }
  const isRepeat = present !== undefined && saysNothingNew(call, present, linked);
  if (!isRepeat) assertMayLink(call.context.caller, linked.owner);
  await holdFiles(tx, [call.file.hash, ...(present === undefined ? [] : [present.hash])]);
  const entered = await enterFile(tx, call.file, call.at);
  if (entered.kind === 'again' || isRepeat) return entered;
  if (present === undefined) {
    await create(tx, call, linked, budgets);
    return entered;
  }
  const released = await replace(tx, call, present, linked, budgets);
  return { kind: 'done', unused: [...entered.unused, ...released] };
}

const nameOf = (guid: string): string => `images ${guid}`;

/** Returns the image with a key, if it exists, and locks the key until the write ends. */
function holdImage(tx: Kysely<Tables>, guid: string) {
  lockName(tx, nameOf(guid));
  return lockImage.first(tx, { guid });
}

/**
 * As {@link putImage}, for a call that found neither its image nor its file. It needs no query
 * results, so everything is sent with the commit.
 * @throws an error that {@link isUniqueViolation} recognises if one of them has been created since;
 *   then call {@link putImage}.
 */
export async function putNewImage(
  tx: Kysely<Tables>,
  call: PutImageCall,
  stored: StoredImage,
  budgets: Budgets,
): Promise<PutOutcome> {
  const linked = await findLinked(tx, call.linkGuid ?? null);
  assertMayLink(call.context.caller, linked.owner);
  lockName(tx, nameOf(call.guid));
  insertNewFile.send(tx, rowOfFile(call.file, stored, call.at));
  await create(tx, call, linked, budgets);
  return { kind: 'done', unused: [] };
}

/** @throws {Ws01Error} `RateLimited` */
async function create(
  tx: Kysely<Tables>,
  call: PutImageCall,
  linked: LinkedRecord,
  budgets: Budgets,
): Promise<void> {
  const { context, guid, at, origin } = call;
  const owner =
    context.caller.kind === 'user' ? context.caller.userId : (linked.owner ?? undefined);
  const attributes = attributesOf(call, linked, undefined);
  insertImage.send(tx, { guid, owner: owner ?? null, ...attributes, created_at: at });
  await budgets.spendOnChange(tx, context.caller, { posts: 1, imageBytes: call.file.bytes }, at);
  indexNewImage(tx, { guid, ...attributes });
  await recordPosting(tx, { kind: 'image', key: guid, userId: owner, address: origin.address, at });
  await auditImage(tx, call, 'create', { hash: attributes.hash, linkGuid: attributes.link_guid });
  await changeTotals(tx, guid, listedTotals(attributes, undefined));
}

/**
 * Writes what has changed.
 * @returns the names of stored files that are no longer used.
 */
async function replace(
  tx: Kysely<Tables>,
  call: PutImageCall,
  present: Selectable<ImagesTable>,
  linked: LinkedRecord,
  budgets: Budgets,
): Promise<readonly string[]> {
  const attributes = attributesOf(call, linked, present);
  const otherFile = present.hash !== attributes.hash;
  const added = otherFile ? { imageBytes: call.file.bytes } : {};
  await budgets.spendOnChange(tx, call.context.caller, added, call.at);
  updateImage.send(tx, { guid: call.guid, ...attributes, updated_at: call.at });
  await indexImage(tx, {
    id: present.id,
    guid: call.guid,
    ...attributes,
    captions: linked.captions,
  });
  await auditImage(tx, call, otherFile ? 'replace' : 'update', {
    hash: present.hash,
    linkGuid: present.link_guid,
    isIcon: present.is_icon === 1,
    ...earlierWriter(present),
  });
  const unused = otherFile ? await releaseFile(tx, present.hash, call.at) : [];
  await changeTotals(tx, call.guid, listedTotals(attributes, present));
  return unused;
}

/**
 * Whether the image already is as the call says. If its record now belongs to another user, it is
 * not an icon, whatever a repeated call says.
 */
function saysNothingNew(
  call: PutImageCall,
  present: Selectable<ImagesTable>,
  linked: LinkedRecord,
): boolean {
  const isIcon = toFlag(call.isIcon && !isForeignLink(call.context.caller, linked.owner));
  const isFile = present.removed_at === null && present.hash === call.file.hash;
  const isLinked = present.link_guid === (call.linkGuid ?? null) && present.is_icon === isIcon;
  return isFile && isLinked && present.category === call.category;
}

function attributesOf(
  { guid, linkGuid, category, isIcon, file, origin, context, at }: PutImageCall,
  linked: LinkedRecord,
  present: Selectable<ImagesTable> | undefined,
): ImageAttributes {
  const own = ownVisibility({ held_at: present?.held_at ?? null, removed_at: null });
  return {
    hash: file.hash,
    bytes: file.bytes,
    link_guid: linkGuid ?? null,
    linked_category: linked.category,
    category,
    category_key: optionalCategoryKey(category),
    category_order: sortKeyOf(category),
    is_icon: toFlag(isIcon),
    icon_at: isIcon ? (present?.icon_at ?? at) : null,
    visibility: leastVisible(own, linked.visibility),
    ip: origin.address,
    claimed_ip: origin.claimed ?? null,
    token_id: context.caller.tokenId ?? null,
    search_text: searchTextOf({ guid, category, captions: linked.captions }),
  };
}
