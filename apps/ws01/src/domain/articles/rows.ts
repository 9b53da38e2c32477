import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import { lockRows } from '../../store/row-lock.ts';
import type {
  ArticleContent,
  ArticlesTable,
  ArticleWriter,
  Instant,
  Moderated,
  Tables,
} from '../../store/tables/tables.ts';
import { type LinkedImage, refreshingImages, refreshLinkedImages } from '../images/listing/linked.ts';
import { CONTENT_COLUMNS, isPublished, WRITER_COLUMNS } from './content.ts';

/** The prepared queries of articles. Each runs inside a write. */

type ArticleKey = Pick<ArticlesTable, 'guid'>;
type NewArticle = Omit<ArticlesTable, 'updated_at' | 'deleted_at' | 'revision' | keyof Moderated>;

/** Creates the article, unless its key is in use. */
export const insertArticle = refreshingImages(
  (db, row: NewArticle) =>
    db
      .insertInto('articles')
      .values({
        guid: row.guid,
        owner: row.owner,
        caption: row.caption,
        content: row.content,
        category_key: row.category_key,
        contact_phone: row.contact_phone,
        pinned_until: row.pinned_until,
        icon_guid: row.icon_guid,
        status: row.status,
        from_url: row.from_url,
        ip: row.ip,
        claimed_ip: row.claimed_ip,
        token_id: row.token_id,
        created_at: row.created_at,
        updated_at: row.created_at,
        deleted_at: null,
        revision: 1,
      })
      .onConflict((conflict) => conflict.column('guid').doNothing()),
  'created',
);

/** The whole article, held until the write ends. */
export const lockArticle = prepare((db, key: ArticleKey) =>
  db
    .selectFrom('articles')
    .select(CONTENT_COLUMNS)
    .select(['owner', 'deleted_at', 'removed_at', 'revision'])
    .where('guid', '=', key.guid)
    .$call(lockRows(db)),
);

/** The article without its texts, held until the write ends. */
export const lockArticleState = prepare((db, key: ArticleKey) =>
  db
    .selectFrom('articles')
    .select(['owner', 'deleted_at', 'removed_at', 'pinned_until', 'category_key'])
    .where('guid', '=', key.guid)
    .$call(lockRows(db)),
);

/** Copies the current content to a revision, with its author, inside the database. */
export const keepRevision = prepare((db, row: ArticleKey & { recorded_at: Instant }) =>
  db
    .insertInto('article_revisions')
    .columns(['article_guid', 'revision', ...CONTENT_COLUMNS, ...WRITER_COLUMNS, 'recorded_at'])
    .expression((eb) =>
      eb
        .selectFrom('articles')
        .select(['guid', 'revision', ...CONTENT_COLUMNS, ...WRITER_COLUMNS])
        .select((value) => value.val(row.recorded_at).as('recorded_at'))
        .where('guid', '=', row.guid),
    ),
);

/** Of an article: what its images depend on. */
type Shown = Pick<ArticlesTable, 'caption' | 'category_key' | 'status' | 'deleted_at'>;

/**
 * Gives the article another content, by another call, and its next revision number, and takes it out of the trash.
 * @param before as it was until now: its images are refreshed only when what they depend on changes.
 * @param images those of the article, held.
 */
export async function replaceContent(
  tx: Kysely<Tables>,
  row: ContentUpdate,
  before: Shown,
  images: readonly LinkedImage[],
): Promise<void> {
  updateContent.send(tx, row);
  const isShownAlike =
    before.deleted_at === null &&
    before.caption === row.caption &&
    before.category_key === row.category_key &&
    isPublished(before) === isPublished(row);
  if (!isShownAlike) await refreshLinkedImages(tx, row.guid, images);
}

type ContentUpdate = ArticleKey & ArticleContent & ArticleWriter & { readonly updated_at: Instant };

const updateContent = prepare((db, row: ContentUpdate) =>
  db
    .updateTable('articles')
    .set((eb) => ({
      caption: row.caption,
      content: row.content,
      category_key: row.category_key,
      contact_phone: row.contact_phone,
      pinned_until: row.pinned_until,
      icon_guid: row.icon_guid,
      status: row.status,
      from_url: row.from_url,
      ip: row.ip,
      claimed_ip: row.claimed_ip,
      token_id: row.token_id,
      updated_at: row.updated_at,
      deleted_at: null,
      removed_at: null,
      revision: eb('revision', '+', 1),
    }))
    .where('guid', '=', row.guid),
);

type Trash = Pick<ArticlesTable, 'deleted_at' | 'removed_at' | 'updated_at'>;

/** Moves the article to the trash (`deleted_at` an instant), perhaps as a moderator, or out of it (both `null`). */
export const setTrash = refreshingImages((db, row: ArticleKey & Trash) =>
  db
    .updateTable('articles')
    .set({ deleted_at: row.deleted_at, removed_at: row.removed_at, updated_at: row.updated_at })
    .where('guid', '=', row.guid),
);

type Moderation = Moderated & Pick<ArticlesTable, 'deleted_at' | 'updated_at'>;

/** What a moderator decides of the article. */
export const setArticleModeration = refreshingImages((db, row: ArticleKey & Moderation) =>
  db
    .updateTable('articles')
    .set({ held_at: row.held_at, removed_at: row.removed_at, deleted_at: row.deleted_at, updated_at: row.updated_at })
    .where('guid', '=', row.guid),
);

export const setPinnedUntil = prepare((db, row: ArticleKey & Pick<ArticlesTable, 'pinned_until' | 'updated_at'>) =>
  db
    .updateTable('articles')
    .set({ pinned_until: row.pinned_until, updated_at: row.updated_at })
    .where('guid', '=', row.guid),
);

export const setCategory = refreshingImages(
  (db, row: ArticleKey & Pick<ArticlesTable, 'category_key' | 'updated_at'>) =>
    db
      .updateTable('articles')
      .set({ category_key: row.category_key, updated_at: row.updated_at })
      .where('guid', '=', row.guid),
);

/** Articles that have been in the trash since `before` or longer, the oldest first, held until the write ends. */
export const trashed = prepare((db, limits: { before: Instant; most: number }) =>
  db
    .selectFrom('articles')
    .select(['guid', 'revision', 'created_at', ...WRITER_COLUMNS])
    .where('deleted_at', '<=', limits.before)
    .orderBy('deleted_at')
    .limit(limits.most)
    .$call(lockRows(db)),
);

/** The same of one article, wherever it is. */
export const lockForPurge = prepare((db, key: ArticleKey) =>
  db
    .selectFrom('articles')
    .select(['guid', 'revision', 'created_at', 'deleted_at', ...WRITER_COLUMNS])
    .where('guid', '=', key.guid)
    .$call(lockRows(db)),
);
/** Articles as far as they tell who wrote them, held until the write ends. */
export function lockArticles(tx: Kysely<Tables>, guids: readonly string[]) {
  return tx
    .selectFrom('articles')
    .select(['guid', 'revision', 'created_at', ...WRITER_COLUMNS])
    .where('guid', 'in', guids)
    .orderBy('guid')
    .$call(lockRows(tx))
    .execute();
}

/** Who wrote the earlier contents of articles, from the first to the last of each. */
export function revisionWriters(tx: Kysely<Tables>, guids: readonly string[]) {
  return tx
    .selectFrom('article_revisions')
    .select(['article_guid as guid', 'revision', 'recorded_at', ...WRITER_COLUMNS])
    .where('article_guid', 'in', guids)
    .orderBy('article_guid')
    .orderBy('revision')
    .execute();
}

/** Removes articles permanently, with their revisions. */
export async function deleteArticles(tx: Kysely<Tables>, guids: readonly string[]): Promise<void> {
  await tx.deleteFrom('articles').where('guid', 'in', guids).execute();
}
