import { Ws01Error } from '../../contract/errors.ts';
import type { AnswerUrl, CallContext } from '../context.ts';
import { shortLinkTarget } from '../values/web-url.ts';
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
 * Refused besides what `shortLinkTarget` refuses: our own links under another name of this service, which would lead in
 * a circle. They are known by their path and, on a host that is not known as ours, by a code that is.
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
  const target = shortLinkTarget(text, name, { ownUrls: [ours.short], allowPrivate });
  const url = new URL(target);
  const code = codeInPath(url.pathname, shortPaths(ours.base, ours.short));
  if (code !== undefined && (url.host === new URL(ours.base).host || (await isOurs(code)))) {
    throw new Ws01Error(
      'DestinationBlocked',
      `${name} is a short link of this service; give the address it should lead to.`,
      { parameter: name },
    );
  }
  return target;
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

/** The code in a path such as `/s/Bh2dFgR`, `/s/Bh2dFgR+` or `/s/Bh2dFgR.png`. */
function codeInPath(pathname: string, prefixes: readonly string[]): string | undefined {
  for (const prefix of prefixes) {
    if (!pathname.startsWith(`${prefix}/`)) continue;
    const start = prefix.length + 1;
    const code = pathname.slice(start, start + CODE_LENGTH);
    if (isShortCode(code)) return code;
  }
  return undefined;
}
