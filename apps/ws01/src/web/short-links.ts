import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../domain/context.ts';
import { isLive, type Links } from '../domain/links/links.ts';
import { isShortCode } from '../domain/links/short-code.ts';
import type { VisitSource } from '../domain/links/visit-sources.ts';
import type { VisitKind, Visits } from '../domain/links/visits.ts';
import type { QrCodes } from './qr-code.ts';
import { type ReceivedRequest, receivedRequestOf } from './received-request.ts';
import { endedPage, PAGE_HEADERS, previewPage, unknownPage } from './short-link-pages.ts';

/** What short links are served with. */
export interface ShortLinkDeps {
  readonly clock: Clock;
  readonly links: Pick<Links, 'find'>;
  readonly visits: Pick<Visits, 'count'>;
  /** Where a visit came from, as far as that is counted. */
  readonly sourcesOf: (request: ReceivedRequest) => readonly VisitSource[];
  /** `{SHORT_BASE_URL}`, or where the request came in. */
  readonly shortBaseUrl: (request: ReceivedRequest) => string;
  readonly qrCodes: QrCodes;
  /** Whether it is where the request came in: pictures then are for this client alone. */
  readonly followsHost: boolean;
  /**
   * Runs work on the budget of whoever asks for a picture that must be drawn.
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

/** The answer depends on time and on take-downs, and each visit is to be seen. */
const NO_STORE = { 'Cache-Control': 'no-store' };

/** A picture says the same for ever, also of a link that has ended; other sites may show it. */
const PICTURE_HEADERS = {
  'Cache-Control': 'public, max-age=86400',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
};

const PICTURE_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const;

/**
 * Serves short links (semantics 5.11); mount it at the path of `SHORT_BASE_URL`: `/<code>` redirects to the target,
 * `/<code>+` shows the target, `/<code>.svg` and `/<code>.png` are QR codes. Imported links have the codes of the old
 * service. Other paths are left to the next listener. The target is never fetched.
 */
export function createShortLinks(deps: ShortLinkDeps): Hono<{ Bindings: HttpBindings }> {
  const app = new Hono<{ Bindings: HttpBindings }>();
  app.get('/:name', async (c, next) => {
    const name = c.req.param('name');
    const [, code = '', suffix = ''] = IMPORTED.exec(name) ?? [];
    const face = FACES.get(suffix);
    if (face === undefined || code === '') return next();
    // A code of ours says that it is none; any other name may be a page of somebody else.
    if (!isShortCode(code) && (await deps.links.find(code)) === undefined) return next();
    return answerLink(c, code, face, deps);
  });
  return app;
}

/** A code of ours or of an old service, with what is asked for. */
const IMPORTED = /^([A-Za-z0-9_-]{1,64})(\+|\.svg|\.png)?$/;

/** Answers a request for a link, whether there is one or not. */
export async function answerLink(
  c: Context<{ Bindings: HttpBindings }>,
  code: string,
  face: Face,
  { clock, links, visits, sourcesOf, shortBaseUrl, followsHost, charging, qrCodes }: ShortLinkDeps,
): Promise<Response> {
  const link = await links.find(code);
  if (link === undefined) return c.html(unknownPage(), 404, PAGE_HEADERS);
  if (!isLive(link, clock())) return c.html(endedPage(), 410, PAGE_HEADERS);
  const url = `${shortBaseUrl(receivedRequestOf(c.env.incoming))}/${code}`;
  switch (face) {
    case 'redirect':
      visits.count(code, visitKind(c), sourcesOf(receivedRequestOf(c.env.incoming)));
      return c.body(null, 302, { Location: link.target, 'Content-Length': '0', ...NO_STORE });
    case 'preview':
      return c.html(previewPage(link, url), 200, PAGE_HEADERS);
    case 'svg':
    case 'png': {
      const draw = () => qrCodes.draw(url, face);
      const picture = qrCodes.find(url, face) ?? (await charging(receivedRequestOf(c.env.incoming), draw));
      const headers = followsHost ? { ...PICTURE_HEADERS, 'Cache-Control': 'private, max-age=86400' } : PICTURE_HEADERS;
      return c.body(picture, 200, { 'Content-Type': PICTURE_TYPES[face], ...headers });
    }
  }
}

/** Whether a request is not from a person: a robot, a prefetching browser, a client without a user agent. */
function visitKind({ req }: Context): VisitKind {
  if (req.method === 'HEAD') return 'heads';
  const ahead = req.header('sec-purpose') ?? req.header('purpose') ?? '';
  return ahead.includes('prefetch') || isRobot(req.header('user-agent') ?? '') ? 'bots' : 'visits';
}

/** Longest user agent looked at, in characters. */
const USER_AGENT_CHARS = 512;

/** Verdicts on the user agents seen last: a verdict costs more than all the rest of a redirect. */
const verdicts = new LRUCache<string, boolean>({ max: 2_000 });

function isRobot(userAgent: string): boolean {
  const agent = userAgent.slice(0, USER_AGENT_CHARS);
  let verdict = verdicts.get(agent);
  if (verdict === undefined) {
    verdict = agent === '' || isbot(agent);
    verdicts.set(agent, verdict);
  }
  return verdict;
}
