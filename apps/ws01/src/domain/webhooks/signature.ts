import { createHmac, randomBytes } from 'node:crypto';
import { DAY_MS } from '@ws01/asmx/time';
import type { Instant } from '../../store/tables/tables.ts';
import { SKEW_MS } from '../shared/known-time.ts';

const PREFIX = 'whsec_';

/** A secret that signs calls. `until` is set after a rotation: the end of its validity. */
export interface WebhookSecret {
  readonly secret: string;
  readonly until: Instant | null;
}

/** How long the old secret stays valid after a rotation; ms. */
export const OVERLAP_MS = DAY_MS;

/** Whether a secret signs. An end later than a rotation sets is by a clock ahead: it is over. */
export function isValid({ until }: WebhookSecret, now: Instant): boolean {
  return until === null || (until > now && until <= now + OVERLAP_MS + SKEW_MS);
}

/** Creates a secret: `whsec_` and the base64 of 32 random bytes (Standard Webhooks). */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/**
 * The value of `webhook-signature` (Standard Webhooks): for each valid secret, `v1,` and the base64
 * of HMAC-SHA-256 over `id.timestamp.body`, separated by blanks.
 * @param timestamp whole seconds since 1970-01-01T00:00:00Z.
 */
export function signatureOf(
  secrets: readonly WebhookSecret[],
  now: Instant,
  {
    id,
    timestamp,
    body,
  }: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  return secrets
    .filter((secret) => isValid(secret, now))
    .map(({ secret }) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
    })
    .join(' ');
}

/** The instant of an attempt, as its headers and its signature have it. */
export const secondsOf = (at: Instant): number => Math.floor(at / 1000);

/** The headers of a call of a webhook. */
export const webhookHeaders = (
  id: string,
  timestamp: number,
  signature: string,
): Readonly<Record<string, string>> => ({
  'Content-Type': 'application/json',
  'User-Agent': 'ws01-webhooks',
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});
