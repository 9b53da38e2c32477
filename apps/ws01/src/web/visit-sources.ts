import { isIP } from 'node:net';
import { NO_SOURCE, OTHER_SOURCES, type VisitSource } from '../domain/links/visit-sources.ts';
import { remembering } from '../turns/memory.ts';
import type { ReceivedRequest } from './received-request.ts';

/** Maximum length of a header that is examined; characters. */
const HEADER_CHARS = 512;

/** Number of cached headers: parsing one costs more than the rest of a redirect. */
const HEADERS_KEPT = 2_000;

/**
 * Reads the source of a visit of a short link: the host of the referring page, and the country or
 * the browser's language. The country comes only from the header of a trusted proxy; addresses are
 * not looked up.
 * @param countryHeader in lower case; `undefined` for the language instead.
 * @param isTrusted whether a peer's headers are trusted.
 */
export function createVisitSources(
  countryHeader: string | undefined,
  isTrusted: (remoteAddress: string) => boolean,
): (request: ReceivedRequest) => readonly VisitSource[] {
  const referrer = sourceBy(referrerOf);
  const language = sourceBy(languageOf);
  return ({ headers, remoteAddress }) => {
    const from = { kind: 'referrer', name: referrer(headers.referer) } as const;
    if (countryHeader === undefined)
      return [from, { kind: 'language', name: language(headers['accept-language']) }];
    const told = isTrusted(remoteAddress) ? headers[countryHeader] : undefined;
    return [
      from,
      { kind: 'country', name: countryOf(typeof told === 'string' ? told : undefined) },
    ];
  };
}

function sourceBy(read: (text: string) => string): (header: string | undefined) => string {
  const nameOf = remembering(HEADERS_KEPT, (text) => (text.trim() === '' ? NO_SOURCE : read(text)));
  return (header = '') => nameOf(header.slice(0, HEADER_CHARS));
}

/** A public name: at least two labels, the last one not a number. */
const HOST =
  /^(?=.{4,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/**
 * Returns the host of a page without `www.`; addresses and single labels, which may identify a
 * person's machine, are dropped.
 */
function referrerOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:', 'android-app:'].includes(url.protocol))
    return OTHER_SOURCES;
  const host = url.hostname
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^www\./, '');
  return HOST.test(host) && isIP(host) === 0 ? host : OTHER_SOURCES;
}

/** Returns the browser's preferred language, with its region if there is one: `de-AT`. */
function languageOf(text: string): string {
  const tag = text.split(/[,;]/, 1)[0]!.trim();
  if (tag === '*') return NO_SOURCE;
  try {
    const { language, region } = new Intl.Locale(tag);
    return region === undefined ? language : `${language}-${region}`;
  } catch {
    return OTHER_SOURCES;
  }
}

/** Returns an ISO 3166 code; proxies use `XX` for unknown. */
function countryOf(text = ''): string {
  const country = text.trim().toUpperCase();
  if (country === '' || country === 'XX') return NO_SOURCE;
  return /^[A-Z]{2}$/.test(country) ? country : OTHER_SOURCES;
}
