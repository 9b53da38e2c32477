import { header, type WireRequest } from './http.ts';

/** What a path that is written plainly does not hold: empty and dot segments, escapes. */
const WRITTEN_OTHERWISE = /\/[/.]|%/;

/** Escapes of characters that need none (RFC 3986 6.2.2.2), and of the slash, as IIS decodes it. */
const NEEDLESS_ESCAPE = /%(?:2[DEF]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi;

/** What no path may hold as it is (RFC 3986 3.3, with what browsers leave alone). */
const UNSENDABLE = /[^\u0021-\u007e]|["<>^`{}]/gu;

/** A path as clients send it: what they cannot send as it is, percent-encoded in UTF-8. */
export function asSent(path: string): string {
  return path.replace(UNSENDABLE, (char) => encodeURIComponent(char.toWellFormed()));
}

/**
 * The rest of a request's path after the service's path: `''` or `/…`, escaped as it was sent.
 * Case-insensitive, as in IIS. Like IIS and ASP.NET it treats several slashes as one (clients join
 * "http://host/" and "/WS01.asmx"), resolves `.` and `..`, and decodes escapes of characters that
 * need none.
 *
 * @param path of the request, without query.
 * @param servicePath in lower case.
 * @returns `undefined` where the path is not the service's, or leads above the root.
 */
export function pathInfoOf(path: string, servicePath: string): string | undefined {
  const plain = pathBelow(path, servicePath);
  if (!WRITTEN_OTHERWISE.test(path)) return plain;
  const resolved = resolvePath(path);
  // A path that is the service's as written and leads out of it calls an operation that does not
  // exist.
  return (resolved === undefined ? undefined : pathBelow(resolved, servicePath)) ?? plain;
}

function pathBelow(path: string, servicePath: string): string | undefined {
  const { length } = servicePath;
  if (path.slice(0, length).toLowerCase() !== servicePath) return undefined;
  return path.length === length || path[length] === '/' ? path.slice(length) : undefined;
}

/** @returns `undefined` when it leads above the root. */
function resolvePath(path: string): string | undefined {
  const decoded = path.replace(NEEDLESS_ESCAPE, (written) =>
    String.fromCharCode(Number.parseInt(written.slice(1), 16)),
  );
  const segments: string[] = [];
  for (const segment of decoded.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined;
    } else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  const ending = /\/\.{0,2}$/.test(decoded) && segments.length > 0 ? '/' : '';
  return `/${segments.join('/')}${ending}`;
}

/** What of a request says by which address its client reached the server. */
export type Reached = Pick<WireRequest, 'headers' | 'remoteAddress' | 'encrypted' | 'mountPath'>;

/**
 * `host` or `host:port` as RFC 3986 3.2.2 writes names and addresses; no user, no path, nothing to
 * escape.
 */
const AUTHORITY =
  /^(?:[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_.])?|\[[0-9a-f:.]{2,45}\])(?::[0-9]{1,5})?$/i;

/**
 * The URL that a client used: `http://` or `https://` with the host and port of its Host header,
 * and the path that the service is mounted below. For a trusted reverse proxy, the first entries of
 * X-Forwarded-Host, X-Forwarded-Proto and X-Forwarded-Prefix, the path that the proxy took away,
 * are used, or else what Forwarded says (RFC 7239). Use it only for descriptions and links in
 * answers to this client, never for stored data, because a client can send any Host.
 *
 * @param trusts whether the peer with an address is such a proxy.
 * @returns without a slash at its end, the host in lower case; `undefined` where the header is
 *   absent or no host.
 */
export function publicUrlOf(
  request: Reached,
  trusts: (address: string) => boolean,
): string | undefined {
  const trusted = trusts(request.remoteAddress);
  const forwarded = (name: 'host' | 'proto' | 'prefix') =>
    trusted
      ? first(header(request, `x-forwarded-${name}`) ?? '') ||
        forwardedPart(first(header(request, 'forwarded') ?? ''), name)
      : '';
  const host = forwarded('host') || (header(request, 'host') ?? '');
  const said = forwarded('proto').toLowerCase();
  const own = request.encrypted ? 'https' : 'http';
  const scheme = said === 'http' || said === 'https' ? said : own;
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
    : origin + pathOf(forwarded('prefix')) + pathOf(request.mountPath);
}

const SEGMENTS = /^(?:\/[\w.~!$&'()*+,;=:@%-]+)+$/;

/** A path without a slash at its end; `''` for none, and for what is no path. */
function pathOf(text = ''): string {
  if (text === '') return '';
  const path = text.endsWith('/') ? text.slice(0, -1) : text;
  return SEGMENTS.test(path) ? path : '';
}

/**
 * Origins by Host, of those met lately: every call asks for one, and most clients use the same few.
 */
const KNOWN = { http: new Map<string, string>(), https: new Map<string, string>() };
const MOST_KNOWN = 200;

function first(list: string): string {
  return list.split(',', 1)[0]!.trim();
}

/**
 * What an element of Forwarded says of a name, without its quotes (RFC 7239 4); `''` for nothing.
 */
function forwardedPart(element: string, name: string): string {
  for (const pair of element.split(';')) {
    const [key, value = ''] = pair.split('=', 2);
    if (key!.trim().toLowerCase() === name) return value.trim().replace(/^"(.*)"$/, '$1');
  }
  return '';
}

/**
 * The names and values of a query that belong to an address: services at one path differ by
 * them.
 */
export class AddressQuery {
  readonly #pairs: readonly (readonly [string, string])[];

  /** @param query without `?`. */
  constructor(query: string) {
    this.#pairs = [...new URLSearchParams(query)];
  }

  /** The rest of a request's query; `undefined` where it lacks some of this. */
  restOf(query: string): string | undefined {
    let rest = query.split('&');
    for (const [name, value] of this.#pairs) {
      const isIt = (part: string) => {
        // Escapes make a text longer: most others cost nothing.
        if (part.length < name.length + value.length) return false;
        if (part.length > 9 * (name.length + value.length) + 1) return false;
        const [pair] = new URLSearchParams(part);
        return pair?.[0] === name && pair[1] === value;
      };
      const at = rest.findIndex(isIt);
      if (at < 0) return undefined;
      rest = rest.toSpliced(at, 1);
    }
    return rest.join('&');
  }
}
