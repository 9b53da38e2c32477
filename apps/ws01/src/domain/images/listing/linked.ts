import type { AliasedRawBuilder, Compilable, Kysely } from 'kysely';
import { type PreparedQuery, prepare } from '../../../store/prepared.ts';
import { lockName, lockNameOfRow } from '../../../store/row-lock.ts';
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
import { words } from '../../../store/words.ts';
import { isPublished } from '../../articles/content.ts';
import { isPublic } from '../../shared/moderated.ts';
import { setIcon } from '../rows.ts';
import { indexImage } from './search.ts';
import { changeTotals, listedTotals } from './totals.ts';

/** The data that an image takes from the record it is linked to. */
export interface LinkedRecord {
  readonly owner: string | null;
  /** The category and the captions of the public parts. */
  readonly category: string | null;
  readonly captions: readonly string[];
  /** Who may see an image of this record. */
  readonly visibility: Visibility;
}

export const NO_RECORD: LinkedRecord = {
  owner: null,
  category: null,
  captions: [],
  visibility: VISIBILITY.listed,
};

/**
 * Returns the data of the article or advert with a key. If both exist, the article decides about
 * owner and category, both captions are searchable, and the more public one decides about
 * visibility. A non-public article has its owner, but no caption. The key is locked until the write
 * ends, whether the record exists or not, so the result stays valid.
 */
export async function findLinked(tx: Kysely<Tables>, guid: string | null): Promise<LinkedRecord> {
  if (guid === null) return NO_RECORD;
  lockLink(tx, guid);
  return linkedOf(
    ...(await Promise.all([linkedArticle.first(tx, { guid }), linkedAdvert.first(tx, { guid })])),
  );
}

/**
 * As {@link findLinked} for many keys that nobody else is writing; keys without a record are left
 * out.
 */
export async function findAllLinked(
  tx: Kysely<Tables>,
  guids: readonly string[],
): Promise<ReadonlyMap<string, LinkedRecord>> {
  if (guids.length === 0) return new Map();
  const articles = await tx
    .selectFrom('articles')
    .select(words('guid owner category_key caption status deleted_at held_at removed_at'))
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
  return new Map(
    found.map((guid) => [guid, linkedOf(articleByGuid.get(guid), advertByGuid.get(guid))]),
  );
}

type ShownArticle = LinkedArticle & Pick<ArticlesTable, 'owner' | 'category_key' | 'caption'>;
type ShownAdvert = Moderated & Pick<AdvertsTable, 'owner' | 'category_key' | 'title'>;

/** Combines the article and the advert with the key that an image is linked to. */
function linkedOf(
  article: ShownArticle | undefined,
  advert: ShownAdvert | undefined,
): LinkedRecord {
  if (article === undefined && advert === undefined) return NO_RECORD;
  const ofArticle = article && articleVisibility(article);
  const ofAdvert = advert && ownVisibility(advert);
  const shownArticle = ofArticle === VISIBILITY.listed ? article : undefined;
  const shownAdvert = ofAdvert === VISIBILITY.listed ? advert : undefined;
  return {
    owner: (article ?? advert)?.owner ?? null,
    category: shownArticle?.category_key ?? shownAdvert?.category_key ?? null,
    captions: [shownArticle?.caption, shownAdvert?.title].filter(
      (caption) => caption !== undefined,
    ),
    visibility: Math.min(
      ofArticle ?? VISIBILITY.withdrawn,
      ofAdvert ?? VISIBILITY.withdrawn,
    ) as Visibility,
  };
}

/** Returns the owner of the record with a key; `null` without an owner or a record. */
export async function ownerOfLink(db: Kysely<Tables>, guid: string): Promise<string | null> {
  const record =
    (await linkedArticle.first(db, { guid })) ?? (await linkedAdvert.first(db, { guid }));
  return record?.owner ?? null;
}

/** Returns who may see a record or an image by its moderation state. */
export function ownVisibility(record: Moderated): Visibility {
  return isPublic(record) ? VISIBILITY.listed : VISIBILITY.withdrawn;
}

/** Returns the stricter visibility: an image of a record needs both. */
export function leastVisible(one: Visibility, other: Visibility): Visibility {
  return Math.max(one, other) as Visibility;
}

type LinkedArticle = Moderated & { readonly status: number; readonly deleted_at: number | null };

function articleVisibility(article: LinkedArticle): Visibility {
  const hidden = article.deleted_at !== null || !isPublished(article);
  return leastVisible(ownVisibility(article), hidden ? VISIBILITY.unlisted : VISIBILITY.listed);
}

/**
 * Updates the search terms, category and visibility of the images of a record. Writers of articles
 * and adverts use {@link refreshingImages}, which calls it.
 *
 * @param images the images of the record, locked.
 * @param occasion `created` for a new record: images that others linked to its key before are not
 *   its icons (semantics 5.5), except those of service tokens.
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
    const isStrangers =
      image.owner !== null && image.owner !== linked.owner && image.linked_by === 'user';
    const is_icon = occasion === 'created' && isStrangers ? 0 : image.is_icon;
    if (is_icon !== image.is_icon)
      await setIcon.run(tx, { guid: image.guid, is_icon, icon_at: null });
    setLinked.send(tx, { id: image.id, linked_category: linked.category, visibility });
    await indexImage(tx, { ...image, visibility, captions: linked.captions });
    await changeTotals(tx, image.guid, listedTotals({ visibility, is_icon }, image));
  }
}

/** A query that changes one article or advert, and then its images. */
export interface RefreshingQuery<Params> {
  /** @returns whether it changed the record; otherwise its images stay unchanged. */
  run(tx: Kysely<Tables>, params: Params): Promise<boolean>;
  /** As {@link run} for an existing record that is locked, as are its images. */
  change(tx: Kysely<Tables>, params: Params, images: readonly LinkedImage[]): Promise<void>;
}

/**
 * Wraps a query that creates an article or advert, or changes what its images depend on (caption,
 * category, status, trash, moderation), so that it also refreshes them. No caller has to remember
 * it.
 * @param occasion see {@link refreshLinkedImages}.
 */
export function refreshingImages<Params extends { readonly guid: string }>(
  build: (db: Kysely<Tables>, params: Params) => Compilable & Returning,
  occasion?: 'created',
): RefreshingQuery<Params> {
  const query = prepare((db, params: Params) => build(db, params).$call(lockNameOfRow(db, LINK)));
  return {
    run: async (tx, params) => {
      const [changed, images] = await Promise.all([
        query.run(tx, params),
        imagesOfLink.all(tx, { link_guid: params.guid }),
      ]);
      if (changed === 0) return false;
      await refreshLinkedImages(tx, params.guid, images, occasion);
      return true;
    },
    change: async (tx, params, images) => {
      query.send(tx, params);
      await refreshLinkedImages(tx, params.guid, images, occasion);
    },
  };
}

interface Returning {
  $call<T>(change: (query: this) => T): T;
  returning(lock: AliasedRawBuilder<unknown, 'lock'>): unknown;
}

/** Takes the lock that serializes writes of an image and of the record it is linked to. */
export function lockLink(tx: Kysely<Tables>, guid: string): void {
  lockName(tx, `${LINK}${guid}`);
}

const LINK = 'image link ';

/**
 * Returns the images that are linked to a key. Until the write ends nobody else can link images to
 * it or change its record.
 */
export function holdLinkedImages(tx: Kysely<Tables>, linkGuid: string): Promise<LinkedImage[]> {
  lockLink(tx, linkGuid);
  return imagesOfLink.all(tx, { link_guid: linkGuid });
}

/** The parts of an image that depend on its record. */
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
  db
    .selectFrom('adverts')
    .select(['owner', 'category_key', 'title', 'held_at', 'removed_at'])
    .where('guid', '=', guid),
);

/** If the token is unknown, the image counts as linked by its owner. */
const imagesOfLink: PreparedQuery<{ link_guid: string }, LinkedImage> = prepare(
  (db, row: { link_guid: string }) =>
    db
      .selectFrom('images')
      .leftJoin('tokens', 'tokens.id', 'images.token_id')
      .select(words('images.id guid owner category is_icon visibility held_at removed_at'))
      .select((eb) => eb.fn.coalesce('tokens.kind', eb.val<'user'>('user')).as('linked_by'))
      .where('link_guid', '=', row.link_guid),
);

const setLinked = prepare(
  (db, row: { id: number; linked_category: string | null; visibility: Visibility }) =>
    db
      .updateTable('images')
      .set({ linked_category: row.linked_category, visibility: row.visibility })
      .where('id', '=', row.id),
);
