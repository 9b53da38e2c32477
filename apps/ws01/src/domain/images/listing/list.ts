import { type Kysely, type RawBuilder, sql } from 'kysely';
import { prepare } from '../../../store/prepared.ts';
import type { Store } from '../../../store/store.ts';
import type { ImageFilesTable, ImagesTable, Tables } from '../../../store/tables/tables.ts';
import { countWithTerms } from '../../../store/text-index.ts';
import { words } from '../../../store/words.ts';
import { perShape } from '../../shared/per-shape.ts';
import { termsOfWords } from '../../shared/search-terms.ts';
import type { PageRequest } from '../../values/paging.ts';
import { count, lengthOf } from './count.ts';
import {
  FEW,
  type ImageOrder,
  type ImageQuery,
  type Images,
  isCategoryAlone,
  LISTED,
  type Limit,
  type ListParams,
  matching,
  nameOf,
  paged,
  paramsOf,
  type SearchPlan,
  sorted,
  withParams,
} from './query.ts';

export type ListedImage = Pick<
  ImagesTable,
  | 'guid'
  | 'owner'
  | 'link_guid'
  | 'category'
  | 'is_icon'
  | 'hash'
  | 'bytes'
  | 'created_at'
  | 'updated_at'
> &
  Pick<ImageFilesTable, 'format' | 'served_format' | 'width' | 'height'>;

/**
 * Up to this many hits, a search starts from the hits; beyond, it reads images in the order of the
 * list.
 */
const FEW_HITS = 2_000;

/** Maximum number of index entries that the main thread skips. */
const NEAR = 10_000;

interface ImagePage {
  readonly rows: readonly ListedImage[];
  /** The length of the whole list. */
  readonly total: number;
}

/** Returns a page of images and the length of the list. */
export async function listImages(store: Store, query: ImageQuery): Promise<ImagePage> {
  const searches = query.words.length > 0;
  if (isOfFew(query) && !searches) {
    const page = await store.browse((db) => pageOfFew(db, query));
    if (page !== undefined) return page;
  }
  const isNear = !isOfFew(query) && !searches && query.page.offset <= NEAR;
  const list = async (db: Kysely<Tables>) => pageOf(db, query, await planOf(db, query));
  return isNear ? store.browse(list) : store.scan(list);
}

/** Whether a filter may leave only a few images. */
function isOfFew({ linkGuid, category }: ImageQuery): boolean {
  return linkGuid !== undefined || category !== undefined;
}

/**
 * A page of a list without words whose filters leave only a few images; `undefined` if they leave
 * more.
 */
async function pageOfFew(db: Kysely<Tables>, query: ImageQuery): Promise<ImagePage | undefined> {
  const rows = await pagesOfFew(query).all(db, paramsOf(query));
  if (rows.length > 0) return { rows, total: Number(rows[0]!.total) };
  const total = await lengthOfFew(db, query);
  // More than few, or other than a moment ago.
  return total === undefined || total > query.page.offset ? undefined : { rows, total };
}

/**
 * The length of a list without words whose filters leave only a few images; `undefined` if they
 * leave more.
 */
async function lengthOfFew(db: Kysely<Tables>, query: ImageQuery): Promise<number | undefined> {
  const length = (await lengthsOfFew(query).first(db, paramsOf(query)))!.total;
  return length === null ? undefined : Number(length);
}

/** Whether the filters of a list leave only a few images; by the indexes alone. */
function hasFew(db: Kysely<Tables>, { linkGuid, category }: ImageQuery): RawBuilder<boolean> {
  const fewWith = (column: 'link_guid' | 'category_key' | 'linked_category', value: string) => {
    const after = db
      .selectFrom('images')
      .select('created_at')
      .where(column, '=', value)
      .where(LISTED);
    return sql<boolean>`not exists ${after.limit(1).offset(FEW)}`;
  };
  if (linkGuid !== undefined) return fewWith('link_guid', linkGuid);
  return sql`(${fewWith('category_key', category!)} and ${fewWith('linked_category', category!)})`;
}

/**
 * The page of a list without words that has few images, each with the total; of one with more it
 * has no row.
 */
const pagesOfFew = perShape(nameOf, (shape: ImageQuery) =>
  prepare((db, params: ListParams) => {
    const query = withParams(shape, params);
    // As a condition it would be asked for each row. PostgreSQL takes a parameter beside 0 for one
    // of 32 bits.
    const ifFew: Limit = (rows) =>
      sql<number>`case when ${hasFew(db, query)} then cast(${rows} as bigint) else 0 end`;
    return rowsWithoutWords(db, shape, params, ifFew).select(lengthOf(db, query).as('total'));
  }),
);

/** The length of a list without words that has few images; `null` of one with more. */
const lengthsOfFew = perShape(nameOf, (shape: ImageQuery) =>
  prepare((db, params: ListParams) => {
    const query = withParams(shape, params);
    const length = sql<
      number | null
    >`case when ${hasFew(db, query)} then ${lengthOf(db, query)} end`;
    return db.selectNoFrom(length.as('total'));
  }),
);

async function pageOf(db: Kysely<Tables>, query: ImageQuery, plan: SearchPlan): Promise<ImagePage> {
  const { page, words } = query;
  const rows =
    words.length === 0
      ? await pageWithoutWords(query).all(db, paramsOf(query))
      : await rowsOf(
          db,
          matching(db, query, plan).select('guid').$call(paged(query)),
          query.order,
        ).execute();
  return { rows, total: lengthByPage(rows.length, page) ?? (await count(db, query, plan)) };
}

/** Whether a page is near the beginning of an order with an index. */
function beginsInOrder({ category, order, page }: ImageQuery): boolean {
  return order.field === 'created' && category === undefined && page.offset < FEW;
}

const pageWithoutWords = perShape(nameOf, (shape: ImageQuery) =>
  prepare((db, params: ListParams) => rowsWithoutWords(db, shape, params)),
);

/**
 * The page of a list without words. Its keys are selected first, if possible by an index alone;
 * pages near the beginning of an order with an index need no such step.
 */
function rowsWithoutWords(
  db: Kysely<Tables>,
  shape: ImageQuery,
  params: ListParams,
  limit: Limit = (rows) => rows,
) {
  const query = withParams(shape, params);
  const found = matching(db, query, 'filters');
  if (beginsInOrder(shape)) {
    return found
      .innerJoin('image_files', 'image_files.hash', 'images.hash')
      .select(SHOWN)
      .$call(paged(query, limit));
  }
  const inIndexes = isCategoryAlone(query) && query.order.field !== 'category';
  const keys = inIndexes ? inCategory(db, query, limit(params.end)) : found.select('guid');
  return rowsOf(db, keys.$call(paged(query, limit)), query.order);
}

async function planOf(db: Kysely<Tables>, query: ImageQuery): Promise<SearchPlan> {
  const { words } = query;
  if (words.length === 0) return 'filters';
  if (isOfFew(query) && (await lengthOfFew(db, { ...query, words: [] })) !== undefined)
    return 'filters';
  const hits = await countWithTerms(db, 'image_search', termsOfWords(words), FEW_HITS + 1);
  return hits > FEW_HITS ? 'order' : 'hits';
}

/**
 * Returns the first images of a category by time or size, up to the end of the page: the first ones
 * of both indexes.
 */
function inCategory(db: Kysely<Tables>, { category, order }: ImageQuery, end: ReturnType<Limit>) {
  const first = (column: 'category_key' | 'linked_category') =>
    db
      .selectFrom(
        db
          .selectFrom('images')
          .select(['guid', 'created_at', 'bytes'])
          .where(column, '=', category!)
          .where(LISTED)
          .$call(sorted(order))
          .limit(end)
          .as(column),
      )
      .selectAll();
  const either = first('category_key').union(first('linked_category'));
  return db.selectFrom(either.as('images')).select('guid');
}

/** Returns the length of a list if a page that is not full shows it. */
function lengthByPage(rows: number, { offset, size }: PageRequest): number | undefined {
  return rows < size && (rows > 0 || offset === 0) ? offset + rows : undefined;
}

/** Returns the listed columns of the images on a page, in order. */
function rowsOf(db: Kysely<Tables>, keys: Images<{ guid: string }>, order: ImageOrder) {
  return db
    .with('page', () => keys)
    .selectFrom('page')
    .innerJoin('images', 'images.guid', 'page.guid')
    .innerJoin('image_files', 'image_files.hash', 'images.hash')
    .select(SHOWN)
    .$call(sorted(order));
}

const SHOWN = words(
  'images.guid images.link_guid images.category images.is_icon images.hash images.bytes',
  'images.created_at images.updated_at images.owner',
  'image_files.format image_files.served_format image_files.width image_files.height',
);
