import type { Instant } from './values.ts';

/** What readers report of a published record; one row for each record and reader. */
export interface ReportsTable {
  /** UUIDv7. */
  id: string;
  target_kind: 'article' | 'advert' | 'image' | 'review';
  /** The key of the record; of a review its id. */
  target_key: string;
  /** The network that it was reported from; with the record unique. */
  reporter: string;
  reason: 'spam' | 'fraud' | 'illegal' | 'offensive' | 'personal' | 'other';
  /** In the reader's words; may be empty. */
  detail: string;
  created_at: Instant;
  /** When a moderator decided about the record, or dismissed the report; `null`: it waits. */
  closed_at: Instant | null;
}
