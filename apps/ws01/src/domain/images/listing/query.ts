import { type Expression, type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { contains } from '../../../store/contains.ts';
import type { Tables } from '../../../store/tables/tables.ts';
import { hasTerms } from '../../../store/text-index.ts';
import { nameOfOrder, type Order, type OrderFields } from '../../shared/list-order.ts';
import { termsOfWords } from '../../shared/search-terms.ts';
import type { PageRequest } from '../../values/paging.ts';

/** The sort orders: newest or largest first, categories from A to Z. */
export const IMAGE_ORDERS = {
  created: 'desc',
  size: 'desc',
  category: 'asc',
} as const satisfies OrderFields<string>;

/**
 * Icons can also be sorted by when they were marked: the newest is *the* icon of a record
 * (semantics 5.5).
 */
type OrderField = keyof typeof IMAGE_ORDERS | 'marked';
export type ImageOrder = Order<OrderField>;

/** The query of a list. */
export interface ImageQuery {
  /** Folded words that must all occur in category, key or linked caption; empty: all images. */
  readonly words: readonly string[];
  readonly linkGuid: string | undefined;
  readonly iconsOnly: boolean;
  /** The category of the image or of its record. */
  readonly category: string | undefined;
  readonly order: ImageOrder;
  readonly page: PageRequest;
}

const SORTED_BY: Readonly<
  Record<OrderField, 'created_at' | 'bytes' | 'category_order' | 'icon_at'>
> = {
  created: 'created_at',
  size: 'bytes',
  category: 'category_order',
  marked: 'icon_at',
};

export type Images<Row> = SelectQueryBuilder<Tables, 'images', Row>;

/** Condition for listed images, written exactly as in the indexes. */
export const LISTED = sql<boolean>`visibility = 0`;

/**
 * Up to this many images are read on the main thread, which takes some milliseconds; larger lists
 * use a scan. So does every search, because its cost depends on texts and query.
 */
export const FEW = 1_000;

/** The parameters of queries without words that have the same shape. */
export type ListParams = Pick<Required<ImageQuery>, 'linkGuid' | 'category'> & {
  readonly size: number;
  readonly offset: number;
  /** The position after the page. */
  readonly end: number;
};

export function paramsOf({ linkGuid, category, page }: ImageQuery): ListParams {
  return { linkGuid, category, size: page.size, offset: page.offset, end: page.offset + page.size };
}

/** Returns a query with parameters in place of its values. */
export function withParams(
  shape: ImageQuery,
  { linkGuid, category, size, offset }: ListParams,
): ImageQuery {
  return {
    ...shape,
    linkGuid: shape.linkGuid === undefined ? undefined : linkGuid,
    category: shape.category === undefined ? undefined : category,
    page: { index: 1, size, offset },
  };
}

export function nameOf({ linkGuid, category, iconsOnly, order, page }: ImageQuery): string {
  const filters = `${linkGuid !== undefined} ${category !== undefined} ${iconsOnly}`;
  return `${filters} ${page.offset < FEW} ${nameOfOrder(order)}`;
}

/**
 * How a search is executed: by an index of its filters, by its hits or, if there are many, in the
 * order of the list.
 */
export type SearchPlan = 'filters' | 'hits' | 'order';

export function matching(
  db: Kysely<Tables>,
  { words, linkGuid, iconsOnly, category }: ImageQuery,
  plan: SearchPlan,
): Images<object> {
  let query: Images<object> = db.selectFrom('images').where(LISTED);
  if (linkGuid !== undefined) query = query.where('link_guid', '=', linkGuid);
  if (iconsOnly) query = query.where(sql<boolean>`is_icon = 1`);
  if (category !== undefined) {
    query = query.where((eb) =>
      eb.or([eb('category_key', '=', category), eb('linked_category', '=', category)]),
    );
  }
  if (plan === 'hits')
    query = query.where(hasTerms(db, 'image_search', 'images.id', termsOfWords(words)));
  return words.reduce((narrowed, word) => narrowed.where(contains(db, 'search_text', word)), query);
}

/** Whether two indexes, one for each way to be in a category, answer a query. */
export function isCategoryAlone({ words, linkGuid, category, iconsOnly }: ImageQuery): boolean {
  return category !== undefined && words.length === 0 && linkGuid === undefined && !iconsOnly;
}

export function sorted({ field, direction }: ImageOrder) {
  return <DB, TB extends keyof DB, O>(
    query: SelectQueryBuilder<DB, TB, O>,
  ): SelectQueryBuilder<DB, TB, O> =>
    query
      .orderBy(sql.ref(`images.${SORTED_BY[field]}`), direction)
      .orderBy(sql.ref('images.guid'), direction);
}

/** What limits a query to a number of rows. */
export type Limit = (rows: number) => number | Expression<number>;

export function paged({ order, page }: ImageQuery, limit: Limit = (rows) => rows) {
  return <DB, TB extends keyof DB, O>(
    query: SelectQueryBuilder<DB, TB, O>,
  ): SelectQueryBuilder<DB, TB, O> =>
    query.$call(sorted(order)).limit(limit(page.size)).offset(page.offset);
}
