import { type Kysely, sql } from 'kysely';
import { Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import { columns, prepare } from '../../store/prepared.ts';
import { lockRows } from '../../store/row-lock.ts';
import type {
  ArticleContent,
  ArticlesTable,
  ArticleWriter,
  Instant,
  Moderated,
  Tables,
} from '../../store/tables/tables.ts';
import {
  holdLinkedImages,
  type LinkedImage,
  refreshingImages,
  refreshLinkedImages,
} from '../images/listing/linked.ts';
import { CONTENT_COLUMNS, isPublished, WRITER_COLUMNS } from './content.ts';

/** The prepared queries of articles. Each runs inside a write. */

type ArticleKey = Pick<ArticlesTable, 'guid'>;
type NewArticle = Omit<
  ArticlesTable,
  'updated_at' | 'deleted_at' | 'revision' | 'revision_bytes' | keyof Moderated
>;

/** The columns that a call writes: the content, and who wrote it. */
const writtenBy = (row: ArticleContent & ArticleWriter) =>
  columns(row, ...CONTENT_COLUMNS, ...WRITER_COLUMNS);

/** Inserts the article, unless its key is in use. */
export const insertArticle = refreshingImages(
  (db, row: NewArticle) =>
    db
      .insertInto('articles')
      .values({
        guid: row.guid,
        owner: row.owner,
        ...writtenBy(row),
        created_at: row.created_at,
        updated_at: row.created_at,
        deleted_at: null,
        revision: 1,
        revision_bytes: 0,
      })
      .onConflict((conflict) => conflict.column('guid').doNothing()),
  'created',
);

/** Returns the whole article and locks it until the write ends. */
export const lockArticle = prepare((db, key: ArticleKey) =>
  db
    .selectFrom('articles')
    .select(CONTENT_COLUMNS)
    .select(['owner', 'deleted_at', 'removed_at', 'revision', 'revision_bytes'])
    .where('guid', '=', key.guid)
    .$call(lockRows(db)),
);

/**
 * Returns the article with its images, all locked until the write ends.
 * @throws {Ws01Error} `NotFound`; `InvalidParameter` for an article in the trash.
 */
export async function lockStandingArticle(tx: Kysely<Tables>, guid: string) {
  const [present, images] = await Promise.all([
    lockArticle.first(tx, { guid }),
    holdLinkedImages(tx, guid),
  ]);
  if (present === undefined)
    throw new Ws01Error(
      'NotFound',
      say`There is no ${{ kind: 'article' }} with the key ${{ key: guid }}.`,
    );
  if (present.deleted_at !== null) {
    throw new Ws01Error(
      'InvalidParameter',
      say`The article ${{ key: guid }} is in the trash; restore it first.`,
    );
  }
  return [present, images] as const;
}

/** Returns the article without its texts and locks it until the write ends. */
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

/** What a revision takes besides its texts, roughly; bytes. */
export const ROW_BYTES = 512;

/**
 * What a content takes as a revision, without reading it: both engines know the length of what they
 * store apart.
 */
export const bytesOfRevision = (table: 'articles' | 'article_revisions') =>
  sql<number>`(octet_length(${sql.ref(`${table}.caption`)}) + octet_length(${sql.ref(`${table}.content`)}) + ${sql.lit(ROW_BYTES)})`;

/** Sets what the revisions of an article take. */
export const countRevisions = prepare((db, row: ArticleKey & { readonly bytes: number }) =>
  db.updateTable('articles').set({ revision_bytes: row.bytes }).where('guid', '=', row.guid),
);

/** Forgets what the revisions of an article take: its next change counts them. */
export async function uncountRevisions(tx: Kysely<Tables>, guid: string): Promise<void> {
  await tx.updateTable('articles').set({ revision_bytes: null }).where('guid', '=', guid).execute();
}

/** The columns that its images depend on. */
type Shown = Pick<ArticlesTable, 'caption' | 'category_key' | 'status' | 'deleted_at'>;

/**
 * Writes new content with the next revision number, and takes the article out of the trash.
 * @param before the article until now: images are refreshed only if what they depend on has
 *   changed.
 * @param images the article's images, locked.
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
      ...writtenBy(row),
      updated_at: row.updated_at,
      deleted_at: null,
      removed_at: null,
      revision: eb('revision', '+', 1),
      // Of what has become a revision; what is not counted yet stays so.
      revision_bytes: sql<
        number | null
      >`${sql.ref('revision_bytes')} + ${bytesOfRevision('articles')}`,
    }))
    .where('guid', '=', row.guid),
);

type Trash = Pick<ArticlesTable, 'deleted_at' | 'removed_at' | 'updated_at'>;

/**
 * Moves the article to the trash (`deleted_at` set), possibly as a moderator, or out of it (both
 * `null`).
 */
export const setTrash = refreshingImages((db, row: ArticleKey & Trash) =>
  db
    .updateTable('articles')
    .set({ deleted_at: row.deleted_at, removed_at: row.removed_at, updated_at: row.updated_at })
    .where('guid', '=', row.guid),
);

type Moderation = Moderated & Pick<ArticlesTable, 'deleted_at' | 'updated_at'>;

/** Sets the moderation state of an article. */
export const setArticleModeration = refreshingImages((db, row: ArticleKey & Moderation) =>
  db
    .updateTable('articles')
    .set(columns(row, 'held_at removed_at deleted_at updated_at'))
    .where('guid', '=', row.guid),
);

export const setPinnedUntil = prepare(
  (db, row: ArticleKey & Pick<ArticlesTable, 'pinned_until' | 'updated_at'>) =>
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

/**
 * Returns articles that have been in the trash since `before` or longer, oldest first, and locks
 * them until the write ends.
 */
export const trashed = prepare((db, limits: { before: Instant; most: number }) =>
  db
    .selectFrom('articles')
    .select(['guid', 'revision', 'created_at', ...WRITER_COLUMNS])
    .where('deleted_at', '<=', limits.before)
    .orderBy('deleted_at')
    .limit(limits.most)
    .$call(lockRows(db)),
);

/** As {@link trashed}, for one article, in the trash or not. */
export const lockForPurge = prepare((db, key: ArticleKey) =>
  db
    .selectFrom('articles')
    .select(['guid', 'revision', 'created_at', 'deleted_at', ...WRITER_COLUMNS])
    .where('guid', '=', key.guid)
    .$call(lockRows(db)),
);
/** Returns who wrote articles, and locks them until the write ends. */
export function lockArticles(tx: Kysely<Tables>, guids: readonly string[]) {
  return tx
    .selectFrom('articles')
    .select(['guid', 'revision', 'created_at', ...WRITER_COLUMNS])
    .where('guid', 'in', guids)
    .orderBy('guid')
    .$call(lockRows(tx))
    .execute();
}

/** Returns who wrote the revisions of articles, first to last. */
export function revisionWriters(tx: Kysely<Tables>, guids: readonly string[]) {
  return tx
    .selectFrom('article_revisions')
    .select(['article_guid as guid', 'revision', 'recorded_at', ...WRITER_COLUMNS])
    .where('article_guid', 'in', guids)
    .orderBy('article_guid')
    .orderBy('revision')
    .execute();
}

/** Deletes articles permanently with their revisions. */
export async function deleteArticles(tx: Kysely<Tables>, guids: readonly string[]): Promise<void> {
  await tx.deleteFrom('articles').where('guid', 'in', guids).execute();
}
