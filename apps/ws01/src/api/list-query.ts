import { type Kysely, type RawBuilder, sql } from 'kysely';
import {
  type Bound,
  COUNTED_FOUND,
  type Condition,
  type Found,
  type IndexOrder,
  type RowSource,
} from '../records/list.ts';
import { isPostgres } from '../store/engine-of.ts';
import type { Store } from '../store/store.ts';
import type { Tables } from '../store/tables/tables.ts';
import { type Cursor, readCursor, writeCursor } from './cursor.ts';

/** The tables and columns of a list. */
export interface ListSource extends RowSource {
  readonly columns: string;
}

/** The bounds of a page when a condition has no index. */
export interface ReadingLimits {
  /** Maximum number of rows scanned. */
  readonly rows: number;
  /** No further {@link STEP} begins after this time; ms. */
  readonly ms: number;
}

/** Rows are scanned in steps of this many, because their cost is not known before: they may be anywhere on a disk. */
const STEP = 1_000;

/** So much of {@link Condition.cost} is a step, and at least one row: ten milliseconds at worst. */
const STEP_COST = 2 ** 24;

export interface PageQuery extends ListSource {
  /** The name of the order; cursors contain it. */
  readonly sort: string;
  readonly order: IndexOrder;
  readonly descending: boolean;
  readonly conditions: readonly Condition[];
  readonly limit: number;
  readonly reading: ReadingLimits;
  readonly cursor: string | undefined;
}

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  /** The start of the next page; `undefined` on the last page. */
  readonly next: string | undefined;
}

/**
 * Reads a page of a list by an index in its order, so the cost does not grow with the list. On SQLite it does not block
 * the event loop. A page may have fewer rows than requested and still have a next page.
 * @throws {Ws01Error} `InvalidParameter` for a cursor of another list or order.
 */
export async function readPage<Row>(
  store: Pick<Store, 'scan'>,
  query: PageQuery,
): Promise<ListPage<Row>> {
  const { limit, descending } = query;
  const { source, order, loose, ...index } = wayOf(query);
  const named = `${order === query.order ? '' : '~'}${descending ? '-' : ''}${query.sort}`;
  const after = query.cursor === undefined ? undefined : readCursor(query.cursor, named, order);
  const plan = { ...query, ...index, source, order };
  return store.scan(async (db) => {
    const found = await foundIn(db, query);
    const { rows, edge } = await (found !== undefined
      ? pickAfter<Row>(db, plan, loose, found, after)
      : loose.length === 0
        ? rowsAfter<Row>(db, plan, after)
        : scanAfter<Row>(db, plan, loose, after));
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? cursorOf(page.at(-1)!, order) : edge;
    return { rows: page, next: last && writeCursor(named, last) };
  });
}

/**
 * Counts the rows of a list by its index alone, or by that of words.
 * @returns at most one more than `most`; `undefined` where a condition has no index, because that reads every row.
 */
export async function countRows(
  store: Store,
  query: PageQuery,
  most: number,
): Promise<number | undefined> {
  const { loose, ...way } = wayOf(query);
  if (query.conditions.some(({ found }) => found !== undefined))
    return store.scan(async (db) => {
      const found = await foundIn(db, query);
      return found && countFoundRows(db, query, found, most);
    });
  if (loose.length > 0) return undefined;
  const plan: Plan = { ...query, ...way };
  return store.scan(async (db) => {
    const { rows } = await sql<{ count: number | string }>`select count(*) as count from
      (select 1 from ${sql.raw(plan.source.from)} ${whereAll([...plan.within, ...rangeOf(plan, undefined, undefined)])}
      limit ${most + 1}) counted`.execute(db);
    return Number(rows[0]!.count);
  });
}

type Plan = PageQuery & Pick<Way, 'source' | 'order' | 'within' | 'bounds'>;

/** The rows of a page and one more, and the last row that was scanned if others follow. */
interface Scanned<Row> {
  readonly rows: readonly (Row & Record<string, string | number>)[];
  readonly edge?: Cursor | undefined;
}

/** Asks the index of words, where there is a search and the index knows. */
function foundIn(db: Kysely<Tables>, query: PageQuery): Promise<Found | undefined> {
  const search = query.conditions.find(({ found }) => found !== undefined);
  return search?.found?.(db) ?? Promise.resolve(undefined);
}

/**
 * With more rows that the index finds, one looks first whether the next ones in the order of the
 * list fill the page.
 */
const FEW_FOUND = 12_000;

/** So many rows are looked at for that. */
const LOOKED_FIRST = 3_000;

/** What the index finds but does not prove is counted up to so many, since their texts are read. */
const UNPROVEN_COUNTED = 1_000;

/** Picks the rows of a page out of those that an index of words finds. */
async function pickAfter<Row>(
  db: Kysely<Tables>,
  plan: Plan,
  loose: readonly RawBuilder<boolean>[],
  found: Found,
  after: Cursor | undefined,
): Promise<Scanned<Row>> {
  const { limit, reading } = plan;
  if (found.count <= FEW_FOUND) return pickFrom<Row>(db, plan, found, after);
  const first = { ...reading, rows: Math.min(reading.rows, LOOKED_FIRST) };
  const begun = await scanAfter<Row>(db, { ...plan, reading: first }, loose, after);
  const isDone = begun.edge === undefined || begun.rows.length > limit;
  if (isDone || found.count > COUNTED_FOUND) return begun;
  const left = { ...plan, limit: limit - begun.rows.length };
  const rest = await pickFrom<Row>(db, left, found, begun.edge);
  return { ...rest, rows: [...begun.rows, ...rest.rows] };
}

/**
 * The rows after one that the index finds and all conditions are met by, and one more. Texts are
 * read only of the next ones, more at a time where the index finds many that have its terms but not
 * the words.
 */
async function pickFrom<Row>(
  db: Kysely<Tables>,
  plan: Plan,
  found: Found,
  after: Cursor | undefined,
): Promise<Scanned<Row>> {
  const { limit, order, reading } = plan;
  const end = performance.now() + reading.ms;
  const rows: (Row & Record<string, string | number>)[] = [];
  let edge = after;
  let step = limit + 1;
  for (;;) {
    const keys = await nextFound(db, plan, found, edge, step);
    if (keys.length > 0) rows.push(...(await rowsOfKeys<Row>(db, plan, found, keys)));
    const last = keys.at(-1);
    if (rows.length > limit || keys.length < step || last === undefined) return { rows };
    edge = cursorOf(last, order);
    if (performance.now() > end) return { rows, edge };
    step = Math.min(step * 4, STEP);
  }
}

type FoundKey = Record<string, string | number>;

/** The next keys in the order of the list. */
async function nextFound(
  db: Kysely<Tables>,
  plan: Plan,
  found: Found,
  after: Cursor | undefined,
  most: number,
): Promise<readonly FoundKey[]> {
  const { order, descending } = plan;
  const { rows } = await sql<FoundKey>`
    select ${sql.raw(found.column)} as found_key, ${cursorColumns(order)} ${fromFound(db, plan, found)}
    ${whereFound(db, plan, found, rangeOf({ ...plan, bounds: [] }, after, undefined))}
    ${orderBy(order, descending)} limit ${most}`.execute(db);
  return rows;
}

/** The rows of some keys that have the words, in the order of the list. */
async function rowsOfKeys<Row>(
  db: Kysely<Tables>,
  plan: Plan,
  { column }: Found,
  keys: readonly FoundKey[],
): Promise<(Row & Record<string, string | number>)[]> {
  const { order, descending, columns, conditions } = plan;
  const told = conditions.flatMap((condition) => condition.told ?? []);
  const texts = told.map(({ text }, at) => sql`, ${sql.raw(text)} as ${sql.ref(`told_${at}`)}`);
  const those = sql.join(keys.map((row) => row.found_key!));
  const { rows } = await sql<Row & Record<string, string | number>>`
    select ${sql.raw(columns)}, ${cursorColumns(order)}${sql.join(texts, sql``)} from ${rowsOf(db, plan)}
    where ${sql.raw(column)} in (${those}) ${orderBy(order, descending)}`.execute(db);
  return rows.filter((row) => told.every(({ by }, at) => by(String(row[`told_${at}`]))));
}

async function countFoundRows(
  db: Kysely<Tables>,
  query: PageQuery,
  found: Found,
  most: number,
): Promise<number | undefined> {
  const others = query.conditions.filter((condition) => condition.found === undefined);
  if (found.isExact && others.length === 0) return Math.min(found.count, most + 1);
  if (found.count > (found.isExact ? most : UNPROVEN_COUNTED)) return undefined;
  const plan: Plan = { ...query, source: query, within: [], bounds: [] };
  if (!found.isExact) {
    const keys = await nextFound(db, plan, found, undefined, UNPROVEN_COUNTED);
    return keys.length === 0 ? 0 : (await rowsOfKeys(db, plan, found, keys)).length;
  }
  const { rows } = await sql<{ count: number | string }>`select count(*) as count
    ${fromFound(db, plan, found)} ${whereFound(db, plan, found, [])}`.execute(db);
  return Number(rows[0]!.count);
}

/** The tables of a list, on SQLite after the keys that the index finds. */
function fromFound(db: Kysely<Tables>, query: PageQuery, { keys }: Found): RawBuilder<unknown> {
  return isPostgres(db)
    ? sql`from ${rowsOf(db, query)}`
    : sql`from (${keys}) as found cross join ${rowsOf(db, query)}`;
}

/** All conditions of a list, of which no index applies any, on the rows that the index finds. */
function whereFound(
  db: Kysely<Tables>,
  { conditions }: PageQuery,
  { keys, column }: Found,
  range: readonly RawBuilder<boolean>[],
): RawBuilder<unknown> {
  const isFound = isPostgres(db)
    ? sql<boolean>`${sql.raw(column)} = any (array (${keys}))`
    : sql<boolean>`${sql.raw(column)} = found.key`;
  const all = conditions.map((condition) => sql<boolean>`coalesce(${condition.sql}, false)`);
  return whereAll([isFound, ...all, ...range]);
}

/** Scans for rows that meet conditions without an index, within {@link ReadingLimits}. */
async function scanAfter<Row>(
  db: Kysely<Tables>,
  plan: Plan,
  loose: readonly RawBuilder<boolean>[],
  after: Cursor | undefined,
): Promise<Scanned<Row>> {
  const { limit, reading } = plan;
  const end = performance.now() + reading.ms;
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
 * @returns the condition that leaves them; none without such conditions; `undefined` if no row meets them.
 */
async function metRows(
  db: Kysely<Tables>,
  plan: Plan,
  after: Cursor | undefined,
  edge: Cursor | undefined,
  loose: readonly RawBuilder<boolean>[],
): Promise<readonly RawBuilder<boolean>[] | undefined> {
  const told = plan.conditions.flatMap((condition) => condition.told ?? []);
  if (told.length === 0) return [];
  const { source, order, descending, limit } = plan;
  const unique = sql.raw(order.at(-1)!.sql);
  const texts = told.map(({ text }, at) => sql`${sql.raw(text)} as ${sql.ref(`told_${at}`)}`);
  const { rows } = await sql<Record<string, string> & { readonly key: string | number }>`
    select ${unique} as key, ${sql.join(texts)} from ${rowsOf(db, source)}
    ${whereAll([...plan.within, ...rangeOf(plan, after, edge), ...loose])}
    ${orderBy(order, descending)}`.execute(db);
  const keys: (string | number)[] = [];
  for (const row of rows) {
    if (keys.length > limit) break;
    if (told.every(({ by }, at) => by(row[`told_${at}`]!))) keys.push(row.key);
  }
  return keys.length === 0 ? undefined : [sql<boolean>`${unique} in (${sql.join(keys)})`];
}

async function rowsAfter<Row>(
  db: Kysely<Tables>,
  plan: Plan,
  after: Cursor | undefined,
  edge?: Cursor,
  loose: readonly RawBuilder<boolean>[] = [],
): Promise<Scanned<Row>> {
  const { source, order, descending, columns, limit } = plan;
  return sql<Row & Record<string, string | number>>`
    select ${sql.raw(columns)}, ${cursorColumns(order)} from ${rowsOf(db, source)}
    ${whereAll([...plan.within, ...rangeOf(plan, after, edge), ...loose])}
    ${orderBy(order, descending)} limit ${limit + 1}`.execute(db);
}

/**
 * The range of the index from one row, without it, up to another. It has one condition at each end: of two, SQLite takes
 * any for its search in the index, and reads what the other one excludes.
 */
function rangeOf(
  plan: Plan,
  after: Cursor | undefined,
  edge: Cursor | undefined,
): RawBuilder<boolean>[] {
  const { order, descending, bounds } = plan;
  const range: RawBuilder<boolean>[] = [];
  for (const operator of ['>=', '<'] as const) {
    const limits = bounds.filter((bound) => bound.operator === operator).map(({ limit }) => limit);
    const limit = limits.reduce<string | number | undefined>(
      (strict, one) =>
        strict === undefined || (operator === '<' ? one < strict : one > strict) ? one : strict,
      undefined,
    );
    const isStart = (operator === '<') === descending;
    // The edge was read within the bounds; the row before the page is the client's word.
    if (!isStart && edge !== undefined) range.push(upTo(order, descending, edge));
    else if (
      isStart &&
      after !== undefined &&
      (limit === undefined || isBeyond(after[0]!, operator, limit))
    ) {
      range.push(beyond(order, descending, after));
    } else if (limit !== undefined)
      range.push(sql<boolean>`${sql.raw(`${order[0]!.sql} ${operator}`)} ${limit}`);
  }
  return range;
}

/** Whether rows after one with this value are all within a bound. */
function isBeyond(
  value: string | number,
  operator: Bound['operator'],
  limit: string | number,
): boolean {
  return operator === '<' ? value < limit : value >= limit;
}

/** The index that a page is read by, and where in it. */
interface Way {
  readonly source: RowSource;
  readonly order: IndexOrder;
  /** What the index applies. */
  readonly within: readonly RawBuilder<boolean>[];
  /** Likewise, on its first column. */
  readonly bounds: readonly Bound[];
  /** The others, which must not affect the choice of index. */
  readonly loose: readonly RawBuilder<boolean>[];
}

/** The first condition with an index selects it. Others apply to the index only where they bound its first sort column. */
function wayOf(query: PageQuery): Way {
  const leading = query.conditions.find(({ indexed }) => indexed);
  const order = leading?.order ?? query.order;
  const within = leading === undefined ? [] : [leading.sql];
  const bounds: Bound[] = [];
  const loose: RawBuilder<boolean>[] = [];
  for (const condition of query.conditions) {
    if (condition === leading) continue;
    if (condition.bounds?.columns.includes(order[0]!.sql)) bounds.push(condition.bounds.bound);
    else loose.push(sql<boolean>`coalesce(${condition.sql}, false)`);
  }
  return { source: leading?.source ?? query, order, within, bounds, loose };
}

/**
 * The rows of a source as SQL. Each row of the second table is looked up by itself: a planner that merges the indexes of
 * both tables would read every row of the second table that comes before the page.
 */
export function rowsOf(db: Kysely<Tables>, { from, lookUp }: RowSource): RawBuilder<unknown> {
  if (lookUp === undefined) return sql.raw(from);
  const { table, on, optional } = lookUp;
  // SQLite keeps the order of a cross join. PostgreSQL plans a subquery with an offset by itself.
  if (!isPostgres(db))
    return sql.raw(`${from} ${optional ? 'left' : 'cross'} join ${table} on ${on}`);
  const found = `lateral (select * from ${table} where ${on} offset 0) ${table}`;
  return sql.raw(optional ? `${from} left join ${found} on true` : `${from} cross join ${found}`);
}

/** How many rows the next step looks at: so many at most, and not more than {@link STEP_COST}. */
async function rowsOfStep(
  db: Kysely<Tables>,
  plan: Plan,
  after: Cursor | undefined,
  most: number,
): Promise<number> {
  const { source, order, descending, conditions } = plan;
  const costs = conditions.flatMap(({ cost }) => cost ?? []);
  let step = most;
  while (costs.length > 0 && step > 1) {
    const { rows } = await sql<{ rows: number | string; cost: number | string | null }>`
      select count(*) as rows, sum(cost) as cost from (select ${sql.join(costs, sql` + `)} as cost
      from ${rowsOf(db, source)} ${whereAll([...plan.within, ...rangeOf(plan, after, undefined)])}
      ${orderBy(order, descending)} limit ${step}) looked_at`.execute(db);
    const [there, cost] = [Number(rows[0]!.rows), Number(rows[0]!.cost ?? 0)];
    if (there <= 1 || cost <= STEP_COST) break;
    step = Math.max(1, Math.floor((there * STEP_COST) / cost));
  }
  return step;
}

/** Returns the last row of a step; `undefined` if fewer rows are left. It reads the first table only. */
async function edgeOf(db: Kysely<Tables>, plan: Plan, after: Cursor | undefined, rows: number) {
  const { source, order, descending } = plan;
  const { rows: edges } = await sql<Record<string, string | number>>`
    select ${cursorColumns(order)} from ${sql.raw(source.from)} ${whereAll([...plan.within, ...rangeOf(plan, after, undefined)])}
    ${orderBy(order, descending)} limit 1 offset ${rows - 1}`.execute(db);
  return edges[0] && cursorOf(edges[0], order);
}

function whereAll(conditions: readonly RawBuilder<boolean>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
}

function orderBy(order: IndexOrder, descending: boolean): RawBuilder<unknown> {
  return sql.raw(
    `order by ${order.map((column) => `${column.sql}${descending ? ' desc' : ''}`).join(', ')}`,
  );
}

function cursorColumns(order: IndexOrder): RawBuilder<unknown> {
  return sql.raw(order.map((column, index) => `${column.sql} as cursor_${index}`).join(', '));
}

function cursorOf(row: Record<string, string | number>, order: IndexOrder): Cursor {
  return order.map((_, index) => row[`cursor_${index}`]!);
}

function beyond(order: IndexOrder, descending: boolean, cursor: Cursor): RawBuilder<boolean> {
  return sql<boolean>`${tuple(order)} ${sql.raw(descending ? '<' : '>')} (${sql.join(cursor)})`;
}

function upTo(order: IndexOrder, descending: boolean, edge: Cursor): RawBuilder<boolean> {
  return sql<boolean>`${tuple(order)} ${sql.raw(descending ? '>=' : '<=')} (${sql.join(edge)})`;
}

function tuple(order: IndexOrder): RawBuilder<unknown> {
  return sql.raw(`(${order.map((column) => column.sql).join(', ')})`);
}
