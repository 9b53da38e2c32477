import type { Kysely } from 'kysely';
import { prepare } from '../../../store/prepared.ts';
import type { Store } from '../../../store/store.ts';
import type { ImageFilesTable, ImagesTable, Tables } from '../../../store/tables/tables.ts';
import { countWithTerms } from '../../../store/text-index.ts';
import { perShape } from '../../shared/per-shape.ts';
import { termsOfWords } from '../../shared/search-terms.ts';
import type { PageRequest } from '../../values/paging.ts';
import { count } from './count.ts';
import {
  FEW,
  type ImageOrder,
  type ImageQuery,
  type Images,
  isCategoryAlone,
  LISTED,
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
  'guid' | 'owner' | 'link_guid' | 'category' | 'is_icon' | 'hash' | 'bytes' | 'created_at' | 'updated_at'
> &
  Pick<ImageFilesTable, 'format' | 'served_format' | 'width' | 'height' | 'frames'>;

/** Up to this many hits, a search starts from the hits; beyond, it reads images in the order of the list. */
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

async function pageOf(db: Kysely<Tables>, query: ImageQuery, plan: SearchPlan): Promise<ImagePage> {
  const { page, words } = query;
  const rows =
    words.length === 0
      ? await pageWithoutWords(query).all(db, paramsOf(query))
      : await rowsOf(db, matching(db, query, plan).select('guid').$call(paged(query)), query.order).execute();
  return { rows, total: lengthByPage(rows.length, page) ?? (await count(db, query, plan)) };
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

async function planOf(db: Kysely<Tables>, { words }: ImageQuery): Promise<SearchPlan> {
  if (words.length === 0) return 'filters';
  const hits = await countWithTerms(db, 'image_search', termsOfWords(words), FEW_HITS + 1);
  return hits > FEW_HITS ? 'order' : 'hits';
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
