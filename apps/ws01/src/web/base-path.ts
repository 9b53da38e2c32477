import type { IncomingMessage } from 'node:http';
import type { Context, MiddlewareHandler } from 'hono';
import { pathOf } from '../domain/links/target.ts';
import { words } from '../store/words.ts';

/**
 * `BASE_URL` may have a path, `https://example.com/ws`. A proxy takes it away or passes it on:
 * {@link withoutBasePath} takes it away on arrival. Pages name paths of the service,
 * `/console/articles`, and {@link belowBasePath} puts the path before them on their way out.
 */

/**
 * The attributes of pages whose value may be a path; `data-…` are those that our scripts ask for.
 */
export const ATTRIBUTES_WITH_PATHS: readonly string[] = words(
  'href src action formaction hx-get data-completions data-draft data-home data-offers data-stream',
  'data-url data-words',
);

/** Templates escape quotation marks, so that no text of a person looks like it. */
const PATH_IN_PAGE = new RegExp(` (?:${ATTRIBUTES_WITH_PATHS.join('|')})="(?=/(?!/))`, 'g');

const HEADERS_WITH_PATHS = ['Location', 'HX-Redirect'];

/** What paths of the service begin with, besides its own path and that of short links. */
const OWN = [
  '',
  'api',
  'console',
  'healthz',
  'mcp',
  'media',
  'openapi.json',
  'readyz',
  'robots.txt',
];

/**
 * Returns a function that takes the path of `BASE_URL` away from the target of a request that still
 * has it, as Express does: the target as it came is `originalUrl`. A request for `/api/v1` below
 * `https://example.com/api` has come without the path, one for `/api/api/v1` has it.
 * @param paths what else is served, such as `/WS01.asmx`.
 */
export function withoutBasePath(
  baseUrl: string | undefined,
  paths: readonly string[],
): (req: IncomingMessage) => void {
  const base = baseUrl === undefined ? [] : segmentsOf(pathOf(baseUrl)).slice(1);
  if (base.length === 0) return () => {};
  const served = [...OWN, ...paths.map((path) => path.slice(1))];
  const own = new Set(served.map(firstOf));
  const isAmbiguous = own.has(firstOf(base[0]!));
  const isServed = served.includes(base.join('/'));
  return (req) => {
    const [path = '', ...query] = (req.url ?? '').split('?');
    const segments = segmentsOf(path);
    if (base.some((segment, at) => segment !== segments[at + 1])) return;
    const rest = path.split('/').slice(base.length + 1);
    const [first] = rest;
    if (first === undefined ? isServed : isAmbiguous && !own.has(firstOf(first))) return;
    Object.assign(req, { originalUrl: req.url, url: [`/${rest.join('/')}`, ...query].join('?') });
  };
}

/** The first segment of a path, as services compare it. */
function firstOf(path: string): string {
  return path.split('/', 1)[0]!.toLowerCase();
}

function segmentsOf(path: string): string[] {
  return path.split('/').map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  });
}

/** Puts the path of the base URL before the paths in a page, or a part of one. */
export function pageBelow(basePath: string, page: string): string {
  if (basePath === '') return page;
  const path = basePath.replaceAll('&', '&amp;');
  return page.replace(PATH_IN_PAGE, (attribute) => attribute + path);
}

/**
 * Puts the path of the base URL before the paths in headers, cookies and pages of the answers that
 * follow. What is served in a sandbox, a mail, is not ours and stays.
 * @param basePath returns it for a request.
 */
export function belowBasePath(basePath: (c: Context) => string): MiddlewareHandler {
  return async (c, next) => {
    await next();
    const base = basePath(c);
    if (base === '') return;
    const { headers } = c.res;
    for (const name of HEADERS_WITH_PATHS) {
      const path = headers.get(name);
      if (path !== null && /^\/(?!\/)/.test(path)) headers.set(name, base + path);
    }
    const cookies = headers.getSetCookie();
    headers.delete('Set-Cookie');
    for (const cookie of cookies)
      headers.append('Set-Cookie', cookie.replace(/(; Path=)(?=\/[^;])/, `$1${base}`));
    const isOurs = !headers.get('Content-Security-Policy')?.includes('sandbox');
    if (isOurs && headers.get('Content-Type')?.startsWith('text/html'))
      c.res = new Response(pageBelow(base, await c.res.text()), c.res);
  };
}
