import { DAY_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import type { Stored } from '../../records/types.ts';
import { insertNew, keyOf, selectByKeys } from '../../store/bulk.ts';
import type { Tables } from '../../store/tables/tables.ts';
import type { Kind, KindName } from './kinds.ts';
import type { Row } from './record.ts';
import type { ImportContext, Updates } from './rules/context.ts';
import { type Known, RULES } from './rules/of-kinds.ts';

/** Timeouts of a transaction with work on whole tables, such as a copy or building indexes; ms. */
export const LONG_WRITE_LIMITS = { busyTimeout: 600_000, workTimeout: DAY_MS };

/**
 * The result of a row: added, in the place of a stored record, already present, or why it was
 * refused.
 */
export type RowOutcome = 'added' | 'changed' | 'present' | { readonly refused: string };

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
 * Inserts complete rows of one kind, with their search terms, counters, ledger entries and linked
 * images. Existing records stay unchanged.
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
  const isThere = await insertRows(tx, kind, rules, left, context);
  const made = left.filter((_, at) => isThere[at]);
  if (made.length > 0) await rules.inserted?.(tx, made, context);
  if (made.length === left.length) return outcomes;
  const places = new Map(rows.map((row, at) => [row, at]));
  const present = left.filter((_, at) => !isThere[at]);
  const others = await compareRows(tx, kind, present, context.updates !== undefined);
  for (const [row, compared] of others)
    outcomes[places.get(row)!] = await settle(tx, kind, row, compared, context);
  return outcomes;
}

/** Returns the result of a row that was not inserted. */
async function settle(
  tx: Kysely<Tables>,
  kind: Kind,
  row: Row,
  compared: Compared,
  context: ImportContext,
): Promise<RowOutcome> {
  if (compared === undefined) return { refused: 'another record has what must be unique of it' };
  const outcome = outcomeOf(kind, row, compared, context);
  const { derived = [], replace } = RULES[kind.name as KindName] ?? {};
  if (outcome === 'added') await overwrite(tx, kind, row, columnsOf(kind));
  if (outcome === 'changed') {
    const write = () => overwrite(tx, kind, row, [...columnsOf(kind), ...derived]);
    await replace!(tx, { row, stored: compared }, write, context);
  }
  return outcome;
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
  { intoEmpty }: ImportContext,
): Promise<readonly boolean[]> {
  await derive?.(tx, rows);
  const columns = [...columnsOf(kind), ...derived];
  if (kind.name !== 'postings' || intoEmpty)
    return insertNew(tx, kind.table, columns, kind.key, rows);
  // Two creations under one key differ only in their instant, and there is no constraint on it.
  const present = await postingsOf(tx, kind, rows);
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

/**
 * Returns the postings of the same records. One kind is asked for at a time, so that PostgreSQL
 * uses both columns of the index, even while it has no statistics of what an import has just
 * written.
 */
async function postingsOf(
  tx: Kysely<Tables>,
  { key }: Kind,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const found: Row[] = [];
  for (const [kind, same] of Map.groupBy(rows, (row) => row.kind!))
    found.push(...(await selectByKeys<Row>(tx, 'postings', key, ['record_key'], same, { kind })));
  return found;
}

export function columnsOf({ fields }: Kind): readonly string[] {
  return fields.map(({ column }) => column);
}

/** The stored row of a key; `undefined` if there is none. */
type Compared = Row | undefined;

/**
 * Returns the stored rows with the keys of these.
 * @param locks whether nobody else changes them until the write ends.
 */
export async function compareRows(
  db: Kysely<Tables>,
  kind: Kind,
  rows: readonly Row[],
  locks = false,
): Promise<ReadonlyMap<Row, Compared>> {
  const { table, key } = kind;
  const stored = await selectByKeys<Row>(db, table, columnsOf(kind), key, rows, {}, locks);
  const byKey = new Map(stored.map((row) => [keyOf(row, kind.key), row]));
  return new Map(rows.map((row) => [row, byKey.get(keyOf(row, kind.key))]));
}

/** What is set here, and what is brought without never takes away. */
const SET_HERE = ['held_at', 'removed_at', 'disabled_at', 'token_id', 'claimed_ip'];

/**
 * Returns the result of a row whose key is stored: `added` where the stored one is only a
 * placeholder.
 */
export function outcomeOf(
  kind: Kind,
  row: Row,
  stored: Row,
  { updates }: Pick<ImportContext, 'updates'>,
): RowOutcome {
  const { givesWay, replace } = RULES[kind.name as KindName] ?? {};
  if (updates !== undefined && replace !== undefined) {
    for (const column of SET_HERE) if (column in row) row[column] ??= stored[column]!;
    // Counted here; a row that takes the place of another is one more.
    if ('revision' in row) row.revision = stored.revision!;
  }
  const other = kind.fields.find(
    ({ column, changes }) => !changes && !isSame(row[column]!, stored[column]!),
  );
  if (other === undefined) return 'present';
  if (givesWay?.(stored)) return 'added';
  const differs = `a record with this key is there already and differs in ${other.name}`;
  if (updates === undefined || replace === undefined)
    return { refused: `${differs}; it stays as it is` };
  if (updates.always || isNewer(row, stored) || isAsBrought(stored, updates)) return 'changed';
  const since = 'and was changed here since the first import';
  return { refused: `${differs}, ${since}; it stays as it is, unless you say --update always` };
}

function isNewer(row: Row, stored: Row): boolean {
  return Number(row.updated_at ?? 0) > Number(stored.updated_at ?? row.updated_at ?? 0);
}

/** Whether nobody has written a stored row here since it was brought. */
function isAsBrought(stored: Row, { firstImport }: Updates): boolean {
  const written = Number(stored.updated_at ?? stored.created_at);
  return firstImport !== undefined && written < firstImport;
}

function isSame(one: Stored, other: Stored): boolean {
  if (one instanceof Uint8Array && other instanceof Uint8Array)
    return Buffer.compare(one, other) === 0;
  return one === other;
}

/** Overwrites the stored row of the same key. */
async function overwrite(
  tx: Kysely<Tables>,
  kind: Kind,
  row: Row,
  columns: readonly string[],
): Promise<void> {
  const values = Object.fromEntries(columns.map((column) => [column, row[column]]));
  let update = tx.updateTable(kind.table as 'users').set(values);
  for (const column of kind.key) update = update.where(column as 'id', '=', row[column] as string);
  await update.execute();
}
