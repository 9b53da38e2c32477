/**
 * The servers in one URL, in libpq's form:
 * `postgres://user@one:5432,two:5432/database?target_session_attrs=…`.
 */
export interface Hosts {
  /** One URL per server, without parameters that the driver does not know. */
  readonly urls: readonly string[];
  /** Whether the server must accept writes. */
  readonly writable: boolean;
}

const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/s;

/**
 * The servers of a URL. With several servers, the one that accepts writes is used unless
 * `target_session_attrs` says otherwise.
 * @throws {TypeError} for an invalid URL.
 */
export function hostsOf(databaseUrl: string): Hosts {
  const [, before = '', hosts = '', after = ''] = AUTHORITY.exec(databaseUrl) ?? [];
  const names = hosts.split(',');
  let wanted: string | undefined;
  const urls = names.map((name) => {
    const url = new URL(`${before}${name}${after}`);
    const { searchParams } = url;
    const weaker = ALIASES.has(searchParams.get('sslmode') ?? '') && !searchParams.has(COMPATIBLE);
    if (weaker) searchParams.set('sslmode', 'verify-full');
    wanted = searchParams.get('target_session_attrs') ?? undefined;
    searchParams.delete('target_session_attrs');
    return weaker || wanted !== undefined ? url.href : `${before}${name}${after}`;
  });
  return { urls, writable: wanted === undefined ? urls.length > 1 : WRITABLE.has(wanted) };
}

/** What the driver takes for `verify-full`, with a warning of nine lines on the standard error. */
const ALIASES: ReadonlySet<string> = new Set(['prefer', 'require', 'verify-ca']);

/** The parameter by which the driver takes them as libpq does. */
const COMPATIBLE = 'uselibpqcompat';

/** The two differ only for a primary that refuses writes, which is of no use here. */
const WRITABLE: ReadonlySet<string> = new Set(['read-write', 'primary']);
