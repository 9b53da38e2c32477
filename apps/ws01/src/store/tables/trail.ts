import type { Generated } from 'kysely';
import type { Instant } from './values.ts';

/** What `postings.kind` holds: the levels 1 to 4 of the counts. */
export const POSTING_KINDS = { article: 1, advert: 2, image: 3, review: 4 } as const;

export type PostingKind = (typeof POSTING_KINDS)[keyof typeof POSTING_KINDS];

/**
 * The ledger of creations that the counts are made from. Nothing leaves it when a record is
 * deleted.
 */
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
  /**
   * The scheduled time that it was made for, which no other has; `null` where a person asked for
   * it.
   */
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
  /** What is being done: the backup, or a check of it. */
  step: BackupStep | null;
  /** How far that is, and of how much; `null` where that is not known. */
  done: number | null;
  total: number | null;
  /** When the process that makes it last reported; `null` for a backup of an earlier release. */
  seen_at: Instant | null;
  /** Since when it is checked, and by whom; `null` when it is not. */
  check_started_at: Instant | null;
  check_started_by: string | null;
  /** The last check that ended: when, by whom, with what, and what is wrong, in a sentence. */
  checked_at: Instant | null;
  checked_by: string | null;
  verdict: BackupVerdict | null;
  fault: string | null;
}

/**
 * What is done for a backup, by what is counted meanwhile: image files that are copied, pages or
 * MiB of the database that are copied; nothing while the copy is restored to a temporary place;
 * image files that are compared.
 */
export const BACKUP_STEPS = ['images', 'pages', 'mebibytes', 'restoring', 'files'] as const;

export type BackupStep = (typeof BACKUP_STEPS)[number];

/**
 * What a check found: `sound`, it is what was copied; `damaged`, it is not; `missing`, it is not
 * there; `failed`, the check could not be made, which says nothing of the backup.
 */
export const BACKUP_VERDICTS = ['sound', 'damaged', 'missing', 'failed'] as const;

export type BackupVerdict = (typeof BACKUP_VERDICTS)[number];
