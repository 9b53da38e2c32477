import { header, type WireRequest } from './http.ts';

/** What of a request says by which address its client reached the server. */
export type Reached = Pick<WireRequest, 'headers' | 'remoteAddress' | 'encrypted' | 'mountPath'>;

/** `host` or `host:port` as RFC 3986 3.2.2 writes names and addresses; no user, no path, nothing to escape. */
const AUTHORITY =
  /^(?:[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_.])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/**
 * The URL that a client used: `http://` or `https://` with the host and port of its Host header, and the path that the
 * service is mounted below. For a trusted reverse proxy, the first entries of X-Forwarded-Host, X-Forwarded-Proto and
 * X-Forwarded-Prefix, the path that the proxy took away, are used. Use it only for
 * descriptions and links in answers to this client, never for stored data, because a client can send any Host.
 *
 * @param trusts whether the peer with an address is such a proxy.
 * @returns without a slash at its end, the host in lower case; `undefined` where the header is absent or no host.
 */
export function publicUrlOf(
  request: Reached,
  trusts: (address: string) => boolean,
): string | undefined {
  const trusted = trusts(request.remoteAddress);
  const forwarded = (name: string) => (trusted ? first(header(request, name) ?? '') : '');
  const host = forwarded('x-forwarded-host') || (header(request, 'host') ?? '');
  const said = forwarded('x-forwarded-proto').toLowerCase();
  const scheme = said === 'http' || said === 'https' ? said : request.encrypted ? 'https' : 'http';
  const known = KNOWN[scheme];
  let origin = known.get(host);
  if (origin === undefined) {
    if (!AUTHORITY.test(host)) return undefined;
    // The parser knows which numbers are ports and addresses, and leaves the scheme's own port out.
    origin = URL.parse(`${scheme}://${host}`)?.origin;
    if (known.size === MOST_KNOWN) known.clear();
    // A copy: the header is a slice of all headers of its request in V8, and would keep them.
    if (origin !== undefined) known.set(`-${host}`.slice(1), origin);
  }
  return origin === undefined
    ? undefined
    : origin + pathOf(forwarded('x-forwarded-prefix')) + pathOf(request.mountPath);
}

const SEGMENTS = /^(?:\/[\w.~!$&'()*+,;=:@%-]+)+$/;

/** A path without a slash at its end; `''` for none, and for what is no path. */
function pathOf(text = ''): string {
  const path = text.endsWith('/') ? text.slice(0, -1) : text;
  return SEGMENTS.test(path) ? path : '';
}

/** Origins by Host, of those met lately: every call asks for one, and most clients use the same few. */
const KNOWN = { http: new Map<string, string>(), https: new Map<string, string>() };
const MOST_KNOWN = 200;

function first(list: string): string {
  return list.split(',', 1)[0]!.trim();
}
