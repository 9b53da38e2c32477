import type { Context, MiddlewareHandler } from 'hono';
import { adminOfSession } from '../domain/admins/sessions.ts';
import { NOSNIFF } from '../failure/answer-headers.ts';
import { isLoadedElsewhere, isProtected, isSameOrigin } from '../web/browser-origin.ts';
import { languageOf } from '../web/language.ts';
import { receivedRequestOf } from '../web/received-request.ts';
import { choicesOf, isNarrow, languageCookie, sessionCookie, zoneCookie } from './cookies.ts';
import { translator } from './language.ts';
import { plainPage } from './layout.ts';
import { LIVE } from './live.ts';
import { formToResume } from './resume.ts';
import { insecurePage, signInPage } from './sign-in-pages.ts';
import { TOLD } from './told-once.ts';
import { type ConsoleDeps, type ConsoleEnv, HOME } from './visit.ts';

/** The content security policy: files and requests of the console only, no inline code, no other sites. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** The policy of a mail's body: it runs no scripts, loads nothing and sends nothing. */
export const BODY_POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox";

const HEADERS = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Referrer-Policy': 'no-referrer',
  ...NOSNIFF,
  'X-Robots-Tag': 'noindex',
} as const;

/** Adds security headers to every answer; headers that a page sets win. */
export const securityHeaders: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  await next();
  for (const [name, value] of Object.entries(HEADERS))
    if (!c.res.headers.has(name)) c.header(name, value);
  if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
};

/** Determines the client, its origin and its language. */
export function identifyVisit({
  origin,
  reachedAt,
  clientAddress,
  siteName,
  command,
  servicePath,
  timeZone,
  gateways,
}: ConsoleDeps): MiddlewareHandler<ConsoleEnv> {
  return async (c, next) => {
    const arrival = receivedRequestOf(c.env.incoming);
    const reached = origin(arrival) ?? '';
    const url = new URL(c.req.url);
    for (const own of [TOLD, LIVE]) url.searchParams.delete(own);
    const language = languageOf(languageCookie(c), c.req.header('accept-language'));
    c.set('visit', {
      translate: translator(language),
      language,
      choices: choicesOf(c),
      site: siteName(),
      command,
      servicePath,
      origin: reached,
      reachedAt: reachedAt(arrival),
      secure: reached.startsWith('https:'),
      address: clientAddress(arrival),
      agent: c.req.header('user-agent') ?? '',
      path: url.pathname + url.search,
      sendsMail: gateways.mail,
      htmx: c.req.header('hx-request') === 'true',
      isNarrow: isNarrow(c),
      timeZone: zoneCookie(c) ?? timeZone,
    });
    return next();
  };
}

/** Rejects requests over unencrypted connections, except from the browser's own machine. */
export const requireEncryption: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  const visit = c.get('visit');
  if (isProtected(visit.origin)) return next();
  return c.html(insecurePage(visit), 403);
};

/** Rejects requests of other sites' pages. They may only link to pages of the console. */
export const rejectCrossSite: MiddlewareHandler<ConsoleEnv> = async (c, next) => {
  const visit = c.get('visit');
  const { headers } = c.env.incoming;
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD';
  if (isRead ? !isLoadedElsewhere(headers, visit.origin) : isSameOrigin(headers, visit.origin))
    return next();
  return c.html(
    plainPage(visit, {
      title: visit.translate('problem.Forbidden'),
      content: visit.translate('error.crossSite'),
    }),
    403,
  );
};

/** Requires a signed-in admin. */
export function signedIn({ store, clock }: ConsoleDeps): MiddlewareHandler<ConsoleEnv> {
  return async (c, next) => {
    const visit = c.get('visit');
    const secret = sessionCookie(c, visit.secure);
    const admin = secret === undefined ? undefined : await adminOfSession(store, secret, clock);
    if (admin !== undefined) {
      c.set('admin', admin);
      return next();
    }
    return askToSignIn(c);
  };
}

/** Answers a request that needs a sign-in, or another one: what was sent goes on after it. */
export async function askToSignIn(c: Context<ConsoleEnv>): Promise<Response> {
  const [visit, admin] = [c.get('visit'), c.get('admin')];
  const isRead = c.req.method === 'GET';
  const way = `${HOME}/sign-in${isRead && !visit.htmx ? `?next=${encodeURIComponent(visit.path)}` : ''}`;
  if (visit.htmx) {
    c.header('HX-Redirect', way);
    return c.body(null, 401);
  }
  const resume = c.req.method === 'POST' ? await formToResume(c) : undefined;
  if (resume === undefined && admin === undefined) return c.redirect(way, 303);
  const next = isRead ? visit.path : HOME;
  return c.html(
    signInPage(visit, { next, resume, isAgain: admin !== undefined, name: admin?.name }),
    401,
  );
}
