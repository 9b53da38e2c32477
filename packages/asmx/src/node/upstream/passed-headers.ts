import { words } from '../../contract/words.ts';
import type { WireRequest } from '../../message/http.ts';

/**
 * What a call of a web service needs. Others are dropped, since they mean something to us or to a
 * proxy (cookies, bearer tokens, `X-Forwarded-*`, `X-Original-URL`), and the old server would
 * believe a client what our proxy should say.
 */
const OF_CALLS = words(
  'accept accept-charset accept-encoding accept-language cache-control pragma user-agent',
  'content-type content-encoding content-language content-md5 mime-version soapaction',
  'if-modified-since if-none-match origin x-requested-with',
);

/**
 * What an answer of a web service needs. Others are dropped, since they hold for our whole host
 * (`Strict-Transport-Security`, `Clear-Site-Data`, `Alt-Svc`) or are orders to a proxy in front
 * (`X-Accel-Redirect`).
 */
const OF_ANSWERS = words(
  'content-type content-encoding content-language content-disposition content-md5 mime-version',
  'cache-control date etag expires last-modified pragma vary allow location retry-after',
  'jsonerror server x-aspnet-version x-powered-by',
);

/** What no option lets pass: it is made here, or belongs to one connection or to the whole host. */
const NEVER =
  /^(?:connection|content-length|content-security-policy|cookie2?|forwarded|host|set-cookie2?|transfer-encoding|x-accel-.*|x-content-type-options|x-forwarded-.*|x-original-url|x-rewrite-url|x-sendfile)$/;

/**
 * Schemes that say who calls in each request. NTLM and Negotiate say it once for a connection, and
 * the connections to the old server are shared by all clients; Bearer is a token of ours.
 */
const SCHEMES = /^(?:basic|digest)(?: |$)/i;

/**
 * How a cookie of the old server is named here, so that none of it is one of ours, nor one of ours
 * goes there.
 */
const COOKIE_PREFIX = 'old-';
const COOKIE_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** A page with these headers runs no script and is in no origin, so not in that of the console. */
export const IN_NO_ORIGIN = {
  'Content-Security-Policy': 'sandbox',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** Which further headers pass, by lower-case name. */
export interface PassedHeaders {
  readonly calls: ReadonlySet<string>;
  readonly answers: ReadonlySet<string>;
}

/**
 * @param more headers that the old service has beside those of every call, such as `X-Api-Key`.
 * @throws {TypeError} for one that never passes.
 */
export function passedHeaders(more: readonly string[]): PassedHeaders {
  const names = more.map((name) => name.toLowerCase());
  const refused = more.find((_, at) => NEVER.test(names[at]!));
  if (refused !== undefined)
    throw new TypeError(`The header ${refused} is not passed on to another server.`);
  return { calls: new Set([...OF_CALLS, ...names]), answers: new Set([...OF_ANSWERS, ...names]) };
}

/** What of a header may be passed. */
const PASSED: ReadonlyMap<string, (value: string) => string | undefined> = new Map([
  ['cookie', cookiesForOld],
  ['authorization', credential],
]);

/**
 * The headers of a call for the old server, names and values in turn.
 * @param made here, by lower-case name, such as `x-forwarded-for`.
 */
export function headersOfCall(
  { headers }: Pick<WireRequest, 'headers'>,
  { calls }: PassedHeaders,
  made: Readonly<Record<string, string>>,
): string[] {
  const sent: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || Object.hasOwn(made, name)) continue;
    const passes = PASSED.get(name);
    for (const each of typeof value === 'string' ? [value] : value) {
      const passed = passes === undefined ? each : passes(each);
      if (
        passed !== undefined &&
        (passed !== each || calls.has(name) || name === 'authorization')
      ) {
        sent.push(name, passed);
      }
    }
  }
  return [...sent, ...Object.entries(made).flat()];
}

/**
 * The headers of the old server's answer for our client. A page in it runs no script and is in no
 * origin; its cookies are sent to this service alone, and bear names of their own.
 * @param path of the service as the client wrote it.
 */
export function headersOfAnswer(
  headers: readonly string[],
  { answers }: PassedHeaders,
  path: string,
): string[] {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at]!, headers[at + 1]!];
    const lower = name.toLowerCase();
    if (answers.has(lower)) kept.push(name, value);
    else if (lower === 'www-authenticate' && SCHEMES.test(value)) kept.push(name, value);
    else if (lower === 'set-cookie') kept.push(...cookieForClient(value, path));
  }
  return [...kept, ...Object.entries(IN_NO_ORIGIN).flat()];
}

function credential(value: string): string | undefined {
  return SCHEMES.test(value) ? value : undefined;
}

/** Those that the old server has set, under the names that it gave them; `undefined` for none. */
function cookiesForOld(header: string): string | undefined {
  const own = header
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(COOKIE_PREFIX))
    .map((cookie) => cookie.slice(COOKIE_PREFIX.length));
  return own.length === 0 ? undefined : own.join('; ');
}

/**
 * Of its attributes only those count that say how long it lives: whom it is sent to is decided
 * here.
 */
function cookieForClient(header: string, path: string): string[] {
  const [pair = '', ...attributes] = header.split(';').map((part) => part.trim());
  const equals = pair.indexOf('=');
  if (equals < 1 || !COOKIE_NAME.test(pair.slice(0, equals))) return [];
  const kept = attributes.filter((attribute) =>
    /^(?:expires|max-age)=|^(?:httponly|secure)$/i.test(attribute),
  );
  return [
    'Set-Cookie',
    [`${COOKIE_PREFIX}${pair}`, ...kept, `Path=${path}`, 'SameSite=Lax'].join('; '),
  ];
}
