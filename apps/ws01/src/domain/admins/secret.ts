import { hash, randomBytes } from 'node:crypto';

const BYTES = 32;

/** A new secret for a link or a cookie: 256 random bits, base64url. */
export function newSecret(): string {
  return randomBytes(BYTES).toString('base64url');
}

/** What is stored of a secret: its SHA-256. `undefined` for a text that {@link newSecret} never makes. */
export function hashSecret(secret: string): Buffer | undefined {
  return /^[\w-]{43}$/.test(secret) ? hash('sha256', secret, 'buffer') : undefined;
}
