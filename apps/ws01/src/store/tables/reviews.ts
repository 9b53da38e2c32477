import type { Flag, Instant, Moderated } from './values.ts';

/** What people think of anything that has a key; one row for each of them. */
export interface ReviewsTable extends Moderated {
  /** UUIDv7; the key of the ledger's row. */
  id: string;
  /** The key of whatever is reviewed. */
  subject: string;
  /** Whose it is, with `subject` unique: `user:` and a user's key, or `address:` and a network. */
  voter: string;
  /** 1 for, 0 against, `null` for no vote. */
  positive: Flag | null;
  /**
   * In hundredths of the scale that was configured then, so that sums are exact; `null` for none.
   */
  rating: number | null;
  remark: string | null;
  /** The observed address of the client that submitted it last. */
  ip: string;
  /** The address that it named; not believed. */
  claimed_ip: string | null;
  created_at: Instant;
  updated_at: Instant;
}

/** What the reviews of something add up to; changed with every review, in its transaction. */
export interface ReviewTalliesTable {
  subject: string;
  /** Reviews with a vote. */
  votes: number;
  /** Votes for. */
  positive: number;
  /** Reviews with a rating. */
  marks: number;
  /** The ratings added up, in hundredths. */
  ratings: number;
}
