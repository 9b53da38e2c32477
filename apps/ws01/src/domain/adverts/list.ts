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
import { countWithTerms, hasTerms } from '../../store/text-index.ts';
import { Gate } from '../shared/gate.ts';
import { nameOfOrder, type Order, type OrderFields } from '../shared/list-order.ts';
import { perShape } from '../shared/per-shape.ts';
import { areTerms } from '../shared/search-terms.ts';
import { MAX_PAGE_SIZE, type PageRequest } from '../values/paging.ts';
import { advertTerms } from './search-index.ts';

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
  /** The client address. */
  readonly client: string;
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
  'owner' | 'detail' | 'title_key' | 'search_text' | 'search_id' | 'ip' | 'retry_key' | keyof Moderated
> & { readonly detail: LongText };

function listed(db: Kysely<Tables>) {
  return [...LISTED, longText(db, 'adverts.detail').as('detail')] as const;
}

/** Condition for public adverts, written exactly as in the indexes. */
const PUBLIC = sql<boolean>`held_at is null and removed_at is null`;

const SORTED_BY: Readonly<Record<OrderField, keyof AdvertsTable>> = {
  created: 'created_at',
  title: 'title_key',
  deadline: 'deadline',
  category: 'category_key',
};

type Adverts = SelectQueryBuilder<Tables, 'adverts', object>;

/** Up to this many adverts are read on the main thread, which takes some milliseconds; larger lists use a scan. */
const FEW = 500;

/** Maximum number of rows that are turned into lists at the same time: 100 of the longest take 20 MB as text. */
const lists = new Gate(MAX_PAGE_SIZE);

/** Lists a page of a publisher's adverts. A search always uses a scan, because its cost depends on texts and query. */
export async function listAdverts<T>(
  store: Store,
  query: AdvertQuery,
  make: (page: AdvertPage) => Promise<T>,
): Promise<T> {
  const { words, page, client } = query;
  if (words.length === 0) {
    const made = await lists.run(page.size, client, async () => {
      const found = await store.browse((db) => pageOfFew(db, query));
      return found && { result: await make(found) };
    });
    if (made !== undefined) return made.result;
  }
  // Scans already run one after another.
  return make(await store.scan((db) => pageOf(db, query), client));
}

/** The rows of a page, and the length of the whole list. */
interface AdvertPage {
  readonly rows: readonly ListedAdvert[];
  readonly total: number;
}

/** A page of a publisher with few adverts; `undefined` of one with more. */
async function pageOfFew(db: Kysely<Tables>, { owner, order, page }: AdvertQuery): Promise<AdvertPage | undefined> {
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
  return pageWith(await pages(order).all(db, { owner, size: page.size, offset: page.offset }), query, () =>
    matching(db, query),
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
 * A page of a search: of the adverts that the index finds, and those that are not in it. When the index alone finds many,
 * the page is read in the order of the list, which soon fills it.
 */
async function searchPage(db: Kysely<Tables>, query: AdvertQuery): Promise<AdvertPage> {
  const { owner, order, page } = query;
  const isIndexed = (await indexedAdvert.first(db, { owner })) !== undefined;
  const found = isIndexed ? foundByIndex(db, query) : matching(db, query);
  const [read, total] =
    isIndexed && (await hasManyHits(db, query))
      ? [matching(db, query), countedByIndex(db, query)]
      : [found, COUNTED_BY_LOOKING];
  return pageWith(await rowsOf(db, read, total, order, page).execute(), query, () => found);
}

const COUNTED_BY_LOOKING = sql<number>`count(*) over ()`;

/** Orders with an index. */
const INDEXED_ORDERS: readonly OrderField[] = ['created', 'title'];

/** Whether the index alone finds so many adverts that fewer are read in the order of the list until the page is full. */
async function hasManyHits(db: Kysely<Tables>, { owner, words, order, page }: AdvertQuery): Promise<boolean> {
  if (!areTerms(words) || !INDEXED_ORDERS.includes(order.field)) return false;
  const all = await count(matching(db, { owner, words: [] }));
  const enough = Math.sqrt(all * (page.offset + page.size));
  return (await countWithTerms(db, 'advert_search', advertTerms(owner, words), Math.ceil(enough) + 1)) > enough;
}

/** Counts a search whose words are terms, without the texts of indexed adverts. */
function countedByIndex(db: Kysely<Tables>, query: AdvertQuery): RawBuilder<number> {
  const indexed = matching(db, { owner: query.owner, words: [] }).where(inIndex(db, query));
  return sql<number>`${countOf(indexed)} + ${countOf(matching(db, query).where('search_id', 'is', null))}`;
}

/** Whether an advert of a publisher is in the index of terms. */
const indexedAdvert = prepare((db, { owner }: { owner: string }) =>
  db.selectFrom('adverts').select('guid').where('owner', '=', owner).where('search_id', '>', 0).where(PUBLIC).limit(1),
);

function inIndex(db: Kysely<Tables>, { owner, words }: Pick<AdvertQuery, 'owner' | 'words'>) {
  return hasTerms(db, 'advert_search', 'adverts.search_id', advertTerms(owner, words));
}

/** The adverts of a search, with the columns that lists sort by. */
function foundByIndex(db: Kysely<Tables>, query: AdvertQuery): Adverts {
  const sortable = matching(db, query).select(['guid', 'created_at', 'title_key', 'deadline', 'category_key']);
  const either = sortable.where(inIndex(db, query)).unionAll(sortable.where('search_id', 'is', null));
  return db.selectFrom(either.as('adverts')) as unknown as Adverts;
}

interface PageParams {
  readonly owner: string;
  readonly size: number;
  readonly offset: number;
}

/** The page of all adverts of a publisher with few, the most frequent query; of one with more it has no row. */
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
 * Returns the rows of a page, each with the total. The keys of the page are selected first, so that sorting does not
 * move long texts.
 */
function rowsOf(
  db: Kysely<Tables>,
  found: Adverts,
  total: RawBuilder<number>,
  order: AdvertOrder,
  { size, offset }: Pick<Page, 'size' | 'offset'>,
) {
  const keys = found.select('adverts.guid').select(total.as('total')).$call(sorted(order)).limit(size).offset(offset);
  return db
    .with('page', () => keys)
    .selectFrom('page')
    .innerJoin('adverts', 'adverts.guid', 'page.guid')
    .select(listed(db))
    .select('page.total')
    .$call(sorted(order));
}

function matching(db: Kysely<Tables>, { owner, words }: Pick<AdvertQuery, 'owner' | 'words'>): Adverts {
  return words.reduce((query, word) => query.where(contains(db, 'search_text', word)), adverts(db, owner));
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
  return <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> =>
    query
      .orderBy(sql.ref(`adverts.${SORTED_BY[field]}`), (item) => placeNulls(item, field, direction))
      .orderBy(sql.ref('adverts.guid'), direction);
}

/** An advert without a deadline sorts after all deadlines; one without a category has an empty one. */
function placeNulls(
  item: OrderByItemBuilder,
  field: OrderField,
  direction: AdvertOrder['direction'],
): OrderByItemBuilder {
  const ordered = direction === 'asc' ? item.asc() : item.desc();
  if (field !== 'deadline' && field !== 'category') {
    return ordered;
  }
  return (field === 'deadline') === (direction === 'asc') ? ordered.nullsLast() : ordered.nullsFirst();
}
