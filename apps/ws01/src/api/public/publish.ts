import type { HonoRequest } from 'hono';
import { entityTag, hasCopy, NOSNIFF, UNCACHED } from '../../failure/answer-headers.ts';

/** An answer may be reused for 60 seconds, and served stale for 300 more while it is refreshed. */
const CACHED = 'max-age=60, stale-while-revalidate=300';

/** How long a browser may cache a preflight answer; seconds. */
const PREFLIGHT_SECONDS = 86_400;

/** An answer to anybody. */
export interface PublicAnswer {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  /**
   * Whether it is for the browser that asked alone: its addresses are at the host that the request
   * named.
   */
  readonly isOwn: boolean;
}

export function answerOf(text: string, type: string, isOwn: boolean): PublicAnswer {
  const body = new TextEncoder().encode(text);
  return { body, type, isOwn, etag: entityTag(body) };
}

/**
 * Answers a request for published records, with cache headers; 304 if the client has the same
 * answer.
 */
export function publish(
  req: HonoRequest,
  { body, type, etag, isOwn }: PublicAnswer,
  requestId: string,
  origins: ReadonlySet<string>,
): Response {
  const headers = {
    'Content-Type': type,
    'Cache-Control': `${isOwn ? 'private' : 'public'}, ${CACHED}`,
    ETag: etag,
    ...NOSNIFF,
    'X-Request-Id': requestId,
    ...originHeaders(req, origins),
  };
  return hasCopy(req.header('if-none-match'), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers });
}

/** Answers what anybody has sent. */
export function published(
  req: HonoRequest,
  body: string,
  requestId: string,
  origins: ReadonlySet<string>,
  status = 200,
): Response {
  const headers = {
    'Content-Type': 'application/json',
    ...UNCACHED,
    'X-Request-Id': requestId,
    ...originHeaders(req, origins),
  };
  return new Response(body, { status, headers });
}

/** Answers a CORS preflight request. */
export function preflight(req: HonoRequest, origins: ReadonlySet<string>): Response {
  const headers = {
    ...originHeaders(req, origins),
    'Access-Control-Allow-Methods': 'GET, HEAD, POST',
    'Access-Control-Allow-Headers': 'Content-Type, If-None-Match',
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  };
  return new Response(null, { status: 204, headers });
}

/**
 * The CORS headers for the origin of a request. With several allowed origins, caches must keep one
 * answer for each.
 */
function originHeaders(req: HonoRequest, origins: ReadonlySet<string>): Record<string, string> {
  const exposed = { 'Access-Control-Expose-Headers': 'ETag' };
  if (origins.has('*')) return { 'Access-Control-Allow-Origin': '*', ...exposed };
  if (origins.size === 0) return {};
  const origin = req.header('origin');
  const allowed = origin !== undefined && origins.has(origin);
  return {
    Vary: 'Origin',
    ...(allowed ? { 'Access-Control-Allow-Origin': origin, ...exposed } : {}),
  };
}
