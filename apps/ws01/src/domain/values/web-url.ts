import { Ws01Error } from '../../contract/errors.ts';
import { LENGTHS } from '../../contract/parameters.ts';

/**
 * Parses an absolute http or https URL; surrounding blanks are ignored.
 *
 * @returns `undefined` when the text is not such a URL, has a control character or more than 2,048
 *   code points.
 */
export function parseHttpUrl(text: string): URL | undefined {
  const trimmed = text.trim();
  // The URL parser ignores line breaks and tabs, so it would accept invalid texts.
  if (!/^https?:\/\//i.test(trimmed) || /\p{Cc}/u.test(trimmed) || isTooLong(trimmed))
    return undefined;
  return URL.parse(trimmed) ?? undefined;
}

/**
 * Reads an optional parameter that is an absolute http or https URL (`linkUrl`).
 *
 * @param name the parameter, for the error.
 * @returns the URL as sent, without surrounding blanks, and with `http://` added if it has no
 *   scheme; `undefined` when it is absent or blank.
 * @throws {Ws01Error} `InvalidParameter`
 */
export function optionalHttpUrl(text: string | undefined, name: string): string | undefined {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return undefined;
  if (isTooLong(trimmed)) throw invalid(name);
  const absolute = withScheme(trimmed);
  const url = parseHttpUrl(absolute);
  if (url === undefined) throw invalid(name);
  assertGoesOut(url, name);
  return absolute;
}

/**
 * Checks a parameter that is a URL or any other text (`fromUrl`).
 *
 * @param name the parameter, for the error.
 * @returns the text as sent.
 * @throws {Ws01Error} `InvalidParameter` for an http or https URL that is too long when
 *   percent-encoded.
 */
export function urlOrText(text: string | undefined, name: string): string {
  const url = text === undefined ? undefined : parseHttpUrl(text);
  if (url !== undefined) assertGoesOut(url, name);
  return text ?? '';
}

/**
 * Longest percent-encoded URL, in bytes, that browsers, proxies and their logs accept
 * (semantics 2).
 */
const MAX_URL_BYTES = 8_000;

function assertGoesOut({ href }: URL, name: string): void {
  if (href.length <= MAX_URL_BYTES) return;
  throw new Ws01Error(
    'InvalidParameter',
    `${name} is ${href.length} bytes long as it goes out, percent-encoded; give a URL of at most ${MAX_URL_BYTES}.`,
    { parameter: name },
  );
}

/**
 * Reads the target of a short link (semantics 5.11): an absolute http or https URL; one without a
 * scheme gets `http://`.
 *
 * @param name the parameter, for the error.
 * @returns the URL for the redirect: ASCII only, host in lower case.
 * @throws {Ws01Error} `MissingParameter` when it is absent or blank; `InvalidParameter` when it is
 *   no such URL; `DestinationBlocked` when it has user-info, or when its host is private and the
 *   policy refuses that.
 */
export function shortLinkTarget(text: string | undefined, name: string): string {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') {
    throw new Ws01Error('MissingParameter', `${name} is required; give an http or https URL.`, {
      parameter: name,
    });
  }
  const url = isTooLong(trimmed) ? undefined : parseHttpUrl(withScheme(trimmed));
  if (url === undefined) throw invalid(name);
  assertGoesOut(url, name);
  if (url.username !== '' || url.password !== '')
    throw blocked(name, 'has a user name or password; leave it out');
  return url.href;
}

/**
 * Adds `http://` to a text that starts with a host (a name with a dot, `localhost`, `[address]`),
 * with or without port.
 */
function withScheme(text: string): string {
  if (text.startsWith('//')) return `http:${text}`;
  const end = text.search(/[/?#\\]/);
  const authority = end < 0 ? text : text.slice(0, end);
  const colon = authority.lastIndexOf(':');
  const hasPort = colon >= 0 && /^[0-9]{1,5}$/.test(authority.slice(colon + 1));
  const host = hasPort ? authority.slice(0, colon) : authority;
  return isHostLike(host) ? `http://${text}` : text;
}

/**
 * Whether a text can only be a host: not a scheme (`mailto:…`), an e-mail address or a single word.
 */
function isHostLike(text: string): boolean {
  if (text.startsWith('[') && text.endsWith(']')) return true;
  return (text.includes('.') || text.toLowerCase() === 'localhost') && !/[\s:@]/.test(text);
}

/** A host name without trailing dots; one dot is the DNS root, and resolvers accept more. */
function withoutRoot(name: string): string {
  return name.replace(/\.+$/, '');
}

/**
 * The host and port of a URL, without a trailing dot and without the default ports of http and
 * https.
 */
export function hostOf(url: URL): string {
  const name = withoutRoot(url.hostname);
  return url.port === '' || url.port === '80' || url.port === '443' ? name : `${name}:${url.port}`;
}

function isTooLong(text: string): boolean {
  return (
    text.length > LENGTHS.url && (text.length > 2 * LENGTHS.url || [...text].length > LENGTHS.url)
  );
}

function invalid(name: string): Ws01Error {
  return new Ws01Error(
    'InvalidParameter',
    `${name} is not an http or https URL of at most ${LENGTHS.url} characters; write it like https://example.com/page.`,
    { parameter: name },
  );
}

function blocked(name: string, problem: string): Ws01Error {
  return new Ws01Error('DestinationBlocked', `${name} ${problem}.`, { parameter: name });
}
