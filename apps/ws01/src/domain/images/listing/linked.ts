import type { AliasedRawBuilder, Compilable, Kysely } from 'kysely';
import { type PreparedQuery, prepare } from '../../../store/prepared.ts';
import { lockName, lockNameOfRow, locksByRows } from '../../../store/row-lock.ts';
import {
  type AdvertsTable,
  type ArticlesTable,
  type ImagesTable,
  type Moderated,
  type Tables,
  type TokensTable,
  VISIBILITY,
  type Visibility,
} from '../../../store/tables/tables.ts';
import { isPublished } from '../../articles/content.ts';
import { isPublic } from '../../shared/moderated.ts';
import { setIcon } from '../rows.ts';
import { indexImage } from './search.ts';
import { changeTotals, listedTotals } from './totals.ts';

/** What an image takes over from the record it belongs to. */
export interface LinkedRecord {
  readonly owner: string | null;
  /** Category and captions of what the public may see of it. */
  readonly category: string | null;
  readonly captions: readonly string[];
  /** Who may see an image for the record's sake. */
  readonly visibility: Visibility;
}

export const NO_RECORD: LinkedRecord = { owner: null, category: null, captions: [], visibility: VISIBILITY.listed };

/**
 * The article or the advert with a key; where there are both, the article's owner and category count and both captions
 * are found, and the more public one says who sees the images. What is no article for the public still has its owner, and
 * nothing that is shown. Until the write ends no other one changes what was found, be the record there already or not, so
 * that what is taken over of it is never out of date.
 */
export async function findLinked(tx: Kysely<Tables>, guid: string | null): Promise<LinkedRecord> {
  if (guid === null) return NO_RECORD;
  lockLink(tx, guid);
  return linkedOf(...(await Promise.all([linkedArticle.first(tx, { guid }), linkedAdvert.first(tx, { guid })])));
}

/** As {@link findLinked} for many keys at once, which nobody else may be writing; those of no record are left out. */
export async function findAllLinked(
  tx: Kysely<Tables>,
  guids: readonly string[],
): Promise<ReadonlyMap<string, LinkedRecord>> {
  if (guids.length === 0) return new Map();
  const articles = await tx
    .selectFrom('articles')
    .select(['guid', 'owner', 'category_key', 'caption', 'status', 'deleted_at', 'held_at', 'removed_at'])
    .where('guid', 'in', guids)
    .execute();
  const adverts = await tx
    .selectFrom('adverts')
    .select(['guid', 'owner', 'category_key', 'title', 'held_at', 'removed_at'])
    .where('guid', 'in', guids)
    .execute();
  const articleByGuid = new Map(articles.map((article) => [article.guid, article]));
  const advertByGuid = new Map(adverts.map((advert) => [advert.guid, advert]));
  const found = [...articleByGuid.keys(), ...advertByGuid.keys()];
  return new Map(found.map((guid) => [guid, linkedOf(articleByGuid.get(guid), advertByGuid.get(guid))]));
}

type ShownArticle = LinkedArticle & Pick<ArticlesTable, 'owner' | 'category_key' | 'caption'>;
type ShownAdvert = Moderated & Pick<AdvertsTable, 'owner' | 'category_key' | 'title'>;

/** What an image takes over from the article and the advert that have the key it is linked to. */
function linkedOf(article: ShownArticle | undefined, advert: ShownAdvert | undefined): LinkedRecord {
  if (article === undefined && advert === undefined) return NO_RECORD;
  const ofArticle = article && articleVisibility(article);
  const ofAdvert = advert && ownVisibility(advert);
  const shownArticle = ofArticle === VISIBILITY.listed ? article : undefined;
  const shownAdvert = ofAdvert === VISIBILITY.listed ? advert : undefined;
  return {
    owner: (article ?? advert)?.owner ?? null,
    category: shownArticle?.category_key ?? shownAdvert?.category_key ?? null,
    captions: [shownArticle?.caption, shownAdvert?.title].filter((caption) => caption !== undefined),
    visibility: Math.min(ofArticle ?? VISIBILITY.withdrawn, ofAdvert ?? VISIBILITY.withdrawn) as Visibility,
  };
}

/** Whose the record with a key is; `null` for nobody's and where there is none. */
export async function ownerOfLink(db: Kysely<Tables>, guid: string): Promise<string | null> {
  const record = (await linkedArticle.first(db, { guid })) ?? (await linkedAdvert.first(db, { guid }));
  return record?.owner ?? null;
}

/** Who may see a record, or an image, as far as moderators have a say in it. */
export function ownVisibility(record: Moderated): Visibility {
  return isPublic(record) ? VISIBILITY.listed : VISIBILITY.withdrawn;
}

/** An image of a record is visible to those who may see both. */
export function leastVisible(one: Visibility, other: Visibility): Visibility {
  return Math.max(one, other) as Visibility;
}

type LinkedArticle = Moderated & { readonly status: number; readonly deleted_at: number | null };

function articleVisibility(article: LinkedArticle): Visibility {
  const hidden = article.deleted_at !== null || !isPublished(article);
  return leastVisible(ownVisibility(article), hidden ? VISIBILITY.unlisted : VISIBILITY.listed);
}

/**
 * Makes the images of a record found by what it is called now, listed under its category, and seen by whoever may see it.
 * Whoever writes articles or adverts goes through {@link refreshingImages}; only what decides for itself calls this.
 *
 * @param images those of the record, held.
 * @param occasion `created` when the record has just come into being: images that others linked to its key before are no
 *   icons of it (semantics 5.5), but those that a trusted back end linked.
 */
export async function refreshLinkedImages(
  tx: Kysely<Tables>,
  linkGuid: string,
  images: readonly LinkedImage[],
  occasion: 'created' | 'changed' = 'changed',
): Promise<void> {
  if (images.length === 0) return;
  const linked = await findLinked(tx, linkGuid);
  for (const image of images) {
    const visibility = leastVisible(ownVisibility(image), linked.visibility);
    const isStrangers = image.owner !== null && image.owner !== linked.owner && image.linked_by === 'user';
    const is_icon = occasion === 'created' && isStrangers ? 0 : image.is_icon;
    if (is_icon !== image.is_icon) await setIcon.run(tx, { guid: image.guid, is_icon, icon_at: null });
    setLinked.send(tx, { id: image.id, linked_category: linked.category, visibility });
    await indexImage(tx, { ...image, visibility, captions: linked.captions });
    await changeTotals(tx, image.guid, listedTotals({ visibility, is_icon }, image));
  }
}

/** A query that changes one article or advert, and then the images that belong to it. */
export interface RefreshingQuery<Params> {
  /** @returns whether it changed the record; when it did not, images stay as they are. */
  run(tx: Kysely<Tables>, params: Params): Promise<boolean>;
  /** As {@link run} on a record that is there and held, as are its images. */
  change(tx: Kysely<Tables>, params: Params, images: readonly LinkedImage[]): Promise<void>;
}

/**
 * A query that creates an article or an advert, or changes what of it concerns its images (caption, category,
 * status, trash, what a moderator says), and refreshes them. So no caller has to remember it.
 * @param occasion see {@link refreshLinkedImages}.
 */
export function refreshingImages<Params extends { readonly guid: string }>(
  build: (db: Kysely<Tables>, params: Params) => Compilable & Returning,
  occasion?: 'created',
): RefreshingQuery<Params> {
  const query = prepare((db, params: Params) => build(db, params).$call(lockNameOfRow(db, LINK)));
  return {
    run: async (tx, params) => {
      if (locksByRows(tx)) lockLink(tx, params.guid);
      const [changed, images] = await Promise.all([
        query.run(tx, params),
        imagesOfLink.all(tx, { link_guid: params.guid }),
      ]);
      if (changed === 0) return false;
      await refreshLinkedImages(tx, params.guid, images, occasion);
      return true;
    },
    change: async (tx, params, images) => {
      if (locksByRows(tx)) lockLink(tx, params.guid);
      query.send(tx, params);
      await refreshLinkedImages(tx, params.guid, images, occasion);
    },
  };
}

interface Returning {
  $call<T>(change: (query: this) => T): T;
  returning(lock: AliasedRawBuilder<unknown, 'lock'>): unknown;
}

/** What a write of an image and one of the record it belongs to wait for each other by. */
export function lockLink(tx: Kysely<Tables>, guid: string): void {
  lockName(tx, `${LINK}${guid}`);
}

const LINK = 'image link ';

/** The images that are linked to a key; until the write ends no other one links more to it, or changes its record. */
export function holdLinkedImages(tx: Kysely<Tables>, linkGuid: string): Promise<LinkedImage[]> {
  lockLink(tx, linkGuid);
  return imagesOfLink.all(tx, { link_guid: linkGuid });
}

/** An image as far as its record concerns it. */
export interface LinkedImage
  extends Pick<ImagesTable, 'guid' | 'owner' | 'category' | 'is_icon' | 'held_at' | 'removed_at'> {
  readonly id: number;
  readonly visibility: Visibility;
  /** The kind of the token that linked it. */
  readonly linked_by: TokensTable['kind'];
}

const linkedArticle = prepare((db, { guid }: { guid: string }) =>
  db
    .selectFrom('articles')
    .select(['owner', 'category_key', 'caption', 'status', 'deleted_at', 'held_at', 'removed_at'])
    .where('guid', '=', guid),
);

const linkedAdvert = prepare((db, { guid }: { guid: string }) =>
  db.selectFrom('adverts').select(['owner', 'category_key', 'title', 'held_at', 'removed_at']).where('guid', '=', guid),
);

/** A token that is not known has linked as its image's owner. */
const imagesOfLink: PreparedQuery<{ link_guid: string }, LinkedImage> = prepare((db, row: { link_guid: string }) =>
  db
    .selectFrom('images')
    .leftJoin('tokens', 'tokens.id', 'images.token_id')
    .select(['images.id', 'guid', 'owner', 'category', 'is_icon', 'visibility', 'held_at', 'removed_at'])
    .select((eb) => eb.fn.coalesce('tokens.kind', eb.val<'user'>('user')).as('linked_by'))
    .where('link_guid', '=', row.link_guid),
);

const setLinked = prepare((db, row: { id: number; linked_category: string | null; visibility: Visibility }) =>
  db
    .updateTable('images')
    .set({ linked_category: row.linked_category, visibility: row.visibility })
    .where('id', '=', row.id),
);
