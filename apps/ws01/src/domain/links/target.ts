import { Ws01Error } from '../../contract/errors.ts';
import type { AnswerUrl, CallContext } from '../context.ts';
import { decodePercent } from '../values/percent.ts';
import { hostOf, shortLinkTarget } from '../values/web-url.ts';
import type { Links } from './links.ts';
import { CODE_LENGTH, isShortCode } from './short-code.ts';

/** The rules for targets of short links. */
export interface TargetRules {
  /** `BASE_URL`, or the URL that the client called. */
  readonly baseUrl: AnswerUrl;
  /** `SHORT_BASE_URL`, or the URL that the client called. */
  readonly shortBaseUrl: AnswerUrl;
}

/**
 * Reads the target of a short link (semantics 5.11). The target is never fetched, and its name
 * never resolved.
 *
 * In addition to `shortLinkTarget`, this refuses short links of this service, which would make a
 * redirect loop. On the host of `SHORT_BASE_URL` that is everything below its path; on the host of
 * `BASE_URL` everything in the form of a short link; on other hosts a path with an existing code.
 * Other pages of these hosts are allowed, so that a site can shorten links to its own pages.
 *
 * @param context of the call.
 * @param links of which a code may be.
 * @returns the URL for the redirect.
 * @throws {Ws01Error} `MissingParameter`, `InvalidParameter`, `DestinationBlocked`
 */
export async function readTarget(
  text: string | undefined,
  name: string,
  { baseUrl, shortBaseUrl }: TargetRules,
  context: CallContext,
  links: Pick<Links, 'find'>,
): Promise<string> {
  const ours = { base: baseUrl(context), short: shortBaseUrl(context) };
  const target = shortLinkTarget(text, name);
  if (await isShortLink(new URL(target), ours, links)) {
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
  links: Pick<Links, 'find'>,
): Promise<boolean> {
  const host = hostOf(url);
  const hasShortHost = host === hostOf(new URL(short));
  const isOurHost = hasShortHost || host === hostOf(new URL(base));
  const path = decodedPath(url);
  for (const prefix of shortPaths(base, short)) {
    if (path !== prefix && !path.startsWith(`${prefix}/`)) continue;
    // On another host name of this service, a site may have its own pages below this path.
    if (hasShortHost) return true;
    const code = path.slice(prefix.length + 1, prefix.length + 1 + CODE_LENGTH);
    if (isShortCode(code) && (isOurHost || (await links.find(code)) !== undefined)) return true;
  }
  return false;
}

/** The path as routers and proxies read it: percent-decoded, with repeated slashes merged. */
function decodedPath({ pathname }: URL): string {
  // Routers, too, leave a path unchanged that is not UTF-8 when decoded.
  return (decodePercent(pathname) ?? pathname).replace(/\/{2,}/g, '/');
}

/**
 * The paths that short links are served below: that of `SHORT_BASE_URL` and, since a proxy may
 * remove the path of `BASE_URL`, the rest after it. None ends with a slash; each may be empty.
 */
export function shortPaths(baseUrl: string, shortBaseUrl: string): readonly string[] {
  const path = pathOf(shortBaseUrl);
  const base = pathOf(baseUrl);
  return base !== '' && path.startsWith(`${base}/`) ? [path, path.slice(base.length)] : [path];
}

/** The path of a base URL, percent-encoded, without a slash at its end; `''` for none. */
export function pathOf(url: string): string {
  const { pathname } = new URL(url);
  return pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
}
