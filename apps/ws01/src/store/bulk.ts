import { CompiledQuery, type Kysely } from 'kysely';
import { isPostgres } from './engine-of.ts';
import type { Tables } from './tables/tables.ts';

type Value = string | number | Uint8Array | null;
export type BulkRow = Readonly<Record<string, Value>>;

/** Row counts per statement; few sizes, so that each statement is prepared once. */
const SIZES = [256, 64, 16, 4, 1];

/** SQL texts by table, columns and size. */
const texts = new Map<string, string>();

/**
 * Inserts many rows, and skips those that violate a unique key. For imports of checked rows:
 * several times as fast as one statement per row.
 * @param columns of every row.
 * @param key some of them: a unique key.
 * @returns for each row whether this call inserted it; for rows with the same key, the first.
 */
export async function insertNew(
  tx: Kysely<Tables>,
  table: keyof Tables,
  columns: readonly string[],
  key: readonly string[],
  rows: readonly BulkRow[],
): Promise<readonly boolean[]> {
  const made = await (isPostgres(tx) ? insertReturning : insertCounted)(
    tx,
    table,
    columns,
    key,
    rows,
  );
  if (made === undefined) return rows.map(() => true);
  const keys = new Set(made.map((row) => keyOf(row, key)));
  return rows.map((row) => keys.delete(keyOf(row, key)));
}

/** Inserts rows. @returns the keys of the inserted ones; `undefined` if all were inserted. */
type Insert = (
  tx: Kysely<Tables>,
  table: keyof Tables,
  columns: readonly string[],
  key: readonly string[],
  rows: readonly BulkRow[],
) => Promise<readonly BulkRow[] | undefined>;

/** PostgreSQL returns the inserted rows. */
const insertReturning: Insert = async (tx, table, columns, key, rows) => {
  const made: BulkRow[] = [];
  for (const part of portions(rows)) {
    const sql = textFor(`p ${table} ${columns.join()} ${part.length}`, () =>
      insertText(true, table, columns, part.length, ` returning ${quoted(key)}`),
    );
    const result = await tx.executeQuery<BulkRow>(CompiledQuery.raw(sql, valuesOf(part, columns)));
    made.push(...result.rows);
  }
  return made.length === rows.length ? undefined : made;
};

/**
 * On SQLite, returning them would copy the keys. New rows get higher row ids, so counting is enough
 * in most cases.
 */
const insertCounted: Insert = async (tx, table, columns, key, rows) => {
  const last = await tx.executeQuery<{ last: number | null }>(
    CompiledQuery.raw(`select max(rowid) as last from "${table}"`),
  );
  let inserted = 0;
  for (const part of portions(rows)) {
    const sql = textFor(`s ${table} ${columns.join()} ${part.length}`, () =>
      insertText(false, table, columns, part.length),
    );
    const { numAffectedRows } = await tx.executeQuery(
      CompiledQuery.raw(sql, valuesOf(part, columns)),
    );
    inserted += Number(numAffectedRows);
  }
  if (inserted === rows.length) return undefined;
  if (inserted === 0) return [];
  const sql = `select ${quoted(key)} from "${table}" where rowid > ?`;
  return (await tx.executeQuery<BulkRow>(CompiledQuery.raw(sql, [last.rows[0]!.last ?? 0]))).rows;
};

function textFor(name: string, make: () => string): string {
  let text = texts.get(name);
  if (text === undefined) {
    text = make();
    texts.set(name, text);
  }
  return text;
}

function valuesOf(rows: readonly BulkRow[], columns: readonly string[]): Value[] {
  const values: Value[] = [];
  for (const row of rows) {
    for (const column of columns) values.push(row[column] ?? null);
  }
  return values;
}

/**
 * Returns the rows that exist with the given keys.
 * @param also a value that each of them has in a further column.
 * @param locks whether they are locked until the write ends, as `lockRows` does.
 */
export async function selectByKeys<Row extends BulkRow>(
  db: Kysely<Tables>,
  table: keyof Tables,
  columns: readonly string[],
  key: readonly string[],
  keys: readonly BulkRow[],
  also: BulkRow = {},
  locks = false,
): Promise<Row[]> {
  const found: Row[] = [];
  const fixed = Object.keys(also);
  for (const part of portions(keys)) {
    const text = selectText(isPostgres(db), table, columns, key, part.length, fixed);
    const sql = locks && isPostgres(db) ? `${text} for update` : text;
    const values = part.flatMap((row) => key.map((column) => row[column] ?? null));
    values.push(...Object.values(also));
    found.push(...(await db.executeQuery<Row>(CompiledQuery.raw(sql, values))).rows);
  }
  return found;
}

/** Returns the values of a key as one text. */
export function keyOf(row: BulkRow, key: readonly string[]): string {
  const [only] = key;
  if (key.length === 1) return textOf(row[only!]!);
  return key.map((column) => textOf(row[column]!)).join('\0');
}

function textOf(value: Value): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value);
}

function* portions<T>(rows: readonly T[]): Generator<readonly T[]> {
  let at = 0;
  for (const size of SIZES) {
    for (; rows.length - at >= size; at += size) yield rows.slice(at, at + size);
  }
}

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');

/** `($1, $2), ($3, $4)`, or with question marks. */
function tuples(numbered: boolean, width: number, count: number): string {
  let next = 0;
  const place = () => (numbered ? `$${++next}` : '?');
  const tuple = () => `(${Array.from({ length: width }, place).join(', ')})`;
  return Array.from({ length: count }, tuple).join(', ');
}

function insertText(
  numbered: boolean,
  table: string,
  columns: readonly string[],
  count: number,
  returning = '',
): string {
  return `insert into "${table}" (${quoted(columns)}) values ${tuples(numbered, columns.length, count)}
    on conflict do nothing${returning}`;
}

function selectText(
  numbered: boolean,
  table: string,
  columns: readonly string[],
  key: readonly string[],
  count: number,
  fixed: readonly string[],
): string {
  const list = tuples(numbered, key.length, count);
  const values = key.length * count;
  const also = fixed.map(
    (column, at) => ` and "${column}" = ${numbered ? `$${values + at + 1}` : '?'}`,
  );
  // PostgreSQL takes the types of a list from the columns; SQLite looks up a `values` table by the
  // index.
  const within = numbered ? `(${list})` : `(values ${list})`;
  return `select ${quoted(columns)} from "${table}" where (${quoted(key)}) in ${within}${also.join('')}`;
}
