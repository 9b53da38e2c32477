import type { Instant } from './values.ts';

/**
 * Secrets that verification codes are hashed with. The id counts periods of rotation since 1970, so
 * that nodes which make the key of a period at the same time make one.
 */
export interface CodeKeysTable {
  id: number;
  /** 32 random bytes. */
  secret: Uint8Array;
}

/**
 * The newest verification code of each user and number; gone when it is used up. The code itself is
 * never stored.
 */
export interface PhoneCodesTable {
  user_id: string;
  /** Normal form. */
  phone: string;
  /** UUIDv7; another for each code. */
  id: string;
  key_id: number;
  /** HMAC-SHA-256 over id and code: 32 bytes. */
  hash: Uint8Array;
  /** Answers so far, counted before they are looked at. */
  attempts: number;
  expires_at: Instant;
}

/**
 * A code that was used up, until its caller is being told: what stays is what a caller may never
 * have been told.
 */
export interface UsedCodesTable extends Omit<PhoneCodesTable, 'expires_at'> {
  /** The caller's credential. */
  token_id: string | null;
  used_at: Instant;
}

/** When a user last proved to have a number. */
export interface PhoneVerificationsTable {
  user_id: string;
  /** Normal form. */
  phone: string;
  verified_at: Instant;
}

/** When a back end last verified a number without naming a user, as forms to sign up do. */
export interface NumberVerificationsTable {
  token_id: string;
  /** Normal form. */
  phone: string;
  verified_at: Instant;
}
