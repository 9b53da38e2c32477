import type { Generated } from 'kysely';
import type { Instant } from './values.ts';

/** People who may use the console. */
export interface AdminsTable {
  /** UUIDv7. */
  id: string;
  /** As the person signs in; unique in any case of letters. */
  name: string;
  /** `name` in lower case. */
  name_key: string;
  role: 'owner' | 'moderator' | 'reader';
  /** Argon2id in PHC form; `null` for who signs in by passkey alone, or has not set up a way in. */
  password: string | null;
  created_at: Instant;
  signed_in_at: Instant | null;
}

/** Links that let a person set up a way in: at most one of each. Used once, then removed. */
export interface AdminLinksTable {
  admin_id: string;
  /** SHA-256 of the secret in the link: 32 bytes. */
  hash: Uint8Array;
  created_at: Instant;
  expires_at: Instant;
}

/** Sessions of the console; signing out removes one. */
export interface AdminSessionsTable {
  /** SHA-256 of the cookie's secret: 32 bytes. */
  hash: Uint8Array;
  admin_id: string;
  created_at: Instant;
  /** To the minute. */
  seen_at: Instant;
  /**
   * When the person signed in; `null` for what an earlier release began, which wrote it at a second
   * sign-in.
   */
  confirmed_at: Generated<Instant | null>;
  /** The address that it was begun from. */
  address: string;
  /** What the browser called itself then. */
  agent: string;
}

/** Passkeys (WebAuthn credentials) by which admins sign in. */
export interface AdminPasskeysTable {
  /** The credential id, base64url. */
  id: string;
  admin_id: string;
  /** COSE. */
  public_key: Uint8Array;
  counter: number;
  /** Names of transports with one comma between them. */
  transports: string;
  created_at: Instant;
  used_at: Instant | null;
}

/** What an admin looks for again and again in a list of the console. */
export interface SavedFiltersTable {
  admin_id: string;
  /** The list: `articles`. */
  kind: string;
  name: string;
  /** Of the list's address. */
  query: string;
  created_at: Instant;
}

/** Challenges of WebAuthn that were used, until they expire: each is used once. */
export interface AdminChallengesTable {
  /** Base64url. */
  challenge: string;
  expires_at: Instant;
}
