import { type Kysely, type RawBuilder, sql } from 'kysely';
import { whereAll } from '../records/conditions.ts';
import type { Count, Found, FoundParts } from '../records/list.ts';
import { isPostgres } from '../store/engine-of.ts';
import { valuesOf } from '../store/record-index.ts';
import type { Slice } from '../store/record-search.ts';
import type { Tables } from '../store/tables/tables.ts';
import type { Cursor } from './cursor.ts';
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
import {
  compareRows,
  earlierOf,
  edgeOf,
  type FoundRow,
  isAfter,
  isBefore,
  laterOf,
  slicesAfter,
  slicesWithin,
} from './slice-order.ts';

/** Looks through the next rows of a list for those that meet all conditions. */
type LookThrough<Row> = (plan: PagePlan, after: Cursor | undefined) => Promise<Scanned<Row>>;

/**
 * For each row of a page the index is asked for so many keys at once. Where one slice has as many,
 * a few rows of the list are looked at first: they fill the page if most have the words. To read
 * and fold the texts of a row costs some five times as much as to sort a key.
 */
const KEYS = 20;
const LOOKED_FIRST = 2;

const STEP = 1_000;

/**
 * So many are sorted for another order than that of the index; of a list of a million rows, a page
 * finds as many as it has by looking through 10,000.
 */
const SORTED_FOUND = 4_000;

/** After so many keys, the next page goes on. */
const MOST_KEYS = 10_000;

/** So long a total is counted. */
const COUNT_MS = 25;

/**
 * So many are counted that the index finds but does not prove, whose texts are read; and of which
 * rows tell whether they meet other conditions.
 */
const UNPROVEN_COUNTED = 1_000;
const JOINED_COUNTED = 2_000;

/** Picks the rows of a page out of those that an index of words finds. */
export async function pickAfter<Row>(
  db: Kysely<Tables>,
  plan: PagePlan,
  found: Found,
  after: Cursor | undefined,
  look: LookThrough<Row>,
): Promise<Scanned<Row>> {
  const { limit, order, within, reading } = plan;
  const lookFirst = async (from: Cursor | undefined) => {
    const rows = Math.min(reading.rows, LOOKED_FIRST * (limit + 1));
    const looked = await look({ ...plan, reading: { ...reading, rows } }, from);
    return looked.edge === undefined || looked.rows.length > limit ? looked : undefined;
  };
  if (within.length > 0) {
    // Another index may have few rows.
    const all = await lookFirst(after);
    if (all !== undefined) return all;
  }
  const own = order[0]!.sql === plan.source.keyColumn ? found.column : order[0]!.sql;
  if (own === found.parts.order) return pickInParts(db, plan, found, after, look, lookFirst);
  const { count, isPart } = await found.count(db, COUNT_MS);
  const isFew = !isPart && count <= SORTED_FOUND;
  return isFew ? pickFrom<Row>(db, plan, found, after) : look(plan, after);
}

/**
 * Picks them slice by slice, in the order of the list, until no other slice can have a row that
 * belongs before the last one of the page.
 */
async function pickInParts<Row>(
  db: Kysely<Tables>,
  plan: PagePlan,
  found: Found,
  after: Cursor | undefined,
  look: LookThrough<Row>,
  lookFirst: (from: Cursor | undefined) => Promise<Scanned<Row> | undefined>,
): Promise<Scanned<Row>> {
  const { limit, end } = plan;
  const { parts } = found;
  let left = slicesAfter(plan, slicesWithin(plan, parts.slices), after);
  let keys = parts.others;
  let rows: FoundRow<Row>[] = [];
  let asked = 0;
  for (;;) {
    const next = await nextPart(db, parts, left, KEYS * (limit + 1));
    if (next.dense !== undefined) {
      // Nothing that is found comes before this slice, unless it is not in the index yet.
      const filled = await lookFirst(
        parts.others.length > 0 ? after : laterOf(plan, after, next.dense),
      );
      if (filled !== undefined) return filled;
    }
    keys = [...keys, ...next.keys];
    asked += keys.length;
    left = next.left;
    const queries = [
      ...(keys.length === 0 ? [] : [valuesOf(db, keys)]),
      ...(next.dense === undefined ? [] : [parts.keys(db, [next.dense])]),
    ];
    let stoppedAt: Cursor | undefined;
    if (queries.length > 0) {
      const some = { ...found, keys: sql.join(queries, sql` union all `) };
      const picked = await pickFrom<Row>(db, plan, some, after);
      rows.push(...picked.rows);
      rows = rows.toSorted((one, other) => compareRows(plan, one, other)).slice(0, limit + 1);
      stoppedAt = picked.edge;
    }
    const edge = edgeOf(plan, left);
    // A slice that also has what comes before this page is looked through at any rate.
    const isLater = edge === undefined || laterOf(plan, after, left[0]!) !== after;
    if (stoppedAt !== undefined) {
      if (!isLater) return look(plan, after);
      const last = earlierOf(plan, stoppedAt, edge);
      return { rows: rows.filter((row) => !isAfter(plan, row, last)), edge: last };
    }
    const sure = edge === undefined ? rows : rows.filter((row) => isBefore(plan, row, left));
    if (edge === undefined || sure.length > limit) return { rows: sure };
    if (next.dense !== undefined) asked += MOST_KEYS / 2;
    // Where another index narrows the list as well, frequent words are looked for there. Texts are
    // not: each is read in another table.
    if (plan.within.length > 0 && plan.source.keyColumn === undefined) return look(plan, after);
    if (performance.now() > end || asked > MOST_KEYS)
      return isLater ? { rows: sure, edge } : look(plan, after);
    keys = [];
  }
}

interface Part {
  readonly keys: readonly string[];
  readonly left: readonly Slice[];
  /** The first slice with any, when it has many; its keys are not asked for. */
  readonly dense?: Slice;
}

/** The keys of the next slices that have any. */
async function nextPart(
  db: Kysely<Tables>,
  { first }: FoundParts,
  slices: readonly Slice[],
  most: number,
): Promise<Part> {
  if (slices.length === 0) return { keys: [], left: [] };
  const found = await first(db, slices, most);
  const keys = found.map(({ key }) => key);
  if (found.length < most) return { keys, left: [] };
  const places = new Map(slices.map(({ slice }, at) => [slice, at]));
  const last = Math.max(...found.map(({ slice }) => places.get(slice)!));
  const whole = found.filter(({ slice }) => slice !== slices[last]!.slice);
  // Of the last slice there may be more.
  if (whole.length > 0) return { keys: whole.map(({ key }) => key), left: slices.slice(last) };
  return { keys: [], left: slices.slice(last + 1), dense: slices[last]! };
}

/**
 * The rows after one that the index finds and all conditions are met by, and one more. Texts are
 * read only of the next ones, more at a time where the index finds many that have its terms but not
 * the words.
 */
async function pickFrom<Row>(
  db: Kysely<Tables>,
  plan: PagePlan,
  found: Found,
  after: Cursor | undefined,
): Promise<Scanned<Row>> {
  const { limit, order, end } = plan;
  const rows: FoundRow<Row>[] = [];
  let edge = after;
  let step = limit + 1;
  for (;;) {
    const keys = await nextFound(db, plan, found, edge, step);
    for (const some of await chunksOf(db, plan, found, keys)) {
      rows.push(...(await rowsOfKeys<Row>(db, plan, found, some)));
      if (rows.length > limit) return { rows };
      edge = cursorOf(some.at(-1)!, order);
      const isLast = keys.length < step && some.at(-1) === keys.at(-1);
      if (!isLast && performance.now() > end) return { rows, edge };
    }
    if (keys.length < step) return { rows };
    step = Math.min(step * 4, STEP);
  }
}

/** Keys in their order, at a time as many as have texts of {@link STEP_COST}, and at least one. */
async function chunksOf(
  db: Kysely<Tables>,
  plan: PagePlan,
  { column, isExact }: Found,
  keys: readonly FoundKey[],
): Promise<readonly (readonly FoundKey[])[]> {
  const costs = plan.conditions.flatMap(({ cost }) => cost ?? []);
  if (isExact || costs.length === 0 || keys.length < 2) return keys.length === 0 ? [] : [keys];
  const { rows } = await sql<{ key: string; cost: number | string }>`
    select ${sql.raw(column)} as key, ${sql.join(costs, sql` + `)} as cost from ${rowsOf(db, plan)}
    where ${sql.raw(column)} in (${sql.join(keys.map((row) => row.found_key!))})`.execute(db);
  const known = new Map(rows.map(({ key, cost }) => [key, Number(cost)]));
  const chunks: FoundKey[][] = [];
  let left = 0;
  for (const key of keys) {
    const cost = known.get(String(key.found_key)) ?? 0;
    if (chunks.length === 0 || cost > left) {
      chunks.push([]);
      left = STEP_COST;
    }
    chunks.at(-1)!.push(key);
    left -= cost;
  }
  return chunks;
}

type FoundKey = Record<string, string | number>;

/** The next keys in the order of the list. */
async function nextFound(
  db: Kysely<Tables>,
  plan: PagePlan,
  found: Found,
  after: Cursor | undefined,
  most: number,
): Promise<readonly FoundKey[]> {
  const { order } = plan;
  const { rows } = await sql<FoundKey>`
    select ${sql.raw(keyOf(plan, found))} as found_key, ${cursorColumns(order)} ${fromFound(db, plan, found)}
    ${whereFound(db, plan, found, rangeOf({ ...plan, bounds: [] }, after, undefined))}
    ${orderBy(plan)} limit ${most}`.execute(db);
  return rows;
}

/** The rows of some keys that have the words, in the order of the list. */
async function rowsOfKeys<Row>(
  db: Kysely<Tables>,
  plan: PagePlan,
  { column, isExact }: Found,
  keys: readonly FoundKey[],
): Promise<FoundRow<Row>[]> {
  const { order, columns, conditions } = plan;
  const told = isExact ? [] : conditions.flatMap((condition) => condition.told ?? []);
  const texts = told.map(({ text }, at) => sql`, ${sql.raw(text)} as ${sql.ref(`told_${at}`)}`);
  const those = sql.join(keys.map((row) => row.found_key!));
  const { rows } = await sql<FoundRow<Row>>`
    select ${sql.raw(columns)}, ${cursorColumns(order)}${sql.join(texts, sql``)} from ${rowsOf(db, plan)}
    where ${sql.raw(column)} in (${those}) ${orderBy(plan)}`.execute(db);
  return rows.filter((row) => told.every(({ by }, at) => by(String(row[`told_${at}`]))));
}

/** Counts the rows that the index finds and all conditions are met by, for {@link COUNT_MS}. */
export async function countFoundRows(
  db: Kysely<Tables>,
  query: PageQuery,
  found: Found,
  most: number,
): Promise<Count> {
  const end = performance.now() + COUNT_MS;
  const others = query.conditions.filter(
    (one) => one.found === undefined && one.exact === undefined,
  );
  const { count, isPart } = await found.count(db, COUNT_MS);
  if (found.isExact && others.length === 0) return { count: Math.min(count, most + 1), isPart };
  if (isPart || count > (found.isExact ? JOINED_COUNTED : UNPROVEN_COUNTED))
    return { count: 0, isPart: true };
  const { source } = wayOf(query);
  const plan: PagePlan = { ...query, source, sorted: query.order, within: [], bounds: [], end };
  if (!found.isExact) return countUnproven(db, plan, found);
  const { rows } = await sql<{ count: number | string }>`select count(*) as count
    ${fromFound(db, plan, found)} ${whereFound(db, plan, found, [])}`.execute(db);
  return { count: Number(rows[0]!.count), isPart: false };
}

/** Counts by reading texts. */
async function countUnproven(db: Kysely<Tables>, plan: PagePlan, found: Found): Promise<Count> {
  const keys = await nextFound(db, plan, found, undefined, UNPROVEN_COUNTED);
  let count = 0;
  for (const some of await chunksOf(db, plan, found, keys)) {
    if (performance.now() > plan.end) return { count, isPart: true };
    count += (await rowsOfKeys(db, plan, found, some)).length;
  }
  return { count, isPart: false };
}

/** The column with the keys, in the table that the page is read from first. */
function keyOf({ source }: PagePlan, { column }: Found): string {
  return source.keyColumn ?? column;
}

/** The tables of a list, on SQLite after the keys that the index finds. */
function fromFound(db: Kysely<Tables>, plan: PagePlan, { keys }: Found): RawBuilder<unknown> {
  const tables = readsSecond(plan) ? rowsOf(db, plan.source) : sql.raw(plan.source.from);
  return isPostgres(db) ? sql`from ${tables}` : sql`from (${keys}) as found cross join ${tables}`;
}

/**
 * Whether the order of a list or a condition may be of its second table, in which else no row is
 * looked up for each key. The first one alone has the values that the index knows, and times.
 */
function readsSecond({ source, order, conditions }: PagePlan): boolean {
  const { lookUp, keyColumn } = source;
  if (lookUp === undefined || keyColumn !== undefined) return lookUp !== undefined;
  return (
    order.some((column) => column.sql.includes(`${lookUp.table}.`)) ||
    conditions.some(({ found, exact, bounds }) => (found ?? exact ?? bounds) === undefined)
  );
}

/**
 * All conditions of a list, applied to the rows that the index of words finds; no other index
 * applies any of them.
 */
function whereFound(
  db: Kysely<Tables>,
  plan: PagePlan,
  found: Found,
  range: readonly RawBuilder<boolean>[],
): RawBuilder<unknown> {
  const column = sql.raw(keyOf(plan, found));
  const isFound = isPostgres(db)
    ? sql<boolean>`${column} = any (array (${found.keys}))`
    : sql<boolean>`${column} = found.key`;
  const all = plan.conditions.map((condition) => sql<boolean>`coalesce(${condition.sql}, false)`);
  return whereAll([isFound, ...all, ...range]);
}
