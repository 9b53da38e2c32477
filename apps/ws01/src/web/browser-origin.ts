import type { IncomingHttpHeaders } from 'node:http';

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/**
 * Whether a browser may send the cookie of a session to an origin: by https, or by plain http from
 * its own machine by a loopback name. A foreign DNS name that points here is none.
 */
export function isProtected(origin: string): boolean {
  return origin.startsWith('https:') || LOOPBACK.test(origin);
}

/**
 * Whether a page of this very origin sends a request: by Fetch Metadata, which current browsers
 * send, else by `Origin`, which older ones send with whatever is no GET.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === origin : site === 'same-origin';
}

/**
 * Whether a page of another origin loads something into itself with a GET: by `Origin`, or by Fetch
 * Metadata. A person who follows a link does not.
 */
export function isLoadedElsewhere(headers: IncomingHttpHeaders, origin: string): boolean {
  if (headers.origin !== undefined && headers.origin !== origin) return true;
  const site = headers['sec-fetch-site'];
  return (
    (site === 'cross-site' || site === 'same-site') && headers['sec-fetch-dest'] !== 'document'
  );
}
