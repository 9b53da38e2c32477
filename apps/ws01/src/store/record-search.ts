import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import { prefixOf, type Readership, valuesOf } from './record-index.ts';
import { SEARCHED_TABLES, type SearchedTableName } from './schema/search.ts';
import type { SearchSlicesTable, Tables } from './tables/tables.ts';

/** Neighbours in the index: the lowest and highest place among them, as `placeText` has places. */
export type Slice = Omit<SearchSlicesTable, 'kind'>;

/** The slices of a table. */
export async function slicesOf(
  db: Kysely<Tables>,
  table: SearchedTableName,
): Promise<readonly Slice[]> {
  const { rows } = await sql<Slice>`select slice, first, last from search_slices
    where kind = ${SEARCHED_TABLES[table].letter}`.execute(db);
  return rows;
}

/** What is looked for in the index. */
export interface IndexQuery {
  readonly table: SearchedTableName;
  /** All of these. */
  readonly terms: readonly {
    readonly term: string;
    readonly isPrefix: boolean;
    /** What a term of a record may begin with as well. */
    readonly or?: readonly string[];
    /** Whether it is a value of a filter. */
    readonly isExact?: true;
  }[];
  /** Whose texts count. */
  readonly readings: readonly Readership[];
  /** Where it is looked, one slice after another. */
  readonly slices: readonly Slice[];
  /** Keys of records whose words in the index do not count. */
  readonly but: readonly string[];
  /** What else the records have, of many words; their texts are read at any rate. */
  readonly spare?: IndexQuery['terms'];
  /** Of the terms, those that are looked for in the records that the index finds by the others. */
  readonly sifted?: IndexQuery['terms'];
  /** Whether terms were left out, so not all that it finds has the words. */
  readonly isPart?: true;
}

/** Terms that so few records have narrow a search by themselves. */
const RARE = 500;

/**
 * Of more than so many slices a beginning that a quarter of a slice has is not asked for, where so
 * few records have the rest.
 */
const FEW_SLICES = 16;
const DENSE = 2_048;
const NARROW = 4_000;

/** Of many words, so many whole terms are asked for, the rarest of so many in a few slices. */
const RAREST = 5;
const COMPARED = 32;
const COMPARED_RECORDS = 512;

/**
 * The same query with other terms, where it has more than are asked for: those that the fewest of
 * the newest records have, and no beginning that many have. The longest may be in every record.
 */
async function withRarest(db: Kysely<Tables>, query: IndexQuery): Promise<IndexQuery> {
  const { terms, spare = [], slices } = query;
  const newest = slices.toSorted((one, other) => (one.slice < other.slice ? 1 : -1)).slice(0, 2);
  if (spare.length === 0 || newest.length === 0) return query;
  const whole = spare.filter(({ isPrefix }) => !isPrefix);
  const compared = [...terms.filter(({ isExact }) => !isExact), ...whole].slice(0, COMPARED);
  const counts = compared.map((one, at) => {
    const hits = hitsOf(db, { ...query, terms: [one], slices: newest, but: [] });
    return sql`select ${sql.lit(at)} as at, count(*) as count from (${hits} limit ${COMPARED_RECORDS}) as found`;
  });
  const asking = sql<{ at: number; count: number | string }>`${sql.join(counts, sql` union all `)}`;
  const { rows } = await asking.execute(db);
  const having = new Map(rows.map(({ at, count }) => [compared[at]!, Number(count)]));
  const byCount = compared.toSorted((one, other) => having.get(one)! - having.get(other)!);
  const asked = [
    ...terms.filter(({ isExact }) => isExact),
    ...byCount.filter(({ isPrefix }) => !isPrefix).slice(0, RAREST),
    ...byCount.filter((one) => one.isPrefix && having.get(one)! < COMPARED_RECORDS),
  ];
  return asked.length === 0 ? query : { ...query, terms: asked, isPart: true };
}

/**
 * The same query with beginnings that its other terms narrow: an engine gathers all terms of a
 * slice that begin with something, however few of its records have the others. PostgreSQL looks for
 * them in what it finds by the rarest, as the newest slice says; SQLite cannot, and leaves them
 * out.
 */
export async function sifting(db: Kysely<Tables>, all: IndexQuery): Promise<IndexQuery> {
  const query = await withRarest(db, all);
  const begun = query.terms.filter(({ isPrefix }) => isPrefix);
  const whole = query.terms.filter(({ isPrefix }) => !isPrefix);
  const groups = [...begun.map((one) => [one]), whole].filter(({ length }) => length > 0);
  if (begun.length === 0 || groups.length < 2) return query;
  const byAge = query.slices.toSorted((one, other) => (one.slice < other.slice ? 1 : -1));
  const slices = isPostgres(db) ? byAge.slice(0, 1) : byAge;
  const having: number[] = [];
  for (const terms of groups)
    having.push(await countFound(db, { ...query, terms, slices, but: [] }, RARE + 1));
  const least = Math.min(...having);
  const gathersAll = isPostgres(db) || byAge.length <= FEW_SLICES;
  if (least > RARE) return gathersAll ? query : withoutDense(db, query, byAge);
  const rarest = groups[having.indexOf(least)]!;
  const sifted = begun.filter((one) => !rarest.includes(one));
  if (isPostgres(db)) return { ...query, sifted };
  return { ...query, terms: query.terms.filter((one) => !sifted.includes(one)), isPart: true };
}

/**
 * The same query without the beginnings that much of a slice has, where few records have the rest.
 * SQLite would gather all that begin so, and most texts that the rest finds have them.
 * @param slices the newest first; the very newest may have few records yet.
 */
async function withoutDense(
  db: Kysely<Tables>,
  query: IndexQuery,
  slices: readonly Slice[],
): Promise<IndexQuery> {
  const newest = { ...query, slices: slices.slice(0, 2), but: [] };
  const dense: IndexQuery['terms'][number][] = [];
  for (const one of query.terms) {
    const having = one.isPrefix ? await countFound(db, { ...newest, terms: [one] }, DENSE) : 0;
    if (having === DENSE) dense.push(one);
  }
  const terms = query.terms.filter((one) => !dense.includes(one));
  if (dense.length === 0 || terms.length === 0) return query;
  const rest = await countFound(db, { ...query, terms, slices, but: [] }, NARROW + 1);
  return rest > NARROW ? query : { ...query, terms, isPart: true };
}

/** A query for the keys of the records that the index finds, as `key`. */
export function foundKeys(db: Kysely<Tables>, query: IndexQuery): RawBuilder<unknown> {
  const hits = hitsOf(db, query);
  // PostgreSQL takes an array of ids as few, and a set of rows for anything; SQLite keeps the order
  // of a cross join.
  return isPostgres(db)
    ? sql`select key from search_records where id = any (array (select id from (${hits}) as hit))`
    : sql`select key from (${hits}) as hit cross join search_records on search_records.id = hit.id`;
}

/** The records that the index finds first, with their slices, in the order of these. */
export async function foundFirst(
  db: Kysely<Tables>,
  query: IndexQuery,
  most: number,
): Promise<readonly Readonly<{ key: string; slice: string }>[]> {
  const { rows } = await sql<{ key: string; slice: string }>`
    select search_records.key, search_records.slice from (${hitsOf(db, query)} limit ${most}) as hit
    ${isPostgres(db) ? sql`join` : sql`cross join`} search_records on search_records.id = hit.id`.execute(
    db,
  );
  return rows;
}

/** How many records the index finds, counted up to a bound. */
async function countFound(db: Kysely<Tables>, query: IndexQuery, most: number): Promise<number> {
  const { rows } = await sql<{ count: number | string }>`
    select count(*) as count from (${hitsOf(db, query)} limit ${most}) as found`.execute(db);
  return Number(rows[0]!.count);
}

/** Slices that are counted at once, where the time is bounded. */
const COUNTED_SLICES = 8;

/** The same within a time, in ms; a part if that was over before all slices were counted. */
export async function countFoundWithin(
  db: Kysely<Tables>,
  query: IndexQuery,
  most: number,
  ms: number,
): Promise<{ readonly count: number; readonly isPart: boolean }> {
  const end = performance.now() + ms;
  let count = 0;
  for (let first = 0; first < query.slices.length && count < most; first += COUNTED_SLICES) {
    if (performance.now() > end) return { count, isPart: true };
    const slices = query.slices.slice(first, first + COUNTED_SLICES);
    count += await countFound(db, { ...query, slices }, most - count);
  }
  return { count, isPart: false };
}

/** Stands in a question for the slice; no term has it. */
const SLICE = '#';

/**
 * A query for the ids of what the index finds, slice by slice: with a limit it goes no further than
 * it must. An engine gathers all that have a term, or begin with it, before it gives the first.
 */
function hitsOf(db: Kysely<Tables>, query: IndexQuery): RawBuilder<unknown> {
  const slices = valuesOf(
    db,
    query.slices.map(({ slice }) => slice),
  );
  const but =
    query.but.length === 0
      ? sql``
      : sql`and rowid not in (select id from search_records
          where kind = ${SEARCHED_TABLES[query.table].letter} and key in (${valuesOf(db, query.but)}))`;
  const { sifted = [] } = query;
  const rest = query.terms.filter((one) => !sifted.includes(one));
  const asked = questionFor(db, query, rest);
  // No index is asked for a function.
  const sift =
    sifted.length === 0
      ? sql``
      : sql`and ts_match_vq(terms, ${questionFor(db, query, sifted)}::tsquery)`;
  // PostgreSQL plans a subquery with an offset by itself, so it goes through the slices in their
  // order.
  return isPostgres(db)
    ? sql`select hit.rowid as id from (${slices}) as slice cross join lateral
        (select rowid from record_search where terms @@ ${asked}::tsquery ${sift} ${but} offset 0) as hit`
    : sql`select record_search.rowid as id from (${slices}) as slice cross join record_search
        where record_search match ${asked} ${but} ${onlyWithEach(db, query)}`;
}

/**
 * SQLite gathers all terms of a slice that begin with something, also where no record has the other
 * terms. So slices without one of them are left out: of a mailbox that nobody has, all records may
 * have the name of the host; of two words, one may begin thousands of terms, and the other none.
 */
function onlyWithEach(db: Kysely<Tables>, query: IndexQuery): RawBuilder<unknown> {
  const { table, terms, readings } = query;
  const whole = terms.filter(({ isPrefix }) => !isPrefix);
  if (terms.length < 2 || whole.length === terms.length) return sql``;
  const found = sql`and (select 1 from record_search(${questionFor(db, query, whole)}) limit 1) is not null`;
  const begun = terms.flatMap(({ term, isPrefix, or = [] }) => {
    if (!isPrefix) return [];
    const ways = readings.flatMap((reading) =>
      [term, ...or].map((one) => {
        // As the tokenizer of the index writes it.
        const first = sql`lower(${prefixOf(table, reading)} || slice.key || ${one})`;
        // SQLite joins what `exists` asks for: then it would be asked for each record that is found.
        return sql`(select 1 from record_search_terms
        where term >= ${first} and term < ${first} || char(1114111) limit 1) is not null`;
      }),
    );
    return [sql`and (${sql.join(ways, sql` or `)})`];
  });
  return sql`${whole.length === 0 ? sql`` : found} ${sql.join(begun, sql` `)}`;
}

/** What the index is asked for terms of the slice at hand, in the language of the engine. */
function questionFor(
  db: Kysely<Tables>,
  { table, readings }: IndexQuery,
  terms: IndexQuery['terms'],
): RawBuilder<string> {
  const postgres = isPostgres(db);
  const quote = (text: string) => (postgres ? `'${text}'` : `"${text}"`);
  const star = postgres ? ':*' : ' *';
  const each = terms.map(({ term, isPrefix, isExact, or = [] }) => {
    const ways = (isExact ? (['exact'] as const) : readings).flatMap((sort) => {
      const first = prefixOf(table, sort) + SLICE;
      return [
        quote(first + term) + (isPrefix ? star : ''),
        ...or.map((one) => quote(first + one) + star),
      ];
    });
    return `(${ways.join(postgres ? ' | ' : ' OR ')})`;
  });
  return sql<string>`replace(${each.join(postgres ? ' & ' : ' AND ')}, ${SLICE}, slice.key)`;
}
