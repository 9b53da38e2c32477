import { type Kysely, type RawBuilder, sql } from 'kysely';
import { isPostgres } from './engine-of.ts';
import { send } from './scope.ts';
import type { Tables, TEXT_INDEXES } from './tables/tables.ts';

/**
 * Indexes of texts by the terms in them, on both engines alike: a text is a set of terms, a search
 * asks for the rows whose set has some of them. SQLite keeps the sets in an FTS5 table without
 * content or positions, PostgreSQL in an array with a GIN index; neither needs an extension, and
 * both find one- and two-character words, which their own trigram indexes do not.
 */
type TextIndexName = (typeof TEXT_INDEXES)[number];

/** A term: some characters, few. */
export type Term = string;

/**
 * Indexes the text of a row; replaces what was indexed of it before.
 * @param rowid its id, or a query in brackets that finds it.
 */
export function indexTerms(
  tx: Kysely<Tables>,
  name: TextIndexName,
  rowid: number | RawBuilder<number>,
  terms: Iterable<Term>,
): void {
  const index = sql.table(name);
  const query = isPostgres(tx)
    ? sql`insert into ${index} (rowid, terms) values (${rowid}, ${[...terms]}::text[])
        on conflict (rowid) do update set terms = excluded.terms`
    : sql`insert or replace into ${index} (rowid, terms) values (${rowid}, ${wordsOf(terms).join(' ')})`;
  send(tx, query.compile(tx));
}

/** Removes the row with an id from the index. */
export function removeTerms(tx: Kysely<Tables>, name: TextIndexName, rowid: number): void {
  send(tx, sql`delete from ${sql.table(name)} where rowid = ${rowid}`.compile(tx));
}

/**
 * A condition: the row with the id in `column` has all of these terms, of which there is at least
 * one. The index is always asked first: PostgreSQL takes an array of ids as few, and a set of rows
 * for anything.
 */
export function hasTerms(
  db: Kysely<Tables>,
  name: TextIndexName,
  column: string,
  terms: readonly Term[],
): RawBuilder<boolean> {
  const found = sql`select rowid from ${sql.table(name)} where ${haveTerms(db, name, terms)}`;
  return isPostgres(db)
    ? sql<boolean>`${sql.ref(column)} = any (array (${found}))`
    : sql<boolean>`${sql.ref(column)} in (${found})`;
}

/**
 * Whether the engine counts rows with terms by the index alone. PostgreSQL has to see for each row
 * whether it is still there.
 */
export function countsByIndex(db: Kysely<Tables>): boolean {
  return !isPostgres(db);
}

/**
 * A condition where {@link countsByIndex}: the row with the id in `column` has some terms, at least
 * two, but not all of others. Where nearly all rows with the first have those, what is lacking is
 * found first, and quickly.
 */
export function lacksTerms(
  name: TextIndexName,
  column: string,
  has: readonly Term[],
  lacks: readonly Term[],
): RawBuilder<boolean> {
  const index = sql.table(name);
  const [first, ...words] = wordsOf(has);
  const query = `(${first} NOT (${wordsOf(lacks).join(' AND ')})) AND ${words.join(' AND ')}`;
  return sql<boolean>`${sql.ref(column)} in (select rowid from ${index} where ${index} match ${query})`;
}

/** A query for the number of rows that have all of these terms. */
export function countOfTerms(
  db: Kysely<Tables>,
  name: TextIndexName,
  terms: readonly Term[],
): RawBuilder<number> {
  return sql<number>`(select count(*) from ${sql.table(name)} where ${haveTerms(db, name, terms)})`;
}

function haveTerms(
  db: Kysely<Tables>,
  name: TextIndexName,
  terms: readonly Term[],
): RawBuilder<boolean> {
  return isPostgres(db)
    ? sql`terms @> ${[...terms]}::text[]`
    : sql`${sql.table(name)} match ${wordsOf(terms).join(' ')}`;
}

/**
 * How many rows have all of these terms, counted up to a bound.
 * @param most no more are counted; all when absent.
 */
export async function countWithTerms(
  db: Kysely<Tables>,
  name: TextIndexName,
  terms: readonly Term[],
  most?: number,
): Promise<number> {
  const index = sql.table(name);
  const bound = most === undefined ? sql`` : sql`limit ${most}`;
  const found = sql`select rowid from ${index} where ${haveTerms(db, name, terms)} ${bound}`;
  const { rows } = await sql<{
    total: number;
  }>`select count(*) as total from (${found}) as found`.execute(db);
  return rows[0]!.total;
}

/**
 * Terms as words of FTS5's query language, which are letters and digits: their code points, each in
 * base 32.
 */
function wordsOf(terms: Iterable<Term>): string[] {
  return Array.from(terms, (term) =>
    Array.from(term, (char) => `z${char.codePointAt(0)!.toString(32)}`).join(''),
  );
}
