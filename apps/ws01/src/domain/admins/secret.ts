import { hash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** Returns a new secret for a link or a cookie: 256 random bits, base64url. */
export function newSecret(): string {
  return randomBytes(BYTES).toString('base64url');
}

/**
 * Returns the SHA-256 of a secret, which is stored. `undefined` for a text that {@link newSecret}
 * never returns.
 */
export function hashSecret(secret: string): Buffer | undefined {
  return /^[\w-]{43}$/.test(secret) ? hash('sha256', secret, 'buffer') : undefined;
}
