import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Bound, Condition, FilterOrder, IndexOrder, RowSource } from '../records/list.ts';
import { isPostgres } from '../store/engine-of.ts';
import type { Tables } from '../store/tables/tables.ts';
import type { Cursor } from './cursor.ts';

/** So much of {@link Condition.cost} is a step, and at least one row: ten milliseconds at worst. */
export const STEP_COST = 2 ** 24;

/** The tables and columns of a list. */
export interface ListSource extends RowSource {
  readonly columns: string;
}

/** The bounds of a page when a condition has no index. */
export interface ReadingLimits {
  /** Maximum number of rows scanned. */
  readonly rows: number;
  /** How long a page looks for its rows: nothing else is begun after this time; ms. */
  readonly ms: number;
}

export interface PageQuery extends ListSource {
  /** The name of the order; cursors contain it. */
  readonly sort: string;
  readonly order: IndexOrder;
  readonly descending: boolean;
  /** The index of a filter that has the order, and the order of the list itself. */
  readonly by?: (FilterOrder & { readonly own: IndexOrder }) | undefined;
  readonly conditions: readonly Condition[];
  readonly limit: number;
  readonly reading: ReadingLimits;
  readonly cursor: string | undefined;
}

export interface PagePlan
  extends PageQuery,
    Pick<Way, 'source' | 'order' | 'sorted' | 'within' | 'bounds'> {
  /** When the time of {@link ReadingLimits} is over; ms, as `performance.now()` has it. */
  readonly end: number;
}

/** The rows of a page and one more, and the last row that was scanned if others follow. */
export interface Scanned<Row> {
  readonly rows: readonly (Row & Record<string, string | number>)[];
  readonly edge?: Cursor | undefined;
}

/**
 * The range of the index from one row, without it, up to another. It has one condition at each end:
 * of two, SQLite takes any for its search in the index, and reads what the other one excludes.
 */
export function rangeOf(
  plan: PagePlan,
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
  /** The columns of that index which have the order. */
  readonly sorted: IndexOrder;
  /** What the index applies. */
  readonly within: readonly RawBuilder<boolean>[];
  /** Likewise, on its first column. */
  readonly bounds: readonly Bound[];
  /** The others, which must not affect the choice of index. */
  readonly loose: readonly RawBuilder<boolean>[];
}

/**
 * The first condition with an index selects it. Others apply to the index only where they bound its
 * first sort column.
 */
export function wayOf(query: PageQuery): Way {
  const leading = query.conditions.find(({ indexed }) => indexed);
  const order = leading?.order ?? query.order;
  const isNull = leading?.isNull;
  const sorted =
    isNull === undefined ? order : [{ sql: isNull, type: 'string' as const }, ...order];
  const within = leading === undefined ? [] : [leading.sql];
  const bounds: Bound[] = [];
  const loose: RawBuilder<boolean>[] = [];
  for (const condition of query.conditions) {
    if (condition === leading) continue;
    if (condition.bounds?.columns.includes(order[0]!.sql)) bounds.push(condition.bounds.bound);
    else loose.push(sql<boolean>`coalesce(${condition.sql}, false)`);
  }
  return { source: leading?.source ?? query, order, sorted, within, bounds, loose };
}

/**
 * The rows of a source as SQL. Each row of the second table is looked up by itself: a planner that
 * merges the indexes of both tables would read every row of the second table that comes before the
 * page.
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

export function orderBy({
  sorted,
  descending,
}: Pick<PagePlan, 'sorted' | 'descending'>): RawBuilder<unknown> {
  return sql.raw(
    `order by ${sorted.map((column) => `${column.sql}${descending ? ' desc' : ''}`).join(', ')}`,
  );
}

export function cursorColumns(order: IndexOrder): RawBuilder<unknown> {
  return sql.raw(order.map((column, index) => `${column.sql} as cursor_${index}`).join(', '));
}

export function cursorOf(row: Record<string, string | number>, order: IndexOrder): Cursor {
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
