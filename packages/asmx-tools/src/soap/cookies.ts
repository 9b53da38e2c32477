interface Cookie {
  readonly value: string;
  readonly path: string;
  readonly isSecure: boolean;
  /** ms since 1970. */
  readonly until: number;
}

/** So many cookies of a server are kept. */
const MOST = 50;
const MOST_CHARS = 4096;

/** The cookies of one host (RFC 6265): a client calls no other. */
export class Cookies {
  readonly #all = new Map<string, Cookie>();

  /** Takes what an answer sets. */
  take(headers: Headers, url: URL): void {
    for (const line of headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';');
      const at = pair.indexOf('=');
      const name = pair.slice(0, at).trim();
      if (at < 1 || line.length > MOST_CHARS) continue;
      const said = new Map(
        attributes.map((each) => {
          const [key = '', ...value] = each.split('=');
          return [key.trim().toLowerCase(), value.join('=').trim()];
        }),
      );
      const until = endOf(said);
      const isGone = until <= Date.now();
      if (isGone) this.#all.delete(name);
      else if (this.#all.has(name) || this.#all.size < MOST) {
        const path = said.get('path');
        this.#all.set(name, {
          value: pair.slice(at + 1).trim(),
          path: path?.startsWith('/') === true ? path : url.pathname.replace(/\/[^/]*$/, '') || '/',
          isSecure: said.has('secure'),
          until,
        });
      }
    }
  }

  /** The header for a request; `undefined` for none. */
  header(url: URL): string | undefined {
    const now = Date.now();
    const pairs = [...this.#all]
      .filter(
        ([, { path, isSecure, until }]) =>
          until > now && isWithin(url.pathname, path) && (!isSecure || url.protocol === 'https:'),
      )
      .map(([name, { value }]) => `${name}=${value}`);
    return pairs.length === 0 ? undefined : pairs.join('; ');
  }
}

function endOf(said: ReadonlyMap<string, string>): number {
  const age = said.get('max-age');
  if (age !== undefined && /^-?\d+$/.test(age)) return Date.now() + Number(age) * 1000;
  const expires = Date.parse(said.get('expires') ?? '');
  return Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires;
}

/** RFC 6265, 5.1.4. */
function isWithin(path: string, of: string): boolean {
  return path === of || path.startsWith(of.endsWith('/') ? of : `${of}/`);
}
