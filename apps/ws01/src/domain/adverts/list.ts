import {
  type Expression,
  type Kysely,
  type OrderByItemBuilder,
  type RawBuilder,
  type SelectQueryBuilder,
  sql,
} from 'kysely';
import { contains } from '../../store/contains.ts';
import { type LongText, longText } from '../../store/long-text.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { AdvertsTable, Moderated, Tables } from '../../store/tables/tables.ts';
import {
  countOfTerms,
  countsByIndex,
  countWithTerms,
  hasTerms,
  lacksTerms,
} from '../../store/text-index.ts';
import { Turns } from '../../turns/turns.ts';
import { nameOfOrder, type Order, type OrderFields } from '../shared/list-order.ts';
import { perShape } from '../shared/per-shape.ts';
import { MAX_PAGE_SIZE, type PageRequest } from '../values/paging.ts';
import { PUBLIC } from './rows.ts';
import { advertTerms, wholeAdvertTerms } from './search-index.ts';

/** The sort orders; descending by default. */
export const ADVERT_ORDERS = {
  created: 'desc',
  title: 'desc',
  deadline: 'desc',
  category: 'desc',
} as const satisfies OrderFields<string>;

type OrderField = keyof typeof ADVERT_ORDERS;
type AdvertOrder = Order<OrderField>;

/** The query of a list. */
interface AdvertQuery {
  /** The publisher. */
  readonly owner: string;
  /** Folded words that must all occur in title, detail or link text; empty: all adverts. */
  readonly words: readonly string[];
  readonly order: AdvertOrder;
  readonly page: PageRequest;
}

/** The columns of a list, beside `detail`. All rows have the same owner. */
const LISTED = [
  'adverts.guid',
  'adverts.title',
  'adverts.link_txt',
  'adverts.link_url',
  'adverts.deadline',
  'adverts.category_key',
  'adverts.is_image',
  'adverts.img_guid',
  'adverts.created_at',
  'adverts.updated_at',
] as const satisfies readonly `adverts.${keyof AdvertsTable}`[];

export type ListedAdvert = Omit<
  AdvertsTable,
  | 'owner'
  | 'detail'
  | 'title_key'
  | 'search_text'
  | 'search_id'
  | 'ip'
  | 'retry_key'
  | keyof Moderated
> & { readonly detail: LongText };

function listed(db: Kysely<Tables>) {
  return [...LISTED, longText(db, 'adverts.detail').as('detail')] as const;
}

/** Adverts that are in the index of terms and not public, written exactly as in the index. */
const HIDDEN = sql<boolean>`search_id is not null and (held_at is not null or removed_at is not null)`;

const SORTED_BY: Readonly<Record<OrderField, keyof AdvertsTable>> = {
  created: 'created_at',
  title: 'title_key',
  deadline: 'deadline',
  category: 'category_key',
};

type Adverts = SelectQueryBuilder<Tables, 'adverts', object>;

/**
 * Up to this many adverts are read on the main thread, which takes some milliseconds; larger lists
 * use a scan.
 */
const FEW = 500;

/**
 * Maximum number of rows that are turned into lists at the same time: 100 of the longest take 20 MB
 * as text.
 */
const lists = new Turns(MAX_PAGE_SIZE);

/**
 * Lists a page of a publisher's adverts. A search always uses a scan, because its cost depends on
 * texts and query.
 */
export async function listAdverts<T>(
  store: Store,
  query: AdvertQuery,
  make: (page: AdvertPage) => Promise<T>,
): Promise<T> {
  const { words, page } = query;
  if (words.length === 0) {
    const made = await lists.take(
      async () => {
        const found = await store.browse((db) => pageOfFew(db, query));
        return found && { result: await make(found) };
      },
      { weight: page.size },
    );
    if (made !== undefined) return made.result;
  }
  // Scans already run one after another.
  return make(await store.scan((db) => pageOf(db, query)));
}

/** The rows of a page, and the length of the whole list. */
interface AdvertPage {
  readonly rows: readonly ListedAdvert[];
  readonly total: number;
}

/** A page of a publisher with few adverts; `undefined` of one with more. */
async function pageOfFew(
  db: Kysely<Tables>,
  { owner, order, page }: AdvertQuery,
): Promise<AdvertPage | undefined> {
  const { size, offset } = page;
  const rows = offset < FEW ? await pagesOfFew(order).all(db, { owner, size, offset }) : [];
  if (rows.length > 0) return { rows, total: Number(rows[0]!.total) };
  const total = Number((await countOfFew.first(db, { owner }))!.total);
  return total <= Math.min(offset, FEW) ? { rows, total } : undefined;
}

async function pageOf(db: Kysely<Tables>, query: AdvertQuery): Promise<AdvertPage> {
  const { owner, words, order, page } = query;
  if (words.length > 0) return searchPage(db, query);
  const pages = page.offset < FEW ? nearPages : allPages;
  return pageWith(
    await pages(order).all(db, { owner, size: page.size, offset: page.offset }),
    query,
    () => matching(db, query),
  );
}

/** A page whose rows have the total; past the end it has no row, and the list is counted. */
async function pageWith(
  rows: readonly (ListedAdvert & { total: number | null })[],
  { page }: AdvertQuery,
  found: () => Adverts,
): Promise<AdvertPage> {
  return { rows, total: Number(rows[0]?.total ?? (page.offset > 0 ? await count(found()) : 0)) };
}

/**
 * A page of a search: of the adverts that the index finds, and those that are not in it. Common
 * words are looked for in the texts, in an order that has an index, until the page is full. That is
 * soon, unless all hits are at the other end.
 */
async function searchPage(db: Kysely<Tables>, query: AdvertQuery): Promise<AdvertPage> {
  const { owner, order, page } = query;
  const { first, last } = (await indexedAdverts.first(db, { owner }))!;
  const isIndexed = first !== null && last !== null;
  const common = isIndexed ? await commonAdverts(db, query, { first, last }) : undefined;
  if (common !== undefined) {
    const count = hasIndex(order) ? countOfCommon(db, query) : COUNTED_BY_LOOKING;
    const rows = await rowsOf(db, common, count, order, page).execute();
    const total = Number(rows[0]?.total ?? 0);
    if (rows.length > 0 && rows.length === Math.min(page.size, total - page.offset))
      return { rows, total };
  }
  const found = isIndexed ? foundByIndex(db, query) : matching(db, query);
  return pageWith(
    await rowsOf(db, found, COUNTED_BY_LOOKING, order, page).execute(),
    query,
    () => found,
  );
}

const COUNTED_BY_LOOKING = sql<number>`count(*) over ()`;

/** Whether an index has the adverts in an order. */
function hasIndex({ field }: AdvertOrder): boolean {
  return field === 'created' || field === 'title';
}

/** The numbers in the index that a publisher's adverts are between. */
interface IndexedRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Common words are looked for in so many times the adverts that fill a page where they are spread
 * evenly.
 */
const UNEVEN = 4;

/**
 * The adverts of a search with so many hits that reading texts is quicker than the index. SQLite
 * reads them in the order of the list, and not all. PostgreSQL reads all of them in any order, in
 * less time than many by the index.
 */
async function commonAdverts(
  db: Kysely<Tables>,
  query: AdvertQuery,
  range: IndexedRange,
): Promise<Adverts | undefined> {
  const { owner, words, order, page } = query;
  if (!countsByIndex(db))
    return (await samples(db, query, range)) >= COMMON ? matching(db, query) : undefined;
  if (!hasIndex(order)) return undefined;
  const terms = wholeAdvertTerms(owner, words);
  if (terms === undefined) return undefined;
  const enough = Math.sqrt((range.last - range.first + 1) * (page.offset + page.size));
  if ((await countWithTerms(db, 'advert_search', terms, Math.ceil(enough) + 1)) <= enough)
    return undefined;
  return matching(db, query).where(isAmongFirst(db, query, Math.ceil(UNEVEN * enough)));
}

/**
 * A condition: an advert is among the first of the list, of so many and one, or is equal to the
 * last of these by what is sorted by. None is in a shorter list.
 */
function isAmongFirst(
  db: Kysely<Tables>,
  { owner, order }: AdvertQuery,
  most: number,
): RawBuilder<boolean> {
  const column = SORTED_BY[order.field];
  const last = adverts(db, owner).select(column).$call(sorted(order)).limit(1).offset(most);
  return sql<boolean>`${sql.ref(`adverts.${column}`)} ${order.direction === 'asc' ? sql`<=` : sql`>=`} ${last}`;
}

/** Adverts in a sample: that many pieces, from all over the index, of so many adverts. */
const PIECES = 8;
const PIECE = 16;

/** How many of a sample have common words. */
const COMMON = (PIECES * PIECE) / 8;

/** How many adverts of a sample have all words. */
async function samples(
  db: Kysely<Tables>,
  { owner, words }: AdvertQuery,
  { first, last }: IndexedRange,
) {
  const pieceAt = (at: number) =>
    adverts(db, owner)
      .select('search_text')
      .where('search_id', '>=', at)
      .orderBy('search_id')
      .limit(PIECE);
  const starts = Array.from(
    { length: PIECES },
    (_, n) => first + Math.floor(((last - first) * n) / PIECES),
  );
  const pieces = starts.map((at) => db.selectFrom(pieceAt(at).as('piece')).selectAll());
  const sample = pieces.reduce((all, piece) => all.unionAll(piece));
  const having = words.map((word) => contains(db, 'search_text', word));
  const { total } = await db
    .selectFrom(sample.as('sample'))
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where(sql<boolean>`${sql.join(having, sql` and `)}`)
    .executeTakeFirstOrThrow();
  return Number(total);
}

/**
 * Counts a search for common words. SQLite has nearly all from the index alone; PostgreSQL would
 * look at the index's row of each advert, which takes as long as looking at its text.
 */
function countOfCommon(db: Kysely<Tables>, query: AdvertQuery): RawBuilder<number> {
  const { owner, words } = query;
  const terms = countsByIndex(db) ? wholeAdvertTerms(owner, words) : undefined;
  if (terms === undefined) return sql<number>`${countOf(matching(db, query))}`;
  const having = withWords(db, db.selectFrom('adverts'), words);
  const hidden = having.where('owner', '=', owner).where('search_id', '>', 0).where(HIDDEN);
  const later = matching(db, query).where('search_id', 'is', null);
  const counted = sql<number>`${countOfTerms(db, 'advert_search', terms)} + ${countOf(later)} - ${countOf(hidden)}`;
  const pieces = advertTerms(owner, words);
  const whole = terms.filter((term) => !pieces.includes(term));
  if (whole.length === 0) return counted;
  // The publisher is a term. As a condition, it would bring in an index that knows nothing else.
  const others = having.where(lacksTerms('advert_search', 'search_id', pieces, whole));
  return sql<number>`${counted} + ${countOf(others)}`;
}

/** The range of a publisher's public adverts in the index of terms; nulls without any. */
const indexedAdverts = prepare((db, { owner }: { owner: string }) => {
  const one = adverts(db, owner).select('search_id').where('search_id', '>', 0).limit(1);
  return db.selectNoFrom([
    one.orderBy('search_id', 'asc').as('first'),
    one.orderBy('search_id', 'desc').as('last'),
  ]);
});

function inIndex(db: Kysely<Tables>, { owner, words }: Pick<AdvertQuery, 'owner' | 'words'>) {
  return hasTerms(db, 'advert_search', 'adverts.search_id', advertTerms(owner, words));
}

/** The adverts of a search, with the columns that lists sort by. */
function foundByIndex(db: Kysely<Tables>, query: AdvertQuery): Adverts {
  const sortable = matching(db, query).select([
    'guid',
    'created_at',
    'title_key',
    'deadline',
    'category_key',
  ]);
  const either = sortable
    .where(inIndex(db, query))
    .unionAll(sortable.where('search_id', 'is', null));
  return db.selectFrom(either.as('adverts')) as unknown as Adverts;
}

interface PageParams {
  readonly owner: string;
  readonly size: number;
  readonly offset: number;
}

/**
 * The page of all adverts of a publisher with few, the most frequent query; of one with more it has
 * no row.
 */
const pagesOfFew = perShape(nameOfOrder, (order: AdvertOrder) =>
  prepare((db, { owner, size, offset }: PageParams) => {
    const after = adverts(db, owner).select('created_at').limit(1).offset(FEW);
    // As a condition it would be asked for each row.
    const ifFew = sql<number>`case when not exists ${after} then cast(${size} as bigint) else 0 end`;
    return nearRows(db, order, { owner, size: ifFew, offset });
  }),
);

/** How many adverts a publisher has, counted until there are more than few. */
const countOfFew = prepare((db, { owner }: { owner: string }) => {
  const first = adverts(db, owner)
    .select('created_at')
    .limit(FEW + 1);
  return db.selectFrom(first.as('few')).select((eb) => eb.fn.countAll<number>().as('total'));
});

const allPages = perShape(nameOfOrder, (order: AdvertOrder) =>
  prepare((db, params: PageParams) => allRows(db, order, params)),
);

/** Pages near the beginning of an order with an index; their keys need no separate query. */
const nearPages = perShape(nameOfOrder, (order: AdvertOrder) =>
  prepare((db, params: PageParams) => nearRows(db, order, params)),
);

type Page = Pick<PageParams, 'owner' | 'offset'> & { readonly size: number | Expression<number> };

function nearRows(db: Kysely<Tables>, order: AdvertOrder, page: Page) {
  if (order.field !== 'created') return allRows(db, order, page);
  const found = adverts(db, page.owner);
  const rows = found.select(listed(db)).select(countOf(found).as('total'));
  return rows.$call(sorted(order)).limit(page.size).offset(page.offset);
}

function allRows(db: Kysely<Tables>, order: AdvertOrder, page: Page) {
  const found = adverts(db, page.owner);
  return rowsOf(db, found, sql<number>`${countOf(found)}`, order, page);
}

/**
 * Returns the rows of a page, each with the total. The keys of the page are selected first, so that
 * sorting does not move long texts.
 */
function rowsOf(
  db: Kysely<Tables>,
  found: Adverts,
  total: RawBuilder<number>,
  order: AdvertOrder,
  { size, offset }: Pick<Page, 'size' | 'offset'>,
) {
  const keys = found
    .select('adverts.guid')
    .select(total.as('total'))
    .$call(sorted(order))
    .limit(size)
    .offset(offset);
  return db
    .with('page', () => keys)
    .selectFrom('page')
    .innerJoin('adverts', 'adverts.guid', 'page.guid')
    .select(listed(db))
    .select('page.total')
    .$call(sorted(order));
}

function matching(
  db: Kysely<Tables>,
  { owner, words }: Pick<AdvertQuery, 'owner' | 'words'>,
): Adverts {
  return withWords(db, adverts(db, owner), words);
}

function withWords(db: Kysely<Tables>, found: Adverts, words: readonly string[]): Adverts {
  return words.reduce((query, word) => query.where(contains(db, 'search_text', word)), found);
}

/** All adverts of a publisher. */
function adverts(db: Kysely<Tables>, owner: string): Adverts {
  return db.selectFrom('adverts').where('owner', '=', owner).where(PUBLIC);
}

function countOf(found: Adverts) {
  return found.select((eb) => eb.fn.countAll<number>().as('total'));
}

async function count(found: Adverts): Promise<number> {
  return Number((await countOf(found).executeTakeFirstOrThrow()).total);
}

function sorted({ field, direction }: AdvertOrder) {
  return <DB, TB extends keyof DB, O>(
    query: SelectQueryBuilder<DB, TB, O>,
  ): SelectQueryBuilder<DB, TB, O> =>
    query
      .orderBy(sql.ref(`adverts.${SORTED_BY[field]}`), (item) => placeNulls(item, field, direction))
      .orderBy(sql.ref('adverts.guid'), direction);
}

/**
 * An advert without a deadline sorts after all deadlines; one without a category has an empty one.
 */
function placeNulls(
  item: OrderByItemBuilder,
  field: OrderField,
  direction: AdvertOrder['direction'],
): OrderByItemBuilder {
  const ordered = direction === 'asc' ? item.asc() : item.desc();
  if (field !== 'deadline' && field !== 'category') {
    return ordered;
  }
  return (field === 'deadline') === (direction === 'asc')
    ? ordered.nullsLast()
    : ordered.nullsFirst();
}
