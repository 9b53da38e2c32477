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

/** Dependencies of short links. */
export interface ShortLinkDeps {
  readonly clock: Clock;
  readonly links: Pick<Links, 'find'>;
  readonly visits: Pick<Visits, 'count'>;
  /** Returns the source of a visit, as far as it is counted. */
  readonly sourcesOf: (request: ReceivedRequest) => readonly VisitSource[];
  /** Returns `SHORT_BASE_URL`, or the origin that the client used. */
  readonly shortBaseUrl: (request: ReceivedRequest) => string;
  readonly qrCodes: QrCodes;
  /** Whether it is the origin that the client used; QR codes are then not shared between clients. */
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

/** The answer depends on the time and on moderation, and each visit is counted. */
const NO_STORE = { 'Cache-Control': 'no-store' };

/** A QR code never changes, even when its link ends; other sites may embed it. */
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
    // A code in our form is answered as unknown; any other path may belong to another page.
    if (!isShortCode(code) && (await deps.links.find(code)) === undefined) return next();
    return answerLink(c, code, face, deps);
  });
  return app;
}

/** A code of this or an old service, with the representation. */
const IMPORTED = /^([A-Za-z0-9_-]{1,64})(\+|\.svg|\.png)?$/;

/** Answers a request for a link, known or not. */
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

/** Classifies a visit as from a person, or not: a robot, a prefetch, a client without a user agent. */
function visitKind({ req }: Context): VisitKind {
  if (req.method === 'HEAD') return 'heads';
  const ahead = req.header('sec-purpose') ?? req.header('purpose') ?? '';
  return ahead.includes('prefetch') || isRobot(req.header('user-agent') ?? '') ? 'bots' : 'visits';
}

/** Maximum length of a user agent that is examined; characters. */
const USER_AGENT_CHARS = 512;

/** Cached classifications of user agents: one costs more than the rest of a redirect. */
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
