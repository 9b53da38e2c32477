import type { Instant } from './values.ts';

/** Short links. Rows stay for ever, so that no code is given to another target. */
export interface LinksTable {
  code: string;
  /** As it is redirected to. */
  target: string;
  user_id: string | null;
  user_email: string | null;
  /** Works while now is before it. */
  deadline: Instant | null;
  /**
   * SHA-256 over user, target and deadline, 32 bytes: unique among the links that are not disabled.
   */
  request_hash: Uint8Array;
  created_at: Instant;
  disabled_at: Instant | null;
}

/** Who followed a link on a day, in numbers only. */
export interface LinkVisitsTable {
  code: string;
  /** `yyyy-MM-dd` in the service's time zone. */
  day: string;
  visits: number;
  bots: number;
  heads: number;
}

/** Where people who followed a link on a day came from, in numbers only. */
export interface LinkVisitSourcesTable {
  code: string;
  /** `yyyy-MM-dd` in the service's time zone. */
  day: string;
  kind: 'referrer' | 'country' | 'language';
  /** A host, a country or a language; `-` for an unknown source, `*` for all others. */
  name: string;
  visits: number;
}
