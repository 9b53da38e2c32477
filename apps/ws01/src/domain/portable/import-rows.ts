import type { Kysely } from 'kysely';
import type { Stored } from '../../records/types.ts';
import { insertNew, keyOf, selectByKeys } from '../../store/bulk.ts';
import type { Tables } from '../../store/tables/tables.ts';
import type { Kind, KindName } from './kinds.ts';
import type { Row } from './record.ts';
import type { ImportContext } from './rules/context.ts';
import { type Known, RULES } from './rules/of-kinds.ts';

/** The result of a row: added, already present, or why it was refused. */
export type RowOutcome = 'added' | 'present' | { readonly refused: string };

/**
 * Fills in absent values of a row.
 * @returns why the row is refused; `undefined` if it is not.
 */
export function completeRow(kind: Kind, row: Row, context: ImportContext): string | undefined {
  return RULES[kind.name as KindName]?.complete?.(row, context);
}

/** Returns for each row why it is refused because of other records that it names. */
export async function checkRows(
  kind: Kind,
  rows: readonly Row[],
  known: Known,
): Promise<readonly (string | undefined)[]> {
  return (await RULES[kind.name as KindName]?.check?.(rows, known)) ?? [];
}

/** Returns which of some records exist. */
export function knownIn(db: Kysely<Tables>): Known {
  return async (table, column, keys) => {
    const rows = keys.map((key) => ({ [column]: key }));
    const found = await selectByKeys(db, table, [column], [column], rows);
    return new Set(found.map((row) => String(row[column])));
  };
}

/**
 * Inserts complete rows of one kind, with their search terms, counters, ledger entries and linked images. Existing
 * records stay unchanged.
 * @returns the result of each row.
 */
export async function importRows(
  tx: Kysely<Tables>,
  kind: Kind,
  rows: readonly Row[],
  context: ImportContext,
): Promise<readonly RowOutcome[]> {
  const rules = RULES[kind.name as KindName] ?? {};
  const reasons = await checkRows(kind, rows, knownIn(tx));
  const outcomes: RowOutcome[] = rows.map((_, at) =>
    reasons[at] === undefined ? 'added' : { refused: reasons[at] },
  );
  const left = rows.filter((_, at) => outcomes[at] === 'added');
  if (left.length === 0) return outcomes;
  const isThere = await insertRows(tx, kind, rules, left);
  const made = left.filter((_, at) => isThere[at]);
  if (made.length > 0) await rules.inserted?.(tx, made, context);
  if (made.length === left.length) return outcomes;
  const places = new Map(rows.map((row, at) => [row, at]));
  const others = await compareRows(
    tx,
    kind,
    left.filter((_, at) => !isThere[at]),
  );
  for (const [row, compared] of others)
    outcomes[places.get(row)!] = await settle(tx, kind, row, compared);
  return outcomes;
}

/** Returns the result of a row that was not inserted. */
async function settle(
  tx: Kysely<Tables>,
  kind: Kind,
  row: Row,
  compared: Comparison,
): Promise<RowOutcome> {
  if (compared === 'givesWay') return replaceRow(tx, kind, row);
  return compared === 'absent'
    ? { refused: 'another record has what must be unique of it' }
    : compared;
}

async function insertRows(
  tx: Kysely<Tables>,
  kind: Kind,
  {
    derived = [],
    derive,
  }: {
    derived?: readonly string[];
    derive?: (tx: Kysely<Tables>, rows: readonly Row[]) => Promise<void>;
  },
  rows: readonly Row[],
): Promise<readonly boolean[]> {
  await derive?.(tx, rows);
  const columns = [...columnsOf(kind), ...derived];
  if (kind.name !== 'postings') return insertNew(tx, kind.table, columns, kind.key, rows);
  // Two creations under one key differ only in their instant, and there is no constraint on it.
  const present = await selectByKeys(tx, 'postings', kind.key, ['kind', 'record_key'], rows);
  const keys = new Set(present.map((row) => keyOf(row, kind.key)));
  const isNew = rows.map((row) => {
    const key = keyOf(row, kind.key);
    return !keys.has(key) && keys.add(key) !== undefined;
  });
  await insertNew(
    tx,
    kind.table,
    columns,
    kind.key,
    rows.filter((_, at) => isNew[at]),
  );
  return isNew;
}

export function columnsOf({ fields }: Kind): readonly string[] {
  return fields.map(({ column }) => column);
}

/** How a row compares with the stored row of its key: `givesWay` if that is only a placeholder. */
type Comparison = RowOutcome | 'givesWay' | 'absent';

/** Compares rows with the stored rows of their keys. */
export async function compareRows(
  db: Kysely<Tables>,
  kind: Kind,
  rows: readonly Row[],
): Promise<ReadonlyMap<Row, Comparison>> {
  const stored = await selectByKeys<Row>(db, kind.table, columnsOf(kind), kind.key, rows);
  const byKey = new Map(stored.map((row) => [keyOf(row, kind.key), row]));
  return new Map(rows.map((row) => [row, compareRow(kind, row, byKey.get(keyOf(row, kind.key)))]));
}

function compareRow(kind: Kind, row: Row, stored: Row | undefined): Comparison {
  if (stored === undefined) return 'absent';
  const other = kind.fields.find(
    ({ column, changes }) => !changes && !isSame(row[column]!, stored[column]!),
  );
  if (other === undefined) return 'present';
  if (RULES[kind.name as KindName]?.givesWay?.(stored)) return 'givesWay';
  return {
    refused: `a record with this key is there already and differs in ${other.name}; it stays as it is`,
  };
}

function isSame(one: Stored, other: Stored): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array)
    return Buffer.compare(one, other) === 0;
  return one === other;
}

/** Overwrites a placeholder with a row. */
async function replaceRow(tx: Kysely<Tables>, kind: Kind, row: Row): Promise<RowOutcome> {
  const values = Object.fromEntries(columnsOf(kind).map((column) => [column, row[column]]));
  await tx
    .updateTable(kind.table as 'users')
    .set(values)
    .where(kind.key[0] as 'id', '=', row[kind.key[0]!] as string)
    .execute();
  return 'added';
}
