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
 * Terms are letters and digits, and symbols beyond ASCII; what a list is filtered by is a term,
 * too. In the index a term begins with a letter for its table, one for its readers or for a
 * filter's value, and the slice of its record.
 *
 * Records enter it behind their writers, in batches. Triggers note who waits, in the transaction of
 * the writer, so a search that also looks at those misses nothing.
 */

/** Who reads a text of a record: everybody, or those who read what is private. */
export const READINGS = ['open', 'private'] as const;
export type Readership = (typeof READINGS)[number];

/** The sorts of terms: by who reads the texts that they come from, and values of filters. */
const SORTS = [...READINGS, 'exact'] as const;
type Sort = (typeof SORTS)[number];

/** The terms of a record. */
type RecordTerms = Readonly<Record<Sort, Iterable<string>>>;

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

/** What the terms of a table begin with in the index, those of one sort. */
export function prefixOf(table: SearchedTableName, sort: Sort): string {
  return SEARCHED_TABLES[table].letter + sort[0]!;
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

/**
 * Returns all notes; `undefined` where there are more than so many, or one stands for many records.
 */
export async function fewChanges(
  db: Kysely<Tables>,
  most: number,
): Promise<readonly NotedChange[] | undefined> {
  const beyond = sql`select 1 from search_changes limit 1 offset ${most}`;
  if ((await beyond.execute(db)).rows.length > 0) return undefined;
  const changes = await changesBefore(db, most);
  return changes.some(({ isOfRest }) => isOfRest) ? undefined : changes;
}

/** Notes of single records that one step of {@link forgetEarlier} removes; takes some 10 ms. */
const FORGOTTEN = 5_000;

/**
 * Returns the tables of which more records wait than a slice has, and than the index knows, as
 * after an import. While words are to be erased there are none: that comes after the notes before
 * it.
 */
export async function tablesWaiting(db: Kysely<Tables>): Promise<readonly SearchedTableName[]> {
  const beyond = sql`select 1 from search_changes limit 1 offset ${SLICE_RECORDS}`;
  if ((await beyond.execute(db)).rows.length === 0) return [];
  const { rows } = await sql<{ kind: string; waiting: number | string; known: number | string }>`
    select kind, count(*) as waiting,
      (select count(*) from search_records where search_records.kind = search_changes.kind) as known
    from search_changes group by kind`.execute(db);
  if (rows.some(({ kind }) => kind === ERASURE)) return [];
  return rows.flatMap(({ kind, waiting, known }) => {
    const isMost = Number(waiting) > Math.max(SLICE_RECORDS, Number(known));
    return isMost ? (BY_LETTER.get(kind) ?? []) : [];
  });
}

/**
 * Notes that all records of a table are to be indexed in the order of their list, so that slices
 * are of neighbours, in whatever order they were written.
 * @returns the note; {@link forgetEarlier} removes those that it stands for.
 */
export async function noteTable(tx: Kysely<Tables>, table: SearchedTableName): Promise<number> {
  const { id } = await tx
    .insertInto('search_changes')
    .values({ kind: SEARCHED_TABLES[table].letter.toUpperCase(), key: '' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return Number(id);
}

/** Removes notes of records of a table before a note. @returns whether there may be more. */
export async function forgetEarlier(
  tx: Kysely<Tables>,
  table: SearchedTableName,
  before: number,
): Promise<boolean> {
  lockName(tx, 'record_search');
  const { rows } = await sql<{ id: number | string }>`select id from search_changes
    where kind = ${SEARCHED_TABLES[table].letter} and id < ${before} limit ${FORGOTTEN}`.execute(
    tx,
  );
  forgetChanges(
    tx,
    rows.map(({ id }) => Number(id)),
  );
  return rows.length === FORGOTTEN;
}

/** Records that one step of {@link spreadNote} notes; takes some 10 ms. */
const SPREAD = 1_000;

/**
 * Replaces the note that stands for a whole table by notes of its next records, if it is still the
 * oldest.
 */
export async function spreadNote(
  tx: Kysely<Tables>,
  { id, table, key: after }: NotedChange,
): Promise<void> {
  const [first] = await changesToIndex(tx, 1);
  if (first?.id !== id || table === undefined) return;
  const { letter, key } = SEARCHED_TABLES[table];
  const by = spreadBy(table);
  const { rows } = await sql<{ key: string; place: string | number }>`
    select ${sql.ref(key)} as key, ${sql.ref(by)} as place from ${sql.table(table)}
    ${restOf(table, after)} order by ${sql.ref(by)}, ${sql.ref(key)} limit ${SPREAD}`.execute(tx);
  const keys = rows.map((row) => row.key);
  forgetChanges(tx, [id]);
  const note = (kind: string, of: readonly string[]) =>
    sql`insert into search_changes (kind, key) select ${kind}, found.key
      from (${valuesOf(tx, of)}) as found`.execute(tx);
  if (keys.length > 0) await note(letter, keys);
  const last = rows.at(-1);
  if (last !== undefined && keys.length === SPREAD)
    await note(letter.toUpperCase(), [JSON.stringify([last.place, last.key])]);
}

/**
 * Records are noted in the order of their list, so slices are of neighbours. That of suppressions
 * has no index.
 */
function spreadBy(table: SearchedTableName): string {
  const { order, key } = SEARCHED_TABLES[table];
  return table === 'mail_suppressions' ? key : order;
}

/** The condition of the records that a note of {@link spreadNote} stands for. */
function restOf(table: SearchedTableName, after: string): RawBuilder<unknown> {
  if (after === '') return sql``;
  const [place, last] = JSON.parse(after) as [string | number, string];
  const { key } = SEARCHED_TABLES[table];
  return sql`where (${sql.ref(spreadBy(table))}, ${sql.ref(key)}) > (${place}, ${last})`;
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
  for (const [letter, table] of BY_LETTER) {
    const { rows } = await sql<{ key: string }>`select key from search_changes
      where kind = ${letter.toUpperCase()}`.execute(db);
    for (const { key: after } of rows)
      waiting += await count(sql`from ${sql.table(table)} ${restOf(table, after)}`);
  }
  return waiting;
}

/** What the index is to know of a record. */
export interface IndexedRecord {
  readonly key: string;
  /** Where it is in the order of {@link SEARCHED_TABLES}. */
  readonly place: string | number;
  readonly terms: RecordTerms;
}

/** Records of a slice; a search gathers at most so many that have a term. */
const SLICE_RECORDS = 8_192;

/** Indexes records of a table; replaces what was indexed of them before. */
export async function indexTermsOf(
  tx: Kysely<Tables>,
  table: SearchedTableName,
  records: readonly IndexedRecord[],
): Promise<void> {
  const { letter } = SEARCHED_TABLES[table];
  const keys = records.map(({ key }) => key);
  const { rows } = await sql<{ id: number | string; key: string; slice: string }>`
    select id, key, slice from search_records
    where kind = ${letter} and key in (${valuesOf(tx, keys)})`.execute(tx);
  const known = new Map(rows.map(({ key, slice }) => [key, slice]));
  const open = known.size < keys.length ? await openSlice(tx, letter) : '';
  const sliceOf = (key: string) => known.get(key) ?? open;
  const added = keys.filter((key) => !known.has(key));
  send(
    tx,
    sql`insert into search_records (kind, key, slice) select ${letter}, found.key, ${open}
      from (${valuesOf(tx, added)}) as found where found.key is not null`.compile(tx),
  );
  for (const [slice, its] of Map.groupBy(records, ({ key }) => sliceOf(key)))
    widenSlice(tx, letter, slice, its.map(({ place }) => placeText(place)).toSorted());
  const terms = records.map((record) =>
    SORTS.flatMap((sort) => {
      const prefix = prefixOf(table, sort) + sliceOf(record.key);
      return Array.from(record.terms[sort], (term) => prefix + term);
    }).join(' '),
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
  if (!isPostgres(tx)) return;
  // One that was deleted while the words waited for its lock has come back without its record.
  const ids = rows.map(({ id }) => id);
  const orphans = sql`delete from record_search where rowid = any (${ids}::bigint[])
    and not exists (select 1 from search_records where id = rowid)`;
  send(tx, orphans.compile(tx));
}

/**
 * The slice for new records of a table: the last one until it is full. Slices without records go.
 */
async function openSlice(tx: Kysely<Tables>, letter: string): Promise<string> {
  const { rows } = await sql<{ slice: string; count: number | string }>`select slice,
    (select count(*) from search_records where kind = ${letter} and slice = found.slice) as count
    from (select slice from search_slices where kind = ${letter} order by slice desc limit 1) as found`.execute(
    tx,
  );
  const last = rows[0];
  if (last !== undefined && Number(last.count) < SLICE_RECORDS) return last.slice;
  send(
    tx,
    sql`delete from search_slices where kind = ${letter} and not exists (select 1 from search_records
      where search_records.kind = ${letter} and search_records.slice = search_slices.slice)`.compile(
      tx,
    ),
  );
  return (Number.parseInt(last?.slice ?? '0', 36) + 1).toString(36).padStart(3, '0');
}

function widenSlice(
  tx: Kysely<Tables>,
  letter: string,
  slice: string,
  places: readonly string[],
): void {
  send(
    tx,
    sql`insert into search_slices (kind, slice, first, last)
      values (${letter}, ${slice}, ${places[0]}, ${places.at(-1)}) on conflict (kind, slice) do update set
      first = case when excluded.first < search_slices.first then excluded.first else search_slices.first end,
      last = case when excluded.last > search_slices.last then excluded.last else search_slices.last end`.compile(
      tx,
    ),
  );
}

/** A place in the order of a table as a text that compares as the place does. */
export function placeText(place: string | number): string {
  return typeof place === 'string' ? place : String(Math.max(0, place)).padStart(16, '0');
}

/** Takes a record that is gone out of the index. */
export function unindexRecord(tx: Kysely<Tables>, { table, key }: RecordKey): void {
  const its = sql`kind = ${SEARCHED_TABLES[table].letter} and key = ${key}`;
  const id = sql`(select id from search_records where ${its})`;
  send(tx, sql`delete from record_search where rowid = ${id}`.compile(tx));
  send(tx, sql`delete from search_records where ${its}`.compile(tx));
}

/** Texts as rows of one column. */
export function valuesOf(db: Kysely<Tables>, texts: readonly string[]): RawBuilder<unknown> {
  return isPostgres(db)
    ? sql`select unnest(${texts}::text[]) as key`
    : sql`select value as key from json_each(${JSON.stringify(texts)})`;
}
