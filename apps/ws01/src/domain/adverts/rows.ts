import { sql } from 'kysely';
import { columns, prepare } from '../../store/prepared.ts';
import { lockRows } from '../../store/row-lock.ts';
import type { AdvertContent, AdvertsTable, Instant, Moderated } from '../../store/tables/tables.ts';
import { refreshingImages } from '../images/listing/linked.ts';

/** The prepared queries that create adverts. Each runs inside a write. */

/** Public adverts, written exactly as in the indexes. */
export const PUBLIC = sql<boolean>`held_at is null and removed_at is null`;

/** The columns of an advert's content. */
export const CONTENT_COLUMNS = [
  'title',
  'detail',
  'link_txt',
  'link_url',
  'deadline',
  'category_key',
  'is_image',
  'img_guid',
] as const satisfies readonly (keyof AdvertContent)[];

/** The columns of an advert's content, as both statements that write it set them. */
const contentOf = (row: AdvertContent) => columns(row, ...CONTENT_COLUMNS);

/** A new advert. */
type NewAdvert = Omit<AdvertsTable, 'updated_at' | 'search_id' | keyof Moderated>;

/** Inserts the advert, unless its key or its retry key is in use. */
export const insertAdvert = refreshingImages(
  (db, row: NewAdvert) =>
    db
      .insertInto('adverts')
      .values({
        guid: row.guid,
        owner: row.owner,
        ...contentOf(row),
        created_at: row.created_at,
        updated_at: row.created_at,
        ...columns(row, 'title_key search_text ip retry_key'),
      })
      .onConflict((conflict) => conflict.doNothing()),
  'created',
);

/** Returns the owner and content of an advert. */
export const advertByGuid = prepare((db, { guid }: Pick<AdvertsTable, 'guid'>) =>
  db.selectFrom('adverts').select('owner').select(CONTENT_COLUMNS).where('guid', '=', guid),
);

/** Returns the key of the advert with a retry key. */
export const guidByRetryKey = prepare((db, { retryKey }: { retryKey: Uint8Array }) =>
  db.selectFrom('adverts').select('guid').where('retry_key', '=', retryKey),
);

/** Clears a retry key that an advert has had since `before` or longer. */
export const releaseRetryKey = prepare(
  (db, { retryKey, before }: { retryKey: Uint8Array; before: Instant }) =>
    db
      .updateTable('adverts')
      .set({ retry_key: null })
      .where('retry_key', '=', retryKey)
      .where('created_at', '<=', before),
);

/** Returns the owner and content of an advert, locked until the write ends. */
export const lockAdvert = prepare((db, { guid }: Pick<AdvertsTable, 'guid'>) =>
  db
    .selectFrom('adverts')
    .select('owner')
    .select(CONTENT_COLUMNS)
    .where('guid', '=', guid)
    .$call(lockRows(db)),
);

type AdvertUpdate = AdvertContent &
  Pick<AdvertsTable, 'guid' | 'title_key' | 'search_text' | 'updated_at'>;

/** Gives an advert another content. */
export const updateAdvert = refreshingImages((db, row: AdvertUpdate) =>
  db
    .updateTable('adverts')
    .set({
      ...contentOf(row),
      ...columns(row, 'title_key search_text updated_at'),
    })
    .where('guid', '=', row.guid),
);

/** Sets the moderation state of an advert. */
export const setAdvertModeration = refreshingImages(
  (db, row: Pick<AdvertsTable, 'guid'> & Moderated) =>
    db
      .updateTable('adverts')
      .set({ held_at: row.held_at, removed_at: row.removed_at })
      .where('guid', '=', row.guid),
);

/** Sets the number of an advert in the text index. Its images do not depend on it. */
export const setSearchId = prepare((db, row: Pick<AdvertsTable, 'guid' | 'search_id'>) =>
  db.updateTable('adverts').set({ search_id: row.search_id }).where('guid', '=', row.guid),
);

/**
 * Sets the folded text of an advert whose text is still the one before. Its images do not depend on
 * it.
 */
export const setSearchText = prepare(
  (db, row: Pick<AdvertsTable, 'guid' | 'search_text'> & { readonly before: string }) =>
    db
      .updateTable('adverts')
      .set({ search_text: row.search_text })
      .where('guid', '=', row.guid)
      .where('search_text', '=', row.before)
      .returning(['owner', 'search_id']),
);

/** Deletes an advert; returns its number in the text index. */
export const deleteAdvertRow = prepare((db, { guid }: Pick<AdvertsTable, 'guid'>) =>
  db.deleteFrom('adverts').where('guid', '=', guid).returning('search_id'),
);
