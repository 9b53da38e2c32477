import type { ArticleContent, ArticleWriter } from '../../store/tables/tables.ts';
import { bytesOfTexts } from '../shared/bytes-of-texts.ts';
import { isSeen } from '../values/unseen.ts';

/** The columns of an article's content, in the order of the table. */
export const CONTENT_COLUMNS = [
  'caption',
  'content',
  'category_key',
  'contact_phone',
  'pinned_until',
  'icon_guid',
  'status',
  'from_url',
] as const satisfies readonly (keyof ArticleContent)[];

/** The columns of its writer. */
export const WRITER_COLUMNS = [
  'ip',
  'claimed_ip',
  'token_id',
] as const satisfies readonly (keyof ArticleWriter)[];

/** The content where a call gives none. */
export const EMPTY_CONTENT: ArticleContent = {
  caption: '',
  content: '',
  category_key: null,
  contact_phone: '',
  pinned_until: null,
  icon_guid: null,
  status: 0,
  from_url: '',
};

/** Whether an article has a caption or content that shows something (semantics 5.1). */
export function hasContent({
  caption,
  content,
}: Pick<ArticleContent, 'caption' | 'content'>): boolean {
  return isSeen(caption) || isSeen(content);
}

/** Whether two contents are the same, column by column. */
export function isSameContent(one: ArticleContent, other: ArticleContent): boolean {
  return CONTENT_COLUMNS.every((column) => one[column] === other[column]);
}

/** The bytes of its texts, in UTF-8. */
export function textBytesOf(article: ArticleContent): number {
  return bytesOfTexts(CONTENT_COLUMNS.map((column) => article[column]));
}

/**
 * The statuses of articles that are not public: draft, pending and hidden. All others are
 * published.
 */
const UNPUBLISHED: ReadonlySet<number> = new Set([1, 2, 3]);

/** Whether an article is published by its author's word (semantics 5.1). */
export function isPublished({ status }: Pick<ArticleContent, 'status'>): boolean {
  return !UNPUBLISHED.has(status);
}

/** How many bytes the revisions of one article, and of all articles of one owner, may take. */
export interface RevisionLimits {
  readonly perArticle: number;
  readonly perOwner: number;
}
