import { type Context, Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import type { Media } from '../domain/images/serving/media.ts';
import { MEDIA_PATH } from '../domain/images/serving/urls.ts';
import { createMediaPages } from './media.ts';
import { createShortLinks, type ShortLinkParts } from './short-links.ts';

/** What the web room serves besides the endpoint. */
export interface WebParts {
  /** Where the service is; `/` leads there. */
  readonly servicePath: string;
  /** Resolves when calls can be served, rejects with the reason when the database or the disk cannot be used. */
  readonly check: () => Promise<void>;
  /** Answers a GET of the OpenAPI document, given the request's If-None-Match. */
  readonly openApi: (ifNoneMatch: string | undefined) => DocumentAnswer;
  readonly media: Media;
  readonly shortLinks: ShortLinkParts;
  /** Where short links are found, each without a slash at its end; may be empty. */
  readonly shortLinkPaths: readonly string[];
}

/** A document with its status and headers, ready to send. */
interface DocumentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Everything a browser or a probe meets outside the endpoint, as one Hono application. */
export function createWeb(parts: WebParts): Hono {
  const web = new Hono();
  web.route(MEDIA_PATH, createMediaPages(parts.media));
  // Before the headers of pages: redirects are hot and have no page, pictures are shown on other sites.
  for (const path of parts.shortLinkPaths) web.route(path === '' ? '/' : path, createShortLinks(parts.shortLinks));
  web.use(
    secureHeaders({
      strictTransportSecurity: false,
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    }),
  );
  web.get('/', (c) => c.redirect(parts.servicePath, 302));
  web.get('/healthz', (c) => c.text('ok\n', 200, { 'Cache-Control': 'no-store' }));
  web.get('/readyz', (c) => ready(c, parts.check));
  web.get('/openapi.json', (c) => {
    const { status, headers, body } = parts.openApi(c.req.header('if-none-match'));
    return new Response(status === 304 ? null : body, { status, headers });
  });
  web.notFound((c) => c.text(`Nothing is served here; the service is at ${parts.servicePath}.\n`, 404));
  return web;
}

/** The reason stays in the log: a probe needs the status alone. */
async function ready(c: Context, check: WebParts['check']): Promise<Response> {
  const headers = { 'Cache-Control': 'no-store' };
  try {
    await check();
    return c.text('ready\n', 200, headers);
  } catch {
    return c.text('not ready: the database or the disk cannot be used\n', 503, { ...headers, 'Retry-After': '5' });
  }
}
