import type { Flag, Instant } from './values.ts';

/** Users whom a call named or an operator registered. Registered users may send mail. */
export interface UsersTable {
  id: string;
  registered: Flag;
  name: string | null;
  email: string | null;
  first_name: string | null;
  last_name: string | null;
  zip_code: string | null;
  state: string | null;
  city: string | null;
  address: string | null;
  address2: string | null;
  /** Normal form. */
  cell_phone: string | null;
  cell_phone_verified_at: Instant | null;
  created_at: Instant;
  updated_at: Instant;
  /** A moderator lets nobody act for them since then. */
  blocked_at: Instant | null;
}

/** Credentials; the text of one is never stored. */
export interface TokensTable {
  /** UUIDv7. */
  id: string;
  /**
   * SHA-256 of the token's text, 32 bytes; until an imported one is used, what its old site had:
   * MD5 or SHA-1, too.
   */
  hash: Uint8Array;
  label: string;
  kind: 'service' | 'user' | 'admin';
  /** The bound user of a `user` token; the default sender of the others. */
  user_id: string | null;
  /** Names of scopes with one blank between them. */
  scopes: string;
  created_at: Instant;
  expires_at: Instant | null;
  revoked_at: Instant | null;
  /** Kept coarsely: not written by every call. */
  last_used_at: Instant | null;
}

/** Where a token was used from, to the day. */
export interface TokenNetworksTable {
  token_id: string;
  /** An IPv4 /24 or an IPv6 /48. */
  network: string;
  used_at: Instant;
}

/** Users whose data must be kept for now. */
export interface LegalHoldsTable {
  user_id: string;
  /** Why. */
  reason: string;
  /** Who set it, as people know them. */
  set_by: string;
  set_at: Instant;
  /** It ends then; `null` when somebody ends it. */
  until: Instant | null;
}
