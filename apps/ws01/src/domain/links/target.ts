import { Ws01Error } from '../../contract/errors.ts';
import type { AnswerUrl, CallContext } from '../context.ts';
import { hostOf, shortLinkTarget } from '../values/web-url.ts';
import { CODE_LENGTH, isShortCode } from './short-code.ts';

/** Where this service's own links are, and what may not be pointed to. */
export interface TargetRules {
  /** `{BASE_URL}`, or where the call came in. */
  readonly baseUrl: AnswerUrl;
  /** `{SHORT_BASE_URL}`, or where the call came in. */
  readonly shortBaseUrl: AnswerUrl;
  /** Whether targets in private networks are allowed. */
  readonly allowPrivate: boolean;
}

/**
 * Reads what a short link is to point to (semantics 5.11). It is never fetched, nor its name resolved.
 *
 * Refused besides what `shortLinkTarget` refuses: our own short links, which would lead in a circle. On their own
 * host everything below their path is one, on that of `BASE_URL` whatever looks like one, and on any other a path with a
 * code that we have given.
 * All other pages of this service's hosts are targets like any other: a site shortens its own pages.
 *
 * @param context of the call.
 * @param isOurs whether there is a link with a code.
 * @returns the URL as it is redirected to.
 * @throws {Ws01Error} `MissingParameter`, `InvalidParameter`, `DestinationBlocked`
 */
export async function readTarget(
  text: string | undefined,
  name: string,
  { baseUrl, shortBaseUrl, allowPrivate }: TargetRules,
  context: CallContext,
  isOurs: (code: string) => Promise<boolean>,
): Promise<string> {
  const ours = { base: baseUrl(context), short: shortBaseUrl(context) };
  const target = shortLinkTarget(text, name, { allowPrivate });
  if (await isShortLink(new URL(target), ours, isOurs)) {
    throw new Ws01Error(
      'DestinationBlocked',
      `${name} is a short link of this service; give the address it should lead to.`,
      { parameter: name },
    );
  }
  return target;
}

async function isShortLink(
  url: URL,
  { base, short }: { readonly base: string; readonly short: string },
  isOurs: (code: string) => Promise<boolean>,
): Promise<boolean> {
  const host = hostOf(url);
  const hasShortHost = host === hostOf(new URL(short));
  const isOurHost = hasShortHost || host === hostOf(new URL(base));
  const path = decodedPath(url);
  for (const prefix of shortPaths(base, short)) {
    if (path !== prefix && !path.startsWith(`${prefix}/`)) continue;
    // Below it on another name of this service a site may have pages of its own.
    if (hasShortHost) return true;
    const code = path.slice(prefix.length + 1, prefix.length + 1 + CODE_LENGTH);
    if (isShortCode(code) && (isOurHost || (await isOurs(code)))) return true;
  }
  return false;
}

/** The path as routers and proxies read it: percent-encoding undone, slashes side by side as one. */
function decodedPath({ pathname }: URL): string {
  let path = pathname;
  try {
    path = decodeURIComponent(pathname);
  } catch {
    // What is not UTF-8 is read unchanged, by routers too.
  }
  return path.replace(/\/{2,}/g, '/');
}

/**
 * The paths under which this service's short links are found: that of `SHORT_BASE_URL` and, since a proxy may take the
 * path of `BASE_URL` off, what is left of it then. Each without a slash at its end; may be empty.
 */
export function shortPaths(baseUrl: string, shortBaseUrl: string): readonly string[] {
  const path = pathOf(shortBaseUrl);
  const base = pathOf(baseUrl);
  return base !== '' && path.startsWith(`${base}/`) ? [path, path.slice(base.length)] : [path];
}

function pathOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
}
