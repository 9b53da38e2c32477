import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import { lockName } from './row-lock.ts';
import { SEARCHED_TABLES, type SearchedTableName } from './schema/search.ts';
import { send } from './scope.ts';
import type { Tables } from './tables/tables.ts';

export { noteAllForSearch, SEARCHED_TABLES, type SearchedTableName } from './schema/search.ts';

/**
 * The index of the words of records, on both engines alike: a record is a set of terms, a search
 * asks for the records whose set has all of some, or terms that begin with them. SQLite keeps the
 * sets in an FTS5 table without content or positions, PostgreSQL as `tsvector` with a GIN index.
 * Terms are letters and digits, and symbols beyond ASCII.
 *
 * Records enter it behind their writers, in batches. Triggers note who waits, in the transaction of
 * the writer, so a search that also looks at those misses nothing.
 */

/** Who reads a text of a record: everybody, or those who read what is private. */
export const READINGS = ['open', 'private'] as const;
export type Readership = (typeof READINGS)[number];

/** The terms of a record, by who reads the texts that they come from. */
export type RecordTerms = Readonly<Record<Readership, Iterable<string>>>;

/** A record of a table. */
export interface RecordKey {
  readonly table: SearchedTableName;
  readonly key: string;
}

const BY_LETTER = new Map(
  Object.entries(SEARCHED_TABLES).map(([table, { letter }]) => [
    letter as string,
    table as SearchedTableName,
  ]),
);

/** What the terms of a table begin with in the index, for one kind of readers. */
function prefixOf(table: SearchedTableName, reading: Readership): string {
  return SEARCHED_TABLES[table].letter + reading[0]!;
}

/**
 * A note that a record has other words than the index; without a table, that words are to be erased
 * ({@link noteErasure}).
 */
export interface NotedChange extends Pick<RecordKey, 'key'> {
  readonly id: number;
  readonly table: SearchedTableName | undefined;
  /** Whether it stands for all records of the table whose keys come after it. */
  readonly isOfRest: boolean;
}

/** Stands for no table. */
const ERASURE = '*';

/**
 * Notes that the words of deleted records are to leave the files of the database. SQLite only marks
 * them as deleted, until it happens to merge what they stand in.
 */
export async function noteErasure(tx: Kysely<Tables>): Promise<void> {
  await tx.insertInto('search_changes').values({ kind: ERASURE, key: '' }).execute();
}

/** Pages that one step of {@link mergeWords} writes; takes some 10 ms. */
const MERGED_PAGES = 200;

/**
 * Merges the whole index, step by step, which leaves out what is deleted.
 * @returns whether there is more to do.
 */
export async function mergeWords(tx: Kysely<Tables>, isFirst: boolean): Promise<boolean> {
  if (isPostgres(tx)) return false;
  const changes = async () =>
    (await sql<{ count: number }>`select total_changes() as count`.execute(tx)).rows[0]!.count;
  const before = await changes();
  const pages = isFirst ? -MERGED_PAGES : MERGED_PAGES;
  await sql`insert into record_search (record_search, rank) values ('merge', ${pages})`.execute(tx);
  // SQLite's own sign that nothing was left to merge.
  return (await changes()) - before >= 2;
}

/** Returns the oldest notes of changes. */
export async function changesBefore(
  db: Kysely<Tables>,
  most: number,
): Promise<readonly NotedChange[]> {
  const { rows } = await sql<{ id: number | string; kind: string; key: string }>`
    select id, kind, key from search_changes order by id limit ${most}`.execute(db);
  return rows.map(({ id, kind, key }) => {
    const letter = kind.toLowerCase();
    return { id: Number(id), table: BY_LETTER.get(letter), key, isOfRest: letter !== kind };
  });
}

/** Records that one step of {@link spreadNote} notes; takes some 10 ms. */
const SPREAD = 1_000;

/** Notes the next records of a table in place of the note that stands for them, if it is still the oldest. */
export async function spreadNote(
  tx: Kysely<Tables>,
  { id, table, key: after }: NotedChange,
): Promise<void> {
  const [first] = await changesToIndex(tx, 1);
  if (first?.id !== id || table === undefined) return;
  const { letter, key } = SEARCHED_TABLES[table];
  const { rows } = await sql<{ key: string }>`select ${sql.ref(key)} as key from ${sql.table(table)}
    where ${sql.ref(key)} > ${after} order by ${sql.ref(key)} limit ${SPREAD}`.execute(tx);
  const keys = rows.map((row) => row.key);
  forgetChanges(tx, [id]);
  const note = (kind: string, of: readonly string[]) =>
    sql`insert into search_changes (kind, key) select ${kind}, found.key
      from (${valuesOf(tx, of)}) as found`.execute(tx);
  if (keys.length > 0) await note(letter, keys);
  if (keys.length === SPREAD) await note(letter.toUpperCase(), keys.slice(-1));
}

/**
 * Returns the oldest notes of changes, for one write at a time: of two at once, the one that read a
 * record earlier could be the last to index it, or index it after its deletion.
 */
export function changesToIndex(tx: Kysely<Tables>, most: number): Promise<readonly NotedChange[]> {
  lockName(tx, 'record_search');
  return changesBefore(tx, most);
}

/** Removes notes of changes that the index has now. */
export function forgetChanges(tx: Kysely<Tables>, ids: readonly number[]): void {
  const these = isPostgres(tx)
    ? sql`id = any (${ids}::bigint[])`
    : sql`id in (select value from json_each(${JSON.stringify(ids)}))`;
  send(tx, sql`delete from search_changes where ${these}`.compile(tx));
}

/** How many records wait, at most. */
export async function countChanges(db: Kysely<Tables>): Promise<number> {
  const count = async (from: RawBuilder<unknown>) => {
    const { rows } = await sql<{
      count: number | string;
    }>`select count(*) as count ${from}`.execute(db);
    return Number(rows[0]!.count);
  };
  let waiting = await count(sql`from search_changes`);
  for (const [table, { letter, key }] of Object.entries(SEARCHED_TABLES)) {
    const { rows } = await sql<{ key: string }>`select key from search_changes
      where kind = ${letter.toUpperCase()}`.execute(db);
    for (const { key: after } of rows)
      waiting += await count(sql`from ${sql.table(table)} where ${sql.ref(key)} > ${after}`);
  }
  return waiting;
}

/** Indexes records of a table, in place of what was indexed of them before. */
export function indexTermsOf(
  tx: Kysely<Tables>,
  table: SearchedTableName,
  records: readonly { readonly key: string; readonly terms: RecordTerms }[],
): void {
  const { letter } = SEARCHED_TABLES[table];
  const keys = records.map(({ key }) => key);
  const terms = records.map((record) =>
    READINGS.flatMap((reading) =>
      Array.from(record.terms[reading], (term) => prefixOf(table, reading) + term),
    ).join(' '),
  );
  send(
    tx,
    sql`insert into search_records (kind, key) select ${letter}, found.key
      from (${valuesOf(tx, keys)}) as found where found.key is not null on conflict do nothing`.compile(
      tx,
    ),
  );
  const pairs = JSON.stringify(keys.map((key, at) => [key, terms[at]]));
  const query = isPostgres(tx)
    ? sql`insert into record_search (rowid, terms)
        select search_records.id, array_to_tsvector(string_to_array(found.terms, ' '))
        from unnest(${keys}::text[], ${terms}::text[]) as found (key, terms)
        join search_records on kind = ${letter} and search_records.key = found.key
        on conflict (rowid) do update set terms = excluded.terms`
    : sql`insert or replace into record_search (rowid, terms)
        select search_records.id, found.value ->> 1 from json_each(${pairs}) as found
        cross join search_records on kind = ${letter} and search_records.key = found.value ->> 0`;
  send(tx, query.compile(tx));
}

/** Takes a record that is gone out of the index. */
export function unindexRecord(tx: Kysely<Tables>, { table, key }: RecordKey): void {
  const its = sql`kind = ${SEARCHED_TABLES[table].letter} and key = ${key}`;
  const id = sql`(select id from search_records where ${its})`;
  send(tx, sql`delete from record_search where rowid = ${id}`.compile(tx));
  send(tx, sql`delete from search_records where ${its}`.compile(tx));
}

/** What is looked for in the index. */
export interface IndexQuery {
  readonly table: SearchedTableName;
  /** All of these. */
  readonly terms: readonly { readonly term: string; readonly isPrefix: boolean }[];
  /** Whose texts count. */
  readonly readings: readonly Readership[];
  /** Keys of records whose words in the index do not count. */
  readonly but?: readonly string[];
  /** Keys of the only records that count. */
  readonly only?: readonly string[];
}

/** A query for the keys of the records that the index finds, as `key`. */
export function foundKeys(db: Kysely<Tables>, query: IndexQuery): RawBuilder<unknown> {
  const hits = idsOf(db, query);
  // PostgreSQL takes an array of ids as few, and a set of rows for anything; SQLite keeps the order
  // of a cross join.
  return isPostgres(db)
    ? sql`select key from search_records where id = any (array (${hits}))`
    : sql`select key from (${hits}) as hit cross join search_records on id = hit.rowid`;
}

/**
 * How many records the index finds, counted up to a bound. Those that have the terms themselves are
 * counted first: SQLite gathers all that begin with a term before it counts one.
 */
export async function countFound(
  db: Kysely<Tables>,
  query: IndexQuery,
  most: number,
): Promise<number> {
  const countOf = async (terms: IndexQuery['terms']) => {
    const ids = idsOf(db, { ...query, terms });
    const { rows } = await sql<{ count: number | string }>`
      select count(*) as count from (${ids} limit ${most}) as found`.execute(db);
    return Number(rows[0]!.count);
  };
  const whole = await countOf(query.terms.map(({ term }) => ({ term, isPrefix: false })));
  const isAll = whole >= most || query.terms.every(({ isPrefix }) => !isPrefix);
  return isAll ? whole : countOf(query.terms);
}

/** Texts as rows of one column. */
export function valuesOf(db: Kysely<Tables>, texts: readonly string[]): RawBuilder<unknown> {
  return isPostgres(db)
    ? sql`select unnest(${texts}::text[]) as key`
    : sql`select value as key from json_each(${JSON.stringify(texts)})`;
}

function idsOf(db: Kysely<Tables>, query: IndexQuery): RawBuilder<unknown> {
  const postgres = isPostgres(db);
  const quote = (text: string) => (postgres ? `'${text}'` : `"${text}"`);
  const star = postgres ? ':*' : ' *';
  const each = query.terms.map(({ term, isPrefix }) => {
    const ways = query.readings.map(
      (reading) => quote(prefixOf(query.table, reading) + term) + (isPrefix ? star : ''),
    );
    return `(${ways.join(postgres ? ' | ' : ' OR ')})`;
  });
  const words = each.join(postgres ? ' & ' : ' AND ');
  const matches = postgres ? sql`terms @@ ${words}::tsquery` : sql`record_search match ${words}`;
  const within = (keys: readonly string[], is: string) =>
    keys.length === 0
      ? sql``
      : sql`and rowid ${sql.raw(is)} (select id from search_records
          where kind = ${SEARCHED_TABLES[query.table].letter} and key in (${valuesOf(db, keys)}))`;
  return sql`select rowid from record_search
    where ${matches} ${within(query.but ?? [], 'not in')} ${within(query.only ?? [], 'in')}`;
}
