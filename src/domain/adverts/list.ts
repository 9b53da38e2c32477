import { type Kysely, type OrderByItemBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { AdvertsTable, Tables } from '../../store/tables.ts';
import type { Page } from '../values/paging.ts';
import { containsPattern } from '../values/search-text.ts';
import type { Order, OrderField } from './order.ts';

/** Which adverts to list. */
export interface AdvertQuery {
  /** The publisher. */
  readonly owner: string;
  /** Folded words, each of which stands in title, detail or link text; none for every advert. */
  readonly words: readonly string[];
  readonly order: Order;
  readonly page: Page;
}

/** The columns that a list shows. */
const LISTED = [
  'guid',
  'owner',
  'title',
  'detail',
  'link_txt',
  'link_url',
  'deadline',
  'category_key',
  'is_image',
  'img_guid',
  'created_at',
] as const satisfies readonly (keyof AdvertsTable)[];

export type ListedAdvert = Pick<AdvertsTable, (typeof LISTED)[number]>;

const SORTED_BY: Readonly<Record<OrderField, 'created_at' | 'title_key' | 'deadline' | 'category_key'>> = {
  created: 'created_at',
  title: 'title_key',
  deadline: 'deadline',
  category: 'category_key',
};

type Adverts<Row> = SelectQueryBuilder<Tables, 'adverts', Row>;

/** A page of a publisher's adverts, and how many there are in all. */
export async function listAdverts(
  db: Kysely<Tables>,
  query: AdvertQuery,
): Promise<{ readonly rows: readonly ListedAdvert[]; readonly total: number }> {
  const { order, page } = query;
  const found = matching(db, query);
  // The keys of the page come first, so that no sort carries the long texts along.
  const keys = found.select('guid').$call(sorted(order)).limit(page.size).offset(page.offset);
  const rows = await db.selectFrom('adverts').select(LISTED).where('guid', 'in', keys).$call(sorted(order)).execute();
  return { rows, total: lengthByPage(rows.length, page) ?? (await count(found)) };
}

function matching(db: Kysely<Tables>, { owner, words }: AdvertQuery): Adverts<object> {
  return words.reduce(
    (query, word) => query.where(sql<boolean>`search_text like ${containsPattern(word)} escape '!'`),
    db.selectFrom('adverts').where('owner', '=', owner),
  );
}

/** How long a list is when a page that is not full shows it, which spares a rare word's second search. */
function lengthByPage(rows: number, { offset, size }: Page): number | undefined {
  return rows < size && (rows > 0 || offset === 0) ? offset + rows : undefined;
}

async function count(found: Adverts<object>): Promise<number> {
  const { total } = await found.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return total;
}

function sorted({ field, direction }: Order) {
  return <Row>(query: Adverts<Row>): Adverts<Row> =>
    query.orderBy(SORTED_BY[field], (item) => placeNulls(item, field, direction)).orderBy('guid', direction);
}

/** An advert that is always current has the last of all deadlines; one without a category has an empty one. */
function placeNulls(item: OrderByItemBuilder, field: OrderField, direction: Order['direction']): OrderByItemBuilder {
  const ordered = direction === 'asc' ? item.asc() : item.desc();
  if (field !== 'deadline' && field !== 'category') {
    return ordered;
  }
  return (field === 'deadline') === (direction === 'asc') ? ordered.nullsLast() : ordered.nullsFirst();
}
