import type { Kysely } from 'kysely';
import { insertNew } from '../../../store/bulk.ts';
import {
  type Instant,
  POSTING_KINDS,
  type PostingKind,
  type Tables,
} from '../../../store/tables/tables.ts';
import { networkOf } from '../../values/internet-address.ts';
import type { Row } from '../record.ts';
import type { ImportContext } from './context.ts';

/** Makes the users and categories that records name, where the import does not have them. */
export async function madeOf(
  tx: Kysely<Tables>,
  rows: readonly Row[],
  { brings }: ImportContext,
): Promise<void> {
  if (!brings.has('users')) {
    const owners = firstBy(rows, 'owner');
    const users = owners.map(([id, at]) => ({ id, registered: 0, created_at: at, updated_at: at }));
    await insertNew(tx, 'users', ['id', 'registered', 'created_at', 'updated_at'], ['id'], users);
  }
  if (!brings.has('categories')) {
    const categories = firstBy(rows, 'category_key').map(([key, at]) => ({ key, created_at: at }));
    await insertNew(tx, 'categories', ['key', 'created_at'], ['key'], categories);
  }
}

/** The values of a column, each with the earliest creation of a row that has it. */
function firstBy(rows: readonly Row[], name: string): [string, Instant][] {
  const first = new Map<string, Instant>();
  for (const row of rows) {
    const value = row[name] as string | null;
    const at = row.created_at as Instant;
    if (value !== null && at < (first.get(value) ?? Number.POSITIVE_INFINITY)) first.set(value, at);
  }
  return [...first];
}

interface PostingOf {
  readonly kind: keyof typeof POSTING_KINDS;
  /** The column of the record's key. */
  readonly key: string;
  readonly userOf?: (row: Row) => string | null;
}

/** Enters creations into the ledger, where the import does not have it. */
export async function post(
  tx: Kysely<Tables>,
  rows: readonly Row[],
  { brings }: ImportContext,
  { kind, key, userOf = ({ owner }) => owner as string | null }: PostingOf,
): Promise<void> {
  if (brings.has('postings')) return;
  const code: PostingKind = POSTING_KINDS[kind];
  const postings = rows.map((row) => ({
    kind: code,
    record_key: row[key]!,
    user_id: userOf(row),
    network: row.ip ? networkOf(row.ip as string) : '',
    at: row.created_at!,
  }));
  await insertNew(tx, 'postings', POSTING_COLUMNS, ['record_key'], postings);
}

const POSTING_COLUMNS = ['kind', 'record_key', 'user_id', 'network', 'at'];
