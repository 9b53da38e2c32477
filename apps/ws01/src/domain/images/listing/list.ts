import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import { contains } from '../../../store/contains.ts';
import { prepare } from '../../../store/prepared.ts';
import type { Store } from '../../../store/store.ts';
import type { ImageFilesTable, ImagesTable, Tables } from '../../../store/tables/tables.ts';
import { countWithTerms, hasTerms } from '../../../store/text-index.ts';
import { type Order as ListOrder, nameOfOrder, type OrderFields } from '../../shared/list-order.ts';
import { perShape } from '../../shared/per-shape.ts';
import type { PageRequest } from '../../values/paging.ts';
import { areTerms, termsOfWords } from './search.ts';
import { readTotal } from './totals.ts';

/** The sort orders: newest or largest first, categories from A to Z. */
export const IMAGE_ORDERS = {
  created: 'desc',
  size: 'desc',
  category: 'asc',
} as const satisfies OrderFields<string>;

/** Icons can also be sorted by when they were marked: the newest is *the* icon of a record (semantics 5.5). */
type OrderField = keyof typeof IMAGE_ORDERS | 'marked';
type Order = ListOrder<OrderField>;

/** The query of a list. */
interface ImageQuery {
  /** Folded words that must all occur in category, key or linked caption; empty: all images. */
  readonly words: readonly string[];
  readonly linkGuid: string | undefined;
  readonly iconsOnly: boolean;
  /** The category of the image or of its record. */
  readonly category: string | undefined;
  readonly order: Order;
  readonly page: PageRequest;
  /** The client address. */
  readonly client: string;
}

export type ListedImage = Pick<
  ImagesTable,
  'guid' | 'owner' | 'link_guid' | 'category' | 'is_icon' | 'hash' | 'bytes' | 'created_at' | 'updated_at'
> &
  Pick<ImageFilesTable, 'format' | 'served_format' | 'width' | 'height' | 'frames'>;

const SORTED_BY: Readonly<Record<OrderField, 'created_at' | 'bytes' | 'category_order' | 'icon_at'>> = {
  created: 'created_at',
  size: 'bytes',
  category: 'category_order',
  marked: 'icon_at',
};

type Images<Row> = SelectQueryBuilder<Tables, 'images', Row>;

/** Condition for listed images, written exactly as in the indexes. */
const LISTED = sql<boolean>`visibility = 0`;

/** Up to this many hits, a search starts from the hits; beyond, it reads images in the order of the list. */
const FEW_HITS = 2_000;

/**
 * Up to this many images are read on the main thread, which takes some milliseconds; larger lists use a scan. So does
 * every search, because its cost depends on texts and query.
 */
const FEW = 1_000;

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
  if (isOfFew(query) && (await store.browse((db) => hasFew(db, query)))) {
    const list = (db: Kysely<Tables>) => pageOf(db, query, 'filters');
    return searches ? store.scan(list, query.client) : store.browse(list);
  }
  const isNear = !isOfFew(query) && !searches && query.page.offset <= NEAR;
  const list = async (db: Kysely<Tables>) => pageOf(db, query, await planOf(db, query));
  return isNear ? store.browse(list) : store.scan(list, query.client);
}

/** Whether a filter may leave only a few images. */
function isOfFew({ linkGuid, category }: ImageQuery): boolean {
  return linkGuid !== undefined || category !== undefined;
}

/** Whether a filter leaves only a few images; by the index alone. */
async function hasFew(db: Kysely<Tables>, { linkGuid, category }: ImageQuery): Promise<boolean> {
  if (linkGuid !== undefined)
    return (await imageAfter.link_guid.first(db, { value: linkGuid, few: FEW })) === undefined;
  for (const column of ['category_key', 'linked_category'] as const) {
    if ((await imageAfter[column].first(db, { value: category!, few: FEW })) !== undefined) return false;
  }
  return true;
}

/** An image after the first few with the same value. */
const imageAfter = {
  link_guid: prepareAfter('link_guid'),
  category_key: prepareAfter('category_key'),
  linked_category: prepareAfter('linked_category'),
};

function prepareAfter(column: 'link_guid' | 'category_key' | 'linked_category') {
  return prepare((db, { value, few }: { value: string; few: number }) =>
    db.selectFrom('images').select('created_at').where(column, '=', value).where(LISTED).limit(1).offset(few),
  );
}

async function pageOf(db: Kysely<Tables>, query: ImageQuery, plan: Plan): Promise<ImagePage> {
  const { page, words } = query;
  const rows =
    words.length === 0
      ? await pageWithoutWords(query).all(db, paramsOf(query))
      : await rowsOf(db, matching(db, query, plan).select('guid').$call(paged(query)), query.order).execute();
  return { rows, total: lengthByPage(rows.length, page) ?? (await count(db, query, plan)) };
}

/** The parameters of queries without words that have the same shape. */
type ListParams = Pick<Required<ImageQuery>, 'linkGuid' | 'category'> & {
  readonly size: number;
  readonly offset: number;
  /** The position after the page. */
  readonly end: number;
};

function paramsOf({ linkGuid, category, page }: ImageQuery): ListParams {
  return { linkGuid, category, size: page.size, offset: page.offset, end: page.offset + page.size };
}

/** Returns a query with parameters in place of its values. */
function withParams(shape: ImageQuery, { linkGuid, category, size, offset }: ListParams): ImageQuery {
  return {
    ...shape,
    linkGuid: shape.linkGuid === undefined ? undefined : linkGuid,
    category: shape.category === undefined ? undefined : category,
    page: { index: 1, size, offset },
  };
}

function nameOf({ linkGuid, category, iconsOnly, order, page }: ImageQuery): string {
  const filters = `${linkGuid !== undefined} ${category !== undefined} ${iconsOnly}`;
  return `${filters} ${page.offset < FEW} ${nameOfOrder(order)}`;
}

/** Whether a page is near the beginning of an order with an index. */
function beginsInOrder({ category, order, page }: ImageQuery): boolean {
  return order.field === 'created' && category === undefined && page.offset < FEW;
}

/**
 * The page of a list without words. Its keys are selected first, if possible by an index alone; pages near the
 * beginning of an order with an index need no such step.
 */
const pageWithoutWords = perShape(nameOf, (shape: ImageQuery) =>
  prepare((db, params: ListParams) => {
    const query = withParams(shape, params);
    if (beginsInOrder(shape)) {
      const found = matching(db, query, 'filters').innerJoin('image_files', 'image_files.hash', 'images.hash');
      return found.select(SHOWN).$call(paged(query));
    }
    const keys =
      isCategoryAlone(query) && query.order.field !== 'category'
        ? inCategory(db, query, params.end)
        : matching(db, query, 'filters').select('guid');
    return rowsOf(db, keys.$call(paged(query)), query.order);
  }),
);

/** The length of a list without words. */
const countWithoutWords = perShape(nameOf, (shape: ImageQuery) =>
  prepare((db, params: ListParams) => counted(matching(db, withParams(shape, params), 'filters'))),
);

/**
 * How a search is executed: by an index of its filters, by its hits or, if there are many, in the order of the list.
 */
type Plan = 'filters' | 'hits' | 'order';

async function planOf(db: Kysely<Tables>, { words }: ImageQuery): Promise<Plan> {
  if (words.length === 0) return 'filters';
  const hits = await countWithTerms(db, 'image_search', termsOfWords(words), FEW_HITS + 1);
  return hits > FEW_HITS ? 'order' : 'hits';
}

/** Whether the index of terms alone answers a search. */
function isTermsAlone({ words, linkGuid, category, iconsOnly }: ImageQuery): boolean {
  return words.length > 0 && linkGuid === undefined && category === undefined && !iconsOnly && areTerms(words);
}

function matching(
  db: Kysely<Tables>,
  { words, linkGuid, iconsOnly, category }: ImageQuery,
  plan: Plan,
): Images<object> {
  let query: Images<object> = db.selectFrom('images').where(LISTED);
  if (linkGuid !== undefined) query = query.where('link_guid', '=', linkGuid);
  if (iconsOnly) query = query.where(sql<boolean>`is_icon = 1`);
  if (category !== undefined) {
    query = query.where((eb) => eb.or([eb('category_key', '=', category), eb('linked_category', '=', category)]));
  }
  if (plan === 'hits') query = query.where(hasTerms(db, 'image_search', 'images.id', termsOfWords(words)));
  return words.reduce((narrowed, word) => narrowed.where(contains(db, 'search_text', word)), query);
}

/** Whether two indexes, one for each way to be in a category, answer a query. */
function isCategoryAlone({ words, linkGuid, category, iconsOnly }: ImageQuery): boolean {
  return category !== undefined && words.length === 0 && linkGuid === undefined && !iconsOnly;
}

/**
 * Returns the first images of a category by time or size, up to the end of the page: the first ones of both indexes.
 */
function inCategory(db: Kysely<Tables>, { category, order }: ImageQuery, end: number) {
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

async function countCategory(db: Kysely<Tables>, category: string): Promise<number> {
  const [own, linked] = [await countOwn.first(db, { category }), await countLinked.first(db, { category })];
  return Number(own?.total ?? 0) + Number(linked?.total ?? 0);
}

const countOwn = prepare((db, { category }: { category: string }) =>
  db
    .selectFrom('images')
    .select((eb) => eb.fn.countAll().as('total'))
    .where('category_key', '=', category)
    .where(LISTED),
);

/** Counts images that are in the category only by their record. */
const countLinked = prepare((db, { category }: { category: string }) =>
  db
    .selectFrom('images')
    .select((eb) => eb.fn.countAll().as('total'))
    .where('linked_category', '=', category)
    .where(LISTED)
    .where((eb) => eb.or([eb('category_key', 'is', null), eb('category_key', '!=', category)])),
);

/** Returns the length of a list if a page that is not full shows it. */
function lengthByPage(rows: number, { offset, size }: PageRequest): number | undefined {
  return rows < size && (rows > 0 || offset === 0) ? offset + rows : undefined;
}

async function count(db: Kysely<Tables>, query: ImageQuery, plan: Plan): Promise<number> {
  const { words, linkGuid, category, iconsOnly } = query;
  if (isCategoryAlone(query)) return countCategory(db, category!);
  if (isTermsAlone(query)) return countWithTerms(db, 'image_search', termsOfWords(words));
  if (words.length === 0 && linkGuid === undefined && category === undefined) return readTotal(db, iconsOnly);
  const row =
    words.length === 0
      ? await countWithoutWords(query).first(db, paramsOf(query))
      : await counted(matching(db, query, plan)).executeTakeFirst();
  return Number(row?.total ?? 0);
}

function counted(found: Images<object>) {
  return found.select((eb) => eb.fn.countAll().as('total'));
}

function sorted({ field, direction }: Order) {
  return <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> =>
    query.orderBy(sql.ref(`images.${SORTED_BY[field]}`), direction).orderBy(sql.ref('images.guid'), direction);
}

function paged({ order, page }: ImageQuery) {
  return <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> =>
    query.$call(sorted(order)).limit(page.size).offset(page.offset);
}

/** Returns the listed columns of the images on a page, in order. */
function rowsOf(db: Kysely<Tables>, keys: Images<{ guid: string }>, order: Order) {
  return db
    .with('page', () => keys)
    .selectFrom('page')
    .innerJoin('images', 'images.guid', 'page.guid')
    .innerJoin('image_files', 'image_files.hash', 'images.hash')
    .select(SHOWN)
    .$call(sorted(order));
}

const SHOWN = [
  'images.guid',
  'images.link_guid',
  'images.category',
  'images.is_icon',
  'images.hash',
  'images.bytes',
  'images.created_at',
  'images.updated_at',
  'images.owner',
  'image_files.format',
  'image_files.served_format',
  'image_files.width',
  'image_files.height',
  'image_files.frames',
] as const;
