import { type Kysely, sql } from 'kysely';
import { readingOf, type SearchedColumn, searchedText } from '../domain/search/searched.ts';
import { exactTerm, type Sought, soughtWords } from '../domain/values/record-terms.ts';
import { COUNTED_FOUND, type Condition, type Found } from '../records/list.ts';
import type { Readers } from '../records/record.ts';
import {
  fewChanges,
  type Readership,
  SEARCHED_TABLES,
  type SearchedTableName,
  valuesOf,
} from '../store/record-index.ts';
import {
  countFoundWithin,
  foundFirst,
  foundKeys,
  type Slice,
  sifting,
  slicesOf,
} from '../store/record-search.ts';
import type { Tables } from '../store/tables/tables.ts';
import { STEP_COST } from './list-sql.ts';

/** What folding costs beside comparing: so many comparisons a byte. */
const FOLDING_COST = 64;

/**
 * With more records that wait to be indexed, or longer texts of them, all are looked through in the
 * order of the list, as far as there is time for.
 */
const WAITING = 5_000;
const WAITING_COST = 4 * STEP_COST;
/** The texts of so many are read at once. */
const WAITING_STEP = 200;

/** The columns that a search looks in, and who reads each. */
export type SearchedColumns = readonly (Readers & SearchedColumn)[];

/**
 * A condition: every word of a search begins a word in one of the columns. In a script without
 * spaces it may stand anywhere. Words are folded as in the searches of the operations (semantics
 * 5.9). An index finds the rows; where it does not, the texts of a step are read and folded here,
 * since no database folds so.
 * @param table of the columns.
 * @param known the other conditions whose values the index has. They narrow what it finds.
 * @param country ISO 3166 code of the country whose phone numbers are written without `+`.
 */
export function wordsIn(
  table: keyof Tables,
  columns: SearchedColumns,
  query: string,
  known: readonly Condition[],
  country: string | undefined,
): Condition {
  const sought = soughtWords(query, country);
  if (sought.length === 0) return { sql: sql<boolean>`true`, indexed: false };
  const text = searchedText(columns);
  const letters = sought.length + FOLDING_COST;
  return {
    sql: sql<boolean>`true`,
    indexed: false,
    told: { text, by: sought.isIn },
    cost: sql<number>`${sql.raw(`(octet_length(${text}) + 1) * ${letters}`)}`,
    ...(table in SEARCHED_TABLES && {
      found: onceFor((db) =>
        foundBy(db, { table: table as SearchedTableName, columns, text, sought, letters, known }),
      ),
    }),
  };
}

/** What any text has. */
const ANY: Pick<Sought, 'isIn' | 'terms' | 'spare' | 'isProven'> = {
  isIn: () => true,
  terms: [],
  spare: [],
  isProven: true,
};

/**
 * A condition that leaves what some others leave, whose values the index has: it finds where they
 * meet, which rows with one of the values do not tell.
 * @param table that they are conditions on; the index may not have it.
 */
export function valuesIn(table: keyof Tables, known: readonly Condition[]): Condition | undefined {
  if (!(table in SEARCHED_TABLES)) return undefined;
  const search = { table: table as SearchedTableName, columns: [], text: `''`, letters: 1, known };
  return {
    sql: sql<boolean>`true`,
    indexed: false,
    found: onceFor((db) => foundBy(db, { ...search, sought: ANY })),
  };
}

type Ask<T> = (db: Kysely<Tables>, ms?: number) => Promise<T>;

/** Asks once, for the page and its total. */
function onceFor<T>(ask: Ask<T>): Ask<T> {
  let asked: Promise<T> | undefined;
  return (db, ms) => {
    asked ??= ask(db, ms);
    return asked;
  };
}

interface WordSearch {
  readonly table: SearchedTableName;
  readonly columns: SearchedColumns;
  /** SQL of what is searched of a row. */
  readonly text: string;
  readonly sought: Pick<Sought, 'isIn' | 'terms' | 'spare' | 'isProven'>;
  /** Comparisons for each byte of a text. */
  readonly letters: number;
  readonly known: readonly Condition[];
}

/** Asks the index, and looks at those that wait to be indexed. */
async function foundBy(db: Kysely<Tables>, search: WordSearch): Promise<Found | undefined> {
  const { table, columns, known } = search;
  const { terms, spare, isProven } = search.sought;
  if (terms === undefined) return undefined;
  const changes = await fewChanges(db, WAITING);
  if (changes === undefined) return undefined;
  const waiting = [...new Set(changes.filter((one) => one.table === table).map(({ key }) => key))];
  const { key, order } = SEARCHED_TABLES[table];
  const column = `${table}.${key}`;
  const readings = [...new Set(columns.map(readingOf))] as readonly Readership[];
  const met = await metBy(db, column, search, waiting);
  if (met === undefined) return undefined;
  const slices = await slicesOf(db, table);
  const values = known.flatMap((one) => one.exact ?? []);
  const exact = new Set(values.map(({ of, value }) => exactTerm(of, value)));
  const query = await sifting(db, {
    ...{ table, readings, slices, but: waiting, spare },
    terms: [
      ...terms,
      ...Array.from(exact, (term) => ({ term, isPrefix: false, isExact: true as const })),
    ],
  });
  const found = foundKeys(db, query);
  // How many records the page found in each slice; the total does not ask the index for these
  // again.
  const counted = new Map<Slice, number>();
  return {
    keys: met.length === 0 ? found : sql`${found} union all ${valuesOf(db, met)}`,
    column,
    count: onceFor(async (at, ms = Number.POSITIVE_INFINITY) => {
      const told = counted.values().reduce((sum, one) => sum + one, met.length);
      const rest = { ...query, slices: slices.filter((one) => !counted.has(one)) };
      const most = COUNTED_FOUND + 1 - told;
      if (rest.slices.length === 0 || most <= 0) return { count: told, isPart: false };
      const others = await countFoundWithin(at, rest, most, ms);
      return { count: told + others.count, isPart: others.isPart };
    }),
    isExact: isProven && !query.isPart,
    parts: {
      order: `${table}.${order}`,
      slices,
      others: met,
      keys: (at, some) => foundKeys(at, { ...query, slices: some }),
      async first(at, some, most) {
        const hits = await foundFirst(at, { ...query, slices: some }, most);
        const bySlice = Map.groupBy(hits, ({ slice }) => slice);
        const last = hits.length < most ? undefined : hits.at(-1)!.slice;
        for (const one of some) {
          // Of the last one there may be more.
          if (one.slice === last) break;
          counted.set(one, bySlice.get(one.slice)?.length ?? 0);
        }
        return hits;
      },
    },
  };
}

/**
 * Those of some records that have the words and the values now; `undefined` where their texts cost
 * more than {@link WAITING_COST}.
 */
async function metBy(
  db: Kysely<Tables>,
  column: string,
  { table, text, sought, letters, known }: WordSearch,
  keys: readonly string[],
): Promise<readonly string[] | undefined> {
  const met: string[] = [];
  let cost = 0;
  for (let first = 0; first < keys.length; first += WAITING_STEP) {
    const some = valuesOf(db, keys.slice(first, first + WAITING_STEP));
    const conditions = [
      sql<boolean>`${sql.raw(column)} in (${some})`,
      ...known.map((one) => one.sql),
    ];
    const { rows } = await sql<{ key: string; text: string }>`
      select ${sql.raw(column)} as key, ${sql.raw(text)} as text from ${sql.table(table)}
      where ${sql.join(conditions, sql` and `)}`.execute(db);
    for (const row of rows) {
      cost += (Buffer.byteLength(row.text) + 1) * letters;
      if (cost > WAITING_COST) return undefined;
      if (sought.isIn(row.text)) met.push(row.key);
    }
  }
  return met;
}
