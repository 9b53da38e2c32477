import { type Kysely, type RawBuilder, sql } from 'kysely';
import { whereAll } from '../records/conditions.ts';
import type { Condition, Count, Found } from '../records/list.ts';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables/tables.ts';
import { type Cursor, orderNamed, readCursor, writeCursor } from './cursor.ts';
import { countFoundRows, pickAfter } from './found-rows.ts';
import {
  cursorColumns,
  cursorOf,
  orderBy,
  type PagePlan,
  type PageQuery,
  rangeOf,
  rowsOf,
  type Scanned,
  STEP_COST,
  wayOf,
} from './list-sql.ts';

/**
 * Rows are scanned in steps of this many, because their cost is not known before: they may be
 * anywhere on a disk.
 */
const STEP = 1_000;

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** The start of the next page; `undefined` on the last page. */
  readonly next: string | undefined;
}

/**
 * Reads a page of a list by an index in its order, so the cost does not grow with the list. On
 * SQLite it does not block the event loop. A page may have fewer rows than requested and still have
 * a next page.
 * @throws {Ws01Error} `InvalidParameter` for a cursor of another list or order.
 */
export async function readPage<Row>(
  store: Pick<Store, 'scan'>,
  query: PageQuery,
): Promise<ListPage<Row>> {
  const rest = restOf(query);
  if (rest === undefined) return readPart(store, ledBy(query));
  const { cursor } = query;
  const start = startOf(rest);
  if (cursor === start) return readPart(store, rest);
  if (cursor !== undefined && orderNamed(cursor) === nameOf(rest))
    return readPart(store, { ...rest, cursor });
  const page = await readPart<Row>(store, ledBy(query));
  return { ...page, next: page.next ?? start };
}

/** The query for an order by values, led by the index of that order: no other index has it. */
function ledBy(query: PageQuery): PageQuery {
  const { by } = query;
  if (by === undefined) return query;
  const { leading, without } = by;
  const first: Condition[] = [];
  if (leading !== undefined) first.push({ ...leading, order: [query.order[0]!, ...leading.order] });
  if (without !== undefined) first.push({ sql: isNull(without.column, false), indexed: true });
  const others = query.conditions.map((one) => ({ ...one, indexed: false }));
  return { ...query, conditions: [...first, ...others] };
}

/** The rows without a value, which come after the others; `undefined` if each row has one. */
function restOf(query: PageQuery): PageQuery | undefined {
  const { sort, by, conditions } = query;
  if (by?.without === undefined) return undefined;
  const { column, indexed } = by.without;
  const lacks = { sql: isNull(column, true), indexed, isNull: column };
  const { by: _, ...all } = query;
  const rest = { sort: `${sort}?`, order: by.own, cursor: undefined };
  return { ...all, ...rest, conditions: [...conditions, lacks] };
}

const isNull = (column: string, is: boolean) =>
  sql<boolean>`${sql.raw(`${column} is ${is ? '' : 'not '}null`)}`;

/** The cursor before the first row. */
const startOf = (query: PageQuery): string => writeCursor(nameOf(query), []);

/** The name of the order of a page, which its cursors have. */
function nameOf(query: PageQuery): string {
  const isOwn = wayOf(query).order === query.order;
  return `${isOwn ? '' : '~'}${query.descending ? '-' : ''}${query.sort}`;
}

/** Reads a page of rows that one index has in their order. */
async function readPart<Row>(store: Pick<Store, 'scan'>, query: PageQuery): Promise<ListPage<Row>> {
  const { limit } = query;
  const { order } = wayOf(query);
  const named = nameOf(query);
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor, named, order);
  return store.scan(async (db) => {
    const end = performance.now() + query.reading.ms;
    const { loose, ...way } = wayOf(await narrowed(db, query));
    const plan = { ...query, ...way, end };
    const found = await foundIn(db, query);
    const read = () => {
      if (found !== undefined)
        return pickAfter<Row>(db, plan, found, after, (some, from) =>
          scanAfter(db, some, loose, from),
        );
      if (loose.length === 0) return rowsAfter<Row>(db, plan, after);
      return scanAfter<Row>(db, plan, loose, after);
    };
    const { rows, edge } = await read();
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? cursorOf(page.at(-1)!, order) : edge;
    return { rows: page, next: last && writeCursor(named, last) };
  });
}

/** So many rows are counted to compare indexes; a page looks through no more of them. */
const COMPARED_ROWS = 10_000;

/**
 * The same query, led by the condition with an index that leaves the fewest rows: of the images of
 * an owner of 100,000, ten may have been removed. Where each leaves many, the first one leads. Only
 * indexes in the same order are compared, so a cursor holds whichever leads.
 */
async function narrowed(db: Kysely<Tables>, query: PageQuery): Promise<PageQuery> {
  const indexed = query.conditions.filter((condition) => condition.indexed);
  const [first] = indexed;
  const rivals = indexed.filter(
    ({ order, source }) => order === first?.order && source === first?.source,
  );
  if (first === undefined || rivals.length < 2) return query;
  const { from } = first.source ?? query;
  const counts = rivals.map(
    (condition) => sql`(select count(*) from (select 1 from ${sql.raw(from)} where ${condition.sql}
      limit ${COMPARED_ROWS}) counted)`,
  );
  const { rows } = await sql<Record<string, number | string>>`select ${sql.join(
    counts.map((count, at) => sql`${count} as ${sql.ref(`rows_${at}`)}`),
  )}`.execute(db);
  const left = rivals.map((_, at) => Number(rows[0]![`rows_${at}`]));
  const leading = rivals[left.indexOf(Math.min(...left))]!;
  const rest = query.conditions.filter((one) => one !== leading);
  return { ...query, conditions: [leading, ...rest] };
}

/**
 * As {@link readPage}, but goes on while its time lasts where a page has no row and is not the last
 * one: slices of the index of words may overlap; and to the rows without a value. Others have their
 * turns between.
 * @throws {Ws01Error} as {@link readPage}.
 */
export async function readRows<Row>(
  store: Pick<Store, 'scan'>,
  query: PageQuery,
): Promise<ListPage<Row>> {
  const { limit, reading } = query;
  const end = performance.now() + reading.ms;
  const rest = restOf(query);
  const rows: Row[] = [];
  let cursor = query.cursor;
  for (let ms = reading.ms; ; ms = end - performance.now()) {
    const left = { ...query, limit: limit - rows.length, reading: { ...reading, ms }, cursor };
    const page = await readPage<Row>(store, left);
    rows.push(...page.rows);
    cursor = page.next;
    const goesOn =
      rows.length === 0 || (rest !== undefined && cursor === startOf(rest) && rows.length < limit);
    if (!goesOn || cursor === undefined || performance.now() >= end) return { rows, next: cursor };
  }
}

const UNCOUNTED: Count = { count: 0, isPart: true };

/**
 * Counts the rows of a list by its index alone, or by that of words.
 * @returns at most one more than `most`; a part where that takes too long, or where a condition has
 *   no index, because that reads every row.
 */
export async function countRows(store: Store, asked: PageQuery, most: number): Promise<Count> {
  const query = asked.by === undefined ? asked : { ...asked, order: asked.by.own };
  const { loose, ...way } = wayOf(query);
  if (query.conditions.some(({ found }) => found !== undefined))
    return store.scan(async (db) => {
      const found = await foundIn(db, query);
      return found === undefined ? UNCOUNTED : countFoundRows(db, query, found, most);
    });
  if (loose.length > 0) return UNCOUNTED;
  const plan: PagePlan = { ...query, ...way, end: 0 };
  return store.scan(async (db) => {
    const { rows } = await sql<{ count: number | string }>`select count(*) as count from
      (select 1 from ${sql.raw(plan.source.from)} ${whereAll([...plan.within, ...rangeOf(plan, undefined, undefined)])}
      limit ${most + 1}) counted`.execute(db);
    return { count: Number(rows[0]!.count), isPart: false };
  });
}

/** Asks the index of words, where there is a search and the index knows. */
function foundIn(db: Kysely<Tables>, query: PageQuery): Promise<Found | undefined> {
  const search = query.conditions.find(({ found }) => found !== undefined);
  return search?.found?.(db) ?? Promise.resolve(undefined);
}

/** Scans for rows that meet conditions without an index, within {@link ReadingLimits}. */
async function scanAfter<Row>(
  db: Kysely<Tables>,
  plan: PagePlan,
  loose: readonly RawBuilder<boolean>[],
  after: Cursor | undefined,
): Promise<Scanned<Row>> {
  const { limit, reading, end } = plan;
  const found: (Row & Record<string, string | number>)[] = [];
  let edge = after;
  let left = reading.rows;
  do {
    const from = edge;
    const step = await rowsOfStep(db, plan, from, Math.min(STEP, left));
    edge = await edgeOf(db, plan, from, step);
    const rest = { ...plan, limit: limit - found.length };
    const met = await metRows(db, rest, from, edge, loose);
    if (met !== undefined)
      found.push(...(await rowsAfter<Row>(db, rest, from, edge, [...loose, ...met])).rows);
    left -= step;
  } while (edge !== undefined && found.length <= limit && left > 0 && performance.now() < end);
  return { rows: found, edge };
}

/**
 * Finds the rows of a step that meet the conditions which the database cannot tell.
 * @returns the condition that leaves them; none without such conditions; `undefined` if no row
 *   meets them.
 */
async function metRows(
  db: Kysely<Tables>,
  plan: PagePlan,
  after: Cursor | undefined,
  edge: Cursor | undefined,
  loose: readonly RawBuilder<boolean>[],
): Promise<readonly RawBuilder<boolean>[] | undefined> {
  const told = plan.conditions.flatMap((condition) => condition.told ?? []);
  if (told.length === 0) return [];
  const { source, order, limit } = plan;
  const unique = sql.raw(order.at(-1)!.sql);
  const texts = told.map(({ text }, at) => sql`${sql.raw(text)} as ${sql.ref(`told_${at}`)}`);
  const { rows } = await sql<Record<string, string> & { readonly key: string | number }>`
    select ${unique} as key, ${sql.join(texts)} from ${rowsOf(db, source)}
    ${whereAll([...plan.within, ...rangeOf(plan, after, edge), ...loose])}
    ${orderBy(plan)}`.execute(db);
  const keys: (string | number)[] = [];
  for (const row of rows) {
    if (keys.length > limit) break;
    if (told.every(({ by }, at) => by(row[`told_${at}`]!))) keys.push(row.key);
  }
  return keys.length === 0 ? undefined : [sql<boolean>`${unique} in (${sql.join(keys)})`];
}

async function rowsAfter<Row>(
  db: Kysely<Tables>,
  plan: PagePlan,
  after: Cursor | undefined,
  edge?: Cursor,
  loose: readonly RawBuilder<boolean>[] = [],
): Promise<Scanned<Row>> {
  const { source, order, columns, limit } = plan;
  return sql<Row & Record<string, string | number>>`
    select ${sql.raw(columns)}, ${cursorColumns(order)} from ${rowsOf(db, source)}
    ${whereAll([...plan.within, ...rangeOf(plan, after, edge), ...loose])}
    ${orderBy(plan)} limit ${limit + 1}`.execute(db);
}

/** How many rows the next step looks at: so many at most, and not more than {@link STEP_COST}. */
async function rowsOfStep(
  db: Kysely<Tables>,
  plan: PagePlan,
  after: Cursor | undefined,
  most: number,
): Promise<number> {
  const { source, conditions } = plan;
  const costs = conditions.flatMap(({ cost }) => cost ?? []);
  let step = most;
  while (costs.length > 0 && step > 1) {
    const { rows } = await sql<{ rows: number | string; cost: number | string | null }>`
      select count(*) as rows, sum(cost) as cost from (select ${sql.join(costs, sql` + `)} as cost
      from ${rowsOf(db, source)} ${whereAll([...plan.within, ...rangeOf(plan, after, undefined)])}
      ${orderBy(plan)} limit ${step}) looked_at`.execute(db);
    const [there, cost] = [Number(rows[0]!.rows), Number(rows[0]!.cost ?? 0)];
    if (there <= 1 || cost <= STEP_COST) break;
    step = Math.max(1, Math.floor((there * STEP_COST) / cost));
  }
  return step;
}

/**
 * Returns the last row of a step; `undefined` if fewer rows are left. It reads the first table
 * only.
 */
async function edgeOf(db: Kysely<Tables>, plan: PagePlan, after: Cursor | undefined, rows: number) {
  const { source, order } = plan;
  const { rows: edges } = await sql<Record<string, string | number>>`
    select ${cursorColumns(order)} from ${sql.raw(source.from)} ${whereAll([...plan.within, ...rangeOf(plan, after, undefined)])}
    ${orderBy(plan)} limit 1 offset ${rows - 1}`.execute(db);
  return edges[0] && cursorOf(edges[0], order);
}
