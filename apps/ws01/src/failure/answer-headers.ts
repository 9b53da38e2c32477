import { hash } from 'node:crypto';
import { RETRY_AFTER_S } from '../contract/errors.ts';

export { RETRY_AFTER_S };

/**
 * Of whatever is answered: browsers take it for what it says it is. Names are in lower case, as
 * Node reads them.
 */
export const NOSNIFF = { 'x-content-type-options': 'nosniff' } as const;

/** Of an answer that is for this request alone. */
export const UNCACHED = { 'cache-control': 'no-store', ...NOSNIFF } as const;

/** `Cache-Control` of what never changes under its URL, which contains its hash. */
export const FOREVER = 'public, max-age=31536000, immutable';

/**
 * When a retry makes sense, the same at every door.
 * @param seconds as the error says; every other 503 is {@link RETRY_AFTER_S}.
 */
export function retryHeader(status: number, seconds?: number): Readonly<Record<string, string>> {
  if (status !== 503 && seconds === undefined) return {};
  return { 'retry-after': String(seconds ?? RETRY_AFTER_S) };
}

/** The strong entity tag of a content. */
export function entityTag(content: string | Uint8Array): string {
  return `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
}

/**
 * Whether a client has what an entity tag names (RFC 9110, 13.1.2).
 * @param noneMatch the header If-None-Match, whose tags may be weak.
 */
export function hasCopy(noneMatch: string | undefined, etag: string): boolean {
  const tags = noneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}
