import { createHash } from 'node:crypto';
import { CACHING, type WireResponse } from '../message/http.ts';

/** A description, ready to send. By its ETag a client with a copy gets 304. */
export interface Document {
  readonly body: Uint8Array;
  readonly etag: string;
  /** The headers of the answer with the body. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Makes a document of a text.
 * @param contentType of the text, with `charset=utf-8`.
 * @param headers further headers of its kind.
 */
export function createDocument(
  text: string,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): Document {
  const body = Buffer.from(text, 'utf8');
  const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
  return {
    body,
    etag,
    headers: {
      'Content-Type': contentType,
      ...CACHING,
      ETag: etag,
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
  };
}

/**
 * Answers a document, or 304 without its body when the client has it.
 * @param ifNoneMatch the request's If-None-Match, `undefined` when it is absent (RFC 9110 13.1.2).
 */
export function answerDocument(
  { body, etag, headers }: Document,
  ifNoneMatch: string | undefined,
): WireResponse {
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag)) {
    return { status: 304, headers: { ...CACHING, ETag: etag }, body: '' };
  }
  return { status: 200, headers, body };
}

/** Weak comparison, which If-None-Match asks for: `W/` does not count. Our tags hold no comma. */
function matches(ifNoneMatch: string, etag: string): boolean {
  return ifNoneMatch.split(',').some((entry) => {
    const tag = entry.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}
