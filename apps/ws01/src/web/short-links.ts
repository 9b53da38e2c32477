import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { isLive } from '../domain/links/links.ts';
import { isShortCode } from '../domain/links/short-code.ts';
import { UNCACHED } from '../failure/answer-headers.ts';
import { queryOf } from './direct-answers.ts';
import { SAFE_HEADERS } from './image-answer.ts';
import { type RedirectDeps, redirectTo } from './link-redirect.ts';
import type { QrCodes, QrLook } from './qr-code.ts';
import { type ReceivedRequest, receivedRequestOf } from './received-request.ts';
import { noLinkPage, previewPage } from './short-link-pages.ts';
import { PAGE_HEADERS, type SiteVisit, siteLanguage } from './site-page.ts';

/** Dependencies of short links. */
export interface ShortLinkDeps extends RedirectDeps {
  /** Returns `SHORT_BASE_URL`, or the origin that the client used. */
  readonly shortBaseUrl: (request: ReceivedRequest) => string;
  readonly qrCodes: QrCodes;
  /** What the site is called now. */
  readonly siteName: () => string;
  /**
   * Whether it is the origin that the client used; QR codes are then not shared between clients.
   */
  readonly followsHost: boolean;
  /**
   * Charges the client's budget for a QR code that must be drawn.
   * @throws {Ws01Error} `RateLimited`
   */
  readonly charging: <T>(request: ReceivedRequest, work: () => Promise<T>) => Promise<T>;
}

/** The representation of a link: the redirect, the preview page or a QR code. */
type Face = 'redirect' | 'preview' | 'svg' | 'png';

const FACES: ReadonlyMap<string, Face> = new Map([
  ['', 'redirect'],
  ['+', 'preview'],
  ['.svg', 'svg'],
  ['.png', 'png'],
]);

/** A QR code never changes, even when its link ends; other sites may embed it. */
const PICTURE_HEADERS = {
  'cache-control': 'public, max-age=86400',
  ...SAFE_HEADERS,
};

const PICTURE_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const;

/**
 * Serves short links (semantics 5.11); mount it at the path of `SHORT_BASE_URL`: `/<code>`
 * redirects to the target, `/<code>+` shows the target, `/<code>.svg` and `/<code>.png` are QR
 * codes. Imported links have the codes of the old service. Other paths are left to the next
 * listener, unless nothing else is below this one. The target is never fetched.
 * @param isAlone whether only short links are below the path: whatever is mistyped there is
 *   answered as unknown.
 */
export function createShortLinks(
  deps: ShortLinkDeps,
  isAlone = false,
): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get('/:name{[^/]+(?:/+|</a>?)?}', async (c, next) => {
    const { code, suffix, query } = await readName(c.req.param('name'), deps.links);
    const face = FACES.get(suffix);
    const unknown = () => (isAlone ? noLink(c, 'unknown', deps) : next());
    if (face === undefined || code === '') return unknown();
    // A code in our form is answered as unknown; any other path may belong to another page.
    if (!isShortCode(code) && (await deps.links.find(code)) === undefined) return unknown();
    const own = queryOf(c.env.incoming.url ?? '');
    return answerLink(c, code, face, deps, query === '' ? own : `?${query}&${own.slice(1)}`);
  });
  return app;
}

function noLink(c: Context, why: 'unknown' | 'ended', deps: Pick<ShortLinkDeps, 'siteName'>) {
  return c.html(noLinkPage(visitOf(c, deps), why), why === 'ended' ? 410 : 404, PAGE_HEADERS);
}

const visitOf = (c: Context, { siteName }: Pick<ShortLinkDeps, 'siteName'>): SiteVisit => ({
  language: siteLanguage(c),
  site: siteName(),
});

/**
 * The name of a link: a code of this or an old service, with the representation. By mistake what is
 * invisible may stand around it, and behind it a slash, the end of a sentence, of a bracket or of a
 * line, a tag, and parameters with `&` instead of `?`.
 */
const NAME =
  /^[^\p{L}\p{N}_+<&-]*([A-Za-z0-9_-]{1,64})(\+|\.svg|\.png)?[^\p{L}\p{N}+<&-]*(?:&(?:amp;)?([^<]*=[^<]*))?(?:[<&].*)?$/su;

async function readName(name: string, links: RedirectDeps['links']) {
  const [, code = '', suffix = '', query = ''] = NAME.exec(name) ?? [];
  // Codes of an old service may end so; behind one of ours it is an emphasis.
  const own = code.replace(/_+$/, '');
  const isOwn = own !== code && isShortCode(own) && (await links.find(code)) === undefined;
  return { code: isOwn ? own : code, suffix, query };
}

/** How QR codes may look: pixels, and light modules around one. */
const LOOKS = { size: { least: 64, most: 2_048 }, margin: { least: 0, most: 16 } };

const LOOK_REFUSED = 'size is 64 to 2048 pixels, and margin 0 to 16 modules.\n';

/** Returns how a QR code is to look; `undefined` when it cannot. */
function lookOf(size: string | undefined, margin: string | undefined): QrLook | undefined {
  const numbers = [size, margin].map((text) => (text === undefined ? undefined : Number(text)));
  const isRight = [LOOKS.size, LOOKS.margin].every(({ least, most }, at) => {
    const number = numbers[at];
    return number === undefined || (Number.isInteger(number) && number >= least && number <= most);
  });
  return isRight ? { size: numbers[0], margin: numbers[1] } : undefined;
}

/**
 * Answers a request for a link, known or not.
 * @param query what a redirect adds to the target, with its question mark.
 */
export async function answerLink(
  c: Context<{ Bindings: HttpBindings }>,
  code: string,
  face: Face,
  deps: ShortLinkDeps,
  query = '',
): Promise<Response> {
  const { clock, links, shortBaseUrl, followsHost, charging, qrCodes } = deps;
  const link = await links.find(code);
  if (link === undefined) return noLink(c, 'unknown', deps);
  if (!isLive(link, clock())) return noLink(c, 'ended', deps);
  const request = receivedRequestOf(c.env.incoming);
  const url = () => `${shortBaseUrl(request)}/${code}`;
  switch (face) {
    case 'redirect':
      return c.body(null, 302, {
        ...redirectTo(link, { ...request, method: c.req.method }, query, deps),
        'Content-Length': '0',
      });
    case 'preview':
      return c.html(previewPage(visitOf(c, deps), link, url()), 200, PAGE_HEADERS);
    case 'svg':
    case 'png': {
      const look = lookOf(c.req.query('size'), c.req.query('margin'));
      if (look === undefined) return c.text(LOOK_REFUSED, 400, UNCACHED);
      const order = { text: url(), format: face, ...look };
      const draw = () => qrCodes.draw(order);
      const picture = qrCodes.find(order) ?? (await charging(request, draw));
      const headers = followsHost
        ? { ...PICTURE_HEADERS, 'cache-control': 'private, max-age=86400' }
        : PICTURE_HEADERS;
      return c.body(picture, 200, { 'Content-Type': PICTURE_TYPES[face], ...headers });
    }
  }
}
