import { createHmac, randomBytes } from 'node:crypto';
import type { Instant } from '../../store/tables/tables.ts';

const PREFIX = 'whsec_';

/** What calls are signed with; `until` when another has taken its place and it is still good for a while. */
export interface WebhookSecret {
  readonly secret: string;
  readonly until: Instant | null;
}

/** A new secret: `whsec_` and the base64 of 32 random bytes (Standard Webhooks). */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/**
 * The value of `webhook-signature` (Standard Webhooks): for each secret that is good, `v1,` and the base64 of HMAC-SHA-256
 * over `id.timestamp.body`, separated by blanks.
 * @param timestamp whole seconds since 1970.
 */
export function signatureOf(
  secrets: readonly WebhookSecret[],
  now: Instant,
  { id, timestamp, body }: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  return secrets
    .filter(({ until }) => until === null || until > now)
    .map(({ secret }) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
