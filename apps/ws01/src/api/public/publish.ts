import { createHash } from 'node:crypto';
import type { HonoRequest } from 'hono';

/** For so long browsers and CDNs may show it without asking, and then while they ask; seconds. */
const CACHED = 'public, max-age=60, stale-while-revalidate=300';

/** For so long a browser remembers what it may send; seconds. */
const PREFLIGHT_SECONDS = 86_400;

interface Published {
  readonly body: string;
  readonly type: string;
  readonly requestId: string;
}

/** The answer to who reads what is public: kept by caches, and not sent again to who has it. */
export function publish(
  req: HonoRequest,
  { body, type, requestId }: Published,
  origins: ReadonlySet<string>,
): Response {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const headers = {
    'Content-Type': type,
    'Cache-Control': CACHED,
    ETag: etag,
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': requestId,
    ...originHeaders(req, origins),
  };
  return has(req, etag) ? new Response(null, { status: 304, headers }) : new Response(body, { headers });
}

/** Whether the client has it already (RFC 9110, 13.1.2). */
function has(req: HonoRequest, etag: string): boolean {
  const tags = (req.header('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

/** The answer to a browser that asks whether a page of another site may read. */
export function preflight(req: HonoRequest, origins: ReadonlySet<string>): Response {
  const headers = {
    ...originHeaders(req, origins),
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': 'If-None-Match',
    'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
  };
  return new Response(null, { status: 204, headers });
}

/** Which site may read it. Where there are several, caches keep an answer for each. */
function originHeaders(req: HonoRequest, origins: ReadonlySet<string>): Record<string, string> {
  const exposed = { 'Access-Control-Expose-Headers': 'ETag' };
  if (origins.has('*')) return { 'Access-Control-Allow-Origin': '*', ...exposed };
  if (origins.size === 0) return {};
  const origin = req.header('origin');
  const allowed = origin !== undefined && origins.has(origin);
  return { Vary: 'Origin', ...(allowed ? { 'Access-Control-Allow-Origin': origin, ...exposed } : {}) };
}
