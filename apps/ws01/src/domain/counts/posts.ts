import type { Kysely } from 'kysely';
import { columns, prepare } from '../../store/prepared.ts';
import {
  type Instant,
  POSTING_KINDS,
  type PostingKind,
  type Tables,
} from '../../store/tables/tables.ts';
import { networkOf } from '../values/internet-address.ts';

/** The creation of a record, for the counts of operations 12 and 16. */
export interface Posting {
  readonly kind: keyof typeof POSTING_KINDS;
  /** The record's canonical key. */
  readonly key: string;
  /** The record's owner; `undefined` when it has none. */
  readonly userId: string | undefined;
  /** The trusted address (semantics 2, ip), canonical; only its network is stored. */
  readonly address: string;
  readonly at: Instant;
}

/** The ledger's columns as values. */
interface PostingRow {
  readonly kind: PostingKind;
  readonly record_key: string;
  readonly user_id: string | null;
  readonly network: string;
  readonly at: Instant;
}

/**
 * Records a creation, in the transaction that creates the record. Call it only for a new record,
 * not when a record is replaced or restored from the trash.
 *
 * The entry outlives the record. When a key is used again after its record was deleted or purged,
 * that is another creation and counts again (semantics 5.12).
 */
export async function recordPosting(tx: Kysely<Tables>, posting: Posting): Promise<void> {
  insertPosting.send(tx, {
    kind: POSTING_KINDS[posting.kind],
    record_key: posting.key,
    user_id: posting.userId ?? null,
    network: networkOf(posting.address),
    at: posting.at,
  });
}

/**
 * Finds the latest creation with a key; its record may have been deleted since.
 * @returns the owner (`null` for none); `undefined` when the key was never used.
 */
export async function findPosting(
  db: Kysely<Tables>,
  kind: Posting['kind'],
  key: string,
): Promise<{ readonly userId: string | null } | undefined> {
  return postingByKey.first(db, { kind: POSTING_KINDS[kind], record_key: key });
}

const insertPosting = prepare((db, row: PostingRow) =>
  db.insertInto('postings').values(columns(row, 'kind record_key user_id network at')),
);

const postingByKey = prepare((db, key: Pick<PostingRow, 'kind' | 'record_key'>) =>
  db
    .selectFrom('postings')
    .select('user_id as userId')
    .where('kind', '=', key.kind)
    .where('record_key', '=', key.record_key)
    .orderBy('id', 'desc')
    .limit(1),
);
