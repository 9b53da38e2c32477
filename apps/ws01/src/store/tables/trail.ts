import type { Generated } from 'kysely';
import type { Instant } from './values.ts';

/** What `postings.kind` holds: the levels 1 to 4 of the counts. */
export const POSTING_KINDS = { article: 1, advert: 2, image: 3, review: 4 } as const;

export type PostingKind = (typeof POSTING_KINDS)[keyof typeof POSTING_KINDS];

/** The ledger of creations that the counts are made from. Nothing leaves it when a record is deleted. */
export interface PostingsTable {
  id: Generated<number>;
  kind: PostingKind;
  /** The key may have been used before, and be again: each creation is a row. */
  record_key: string;
  user_id: string | null;
  /** IPv4 address, or the /64 of an IPv6 address. */
  network: string;
  at: Instant;
}

/** What operators and credentials did. Rows are added and never changed. */
export interface AuditTable {
  /** UUIDv7. */
  id: string;
  at: Instant;
  token_id: string | null;
  action: string;
  target_kind: string;
  target_key: string | null;
  address: string | null;
  /** A JSON object. */
  details: string;
  /** What finds the call in the log. */
  request_id: string | null;
}

/** Backups, as they were begun and as they ended. */
export interface BackupsTable {
  /** UUIDv7. */
  id: string;
  /** The scheduled time that it was made for, which no other has; `null` where a person asked for it. */
  slot: Instant | null;
  /** The folder, or the place in S3 without its query. */
  target: string;
  /** Of the backup among those of the target. */
  name: string;
  started_at: Instant;
  /** `null` while it is made, and for ever where its process was killed. */
  finished_at: Instant | null;
  /** When it had been restored to a temporary place and found the same; `null` when it was not. */
  verified_at: Instant | null;
  /** Of the copy of the database. */
  bytes: number | null;
  /** Image files in it. */
  images: number | null;
  /** What failed. */
  error: string | null;
}
