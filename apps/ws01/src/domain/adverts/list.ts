import { type Kysely, type OrderByItemBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { contains } from '../../store/contains.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { AdvertsTable, Moderated, Tables } from '../../store/tables/tables.ts';
import { Gate } from '../shared/gate.ts';
import { type Order as ListOrder, nameOfOrder, type OrderFields } from '../shared/list-order.ts';
import { perShape } from '../shared/per-shape.ts';
import { MAX_PAGE_SIZE, type PageRequest } from '../values/paging.ts';

/** What adverts are sorted by: the last or latest first, unless asked otherwise. */
export const ADVERT_ORDERS = {
  created: 'desc',
  title: 'desc',
  deadline: 'desc',
  category: 'desc',
} as const satisfies OrderFields<string>;

type OrderField = keyof typeof ADVERT_ORDERS;
type Order = ListOrder<OrderField>;

/** Which adverts to list. */
interface AdvertQuery {
  /** The publisher. */
  readonly owner: string;
  /** Folded words, each of which stands in title, detail or link text; none for every advert. */
  readonly words: readonly string[];
  readonly order: Order;
  readonly page: PageRequest;
  /** The address that asks. */
  readonly client: string;
}

/** The columns that a list shows. */
const LISTED = [
  'adverts.guid',
  'adverts.owner',
  'adverts.title',
  'adverts.detail',
  'adverts.link_txt',
  'adverts.link_url',
  'adverts.deadline',
  'adverts.category_key',
  'adverts.is_image',
  'adverts.img_guid',
  'adverts.created_at',
  'adverts.updated_at',
] as const satisfies readonly `adverts.${keyof AdvertsTable}`[];

export type ListedAdvert = Omit<AdvertsTable, 'title_key' | 'search_text' | 'ip' | 'retry_key' | keyof Moderated>;

/** What the public sees; written out, as the indexes have it. */
const PUBLIC = sql<boolean>`held_at is null and removed_at is null`;

const SORTED_BY: Readonly<Record<OrderField, keyof AdvertsTable>> = {
  created: 'created_at',
  title: 'title_key',
  deadline: 'deadline',
  category: 'category_key',
};

type Adverts = SelectQueryBuilder<Tables, 'adverts', object>;

/** So many adverts are looked at while other calls wait, some milliseconds; a publisher who has more is scanned for. */
const FEW = 500;

/** So many rows are made into lists at the same time: 100 of the longest take 20 MB until they are text. */
const lists = new Gate(MAX_PAGE_SIZE);

/**
 * Makes a list of a page of a publisher's adverts. A search is a scan, however few they are: what it costs is up to those
 * who wrote the texts and the query.
 */
export async function listAdverts<T>(
  store: Store,
  query: AdvertQuery,
  make: (page: AdvertPage) => Promise<T>,
): Promise<T> {
  const list = (db: Kysely<Tables>) => pageOf(db, query);
  const scans = query.words.length > 0 || (await hasMany(store, query));
  // Scans come one after another of themselves.
  return scans
    ? make(await store.scan(list, query.client))
    : lists.run(query.page.size, query.client, async () => make(await store.browse(list)));
}

async function hasMany(store: Store, { owner }: AdvertQuery): Promise<boolean> {
  return (await store.browse((db) => advertAfter.first(db, { owner, few: FEW }))) !== undefined;
}

/** Rows of a page, and how many the whole list has. */
interface AdvertPage {
  readonly rows: readonly ListedAdvert[];
  readonly total: number;
}

async function pageOf(db: Kysely<Tables>, query: AdvertQuery): Promise<AdvertPage> {
  const { owner, words, order, page } = query;
  const rows =
    words.length === 0
      ? await (page.offset < FEW ? nearPages : allPages)(order).all(db, { owner, size: page.size, offset: page.offset })
      : await rowsOf(db, matching(db, query), 'counted by looking', order, page).execute();
  const [first] = rows;
  return { rows, total: Number(first?.total ?? (page.offset > 0 ? await count(matching(db, query)) : 0)) };
}

/** The pages of all adverts of a publisher, which most calls ask for. */
const allPages = perShape(nameOfOrder, (order: Order) =>
  prepare((db, params: { owner: string; size: number; offset: number }) =>
    rowsOf(db, matching(db, { owner: params.owner, words: [] }), 'counted by the index', order, params),
  ),
);

/** Those that are near the beginning: where an index has the order, there are no keys to find first. */
const nearPages = perShape(nameOfOrder, (order: Order) =>
  order.field !== 'created'
    ? allPages(order)
    : prepare((db, { owner, size, offset }: { owner: string; size: number; offset: number }) => {
        const found = matching(db, { owner, words: [] });
        return found.select(LISTED).select(countOf(found).as('total')).$call(sorted(order)).limit(size).offset(offset);
      }),
);

/**
 * The rows of a page, each with the total. The keys of the page come first, so that no sort carries the long texts along.
 * A search counts while it looks, since looking twice would cost twice; without one the index counts.
 */
function rowsOf(
  db: Kysely<Tables>,
  found: Adverts,
  total: 'counted by looking' | 'counted by the index',
  order: Order,
  { size, offset }: Pick<PageRequest, 'size' | 'offset'>,
) {
  const keys = found
    .select('adverts.guid')
    .select((eb) => (total === 'counted by looking' ? eb.fn.countAll<number>().over() : countOf(found)).as('total'))
    .$call(sorted(order))
    .limit(size)
    .offset(offset);
  return db
    .with('page', () => keys)
    .selectFrom('page')
    .innerJoin('adverts', 'adverts.guid', 'page.guid')
    .select(LISTED)
    .select('page.total')
    .$call(sorted(order));
}

function matching(db: Kysely<Tables>, { owner, words }: Pick<AdvertQuery, 'owner' | 'words'>): Adverts {
  return words.reduce(
    (query, word) => query.where(contains(db, 'search_text', word)),
    db.selectFrom('adverts').where('owner', '=', owner).where(PUBLIC),
  );
}

function countOf(found: Adverts) {
  return found.select((eb) => eb.fn.countAll<number>().as('total'));
}

/** How many there are, for a page past the end, which has no row to tell. */
async function count(found: Adverts): Promise<number> {
  return (await countOf(found).executeTakeFirstOrThrow()).total;
}

function sorted({ field, direction }: Order) {
  return <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): SelectQueryBuilder<DB, TB, O> =>
    query
      .orderBy(sql.ref(`adverts.${SORTED_BY[field]}`), (item) => placeNulls(item, field, direction))
      .orderBy(sql.ref('adverts.guid'), direction);
}

/** An advert that is always current has the last of all deadlines; one without a category has an empty one. */
function placeNulls(item: OrderByItemBuilder, field: OrderField, direction: Order['direction']): OrderByItemBuilder {
  const ordered = direction === 'asc' ? item.asc() : item.desc();
  if (field !== 'deadline' && field !== 'category') {
    return ordered;
  }
  return (field === 'deadline') === (direction === 'asc') ? ordered.nullsLast() : ordered.nullsFirst();
}

/** An advert of a publisher who has more than a few; from the index alone. */
const advertAfter = prepare((db, { owner, few }: { owner: string; few: number }) =>
  db.selectFrom('adverts').select('created_at').where('owner', '=', owner).where(PUBLIC).limit(1).offset(few),
);
