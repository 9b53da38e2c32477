import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ipaddr from 'ipaddr.js';
import { type PathPattern, parsePathPattern } from '../domain/values/path-pattern.ts';
import { type Form, form, partsOf } from './forms.ts';

/** Parses a URL with one of the given schemes; `undefined` for anything else. */
export function urlOf(text: string, schemes: readonly string[]): URL | undefined {
  const url = URL.parse(text);
  return url !== null && schemes.includes(url.protocol) ? url : undefined;
}

/** A host name or address to listen on; an IPv6 address may stand in brackets. */
export const host = form('a host name or an IP address, such as 0.0.0.0', (text) => {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  return isIP(bare) !== 0 || (bare === text && /^[A-Za-z0-9._-]{1,253}$/.test(bare))
    ? bare
    : undefined;
});

/** `sun_path` of unix(7) without the NUL at its end; bytes. */
const MAX_SOCKET_PATH = 107;

/** The path of a Unix socket, made absolute. */
export const socketPath = form(
  `a path of at most ${MAX_SOCKET_PATH} bytes, such as /run/ws01/http.sock`,
  (text) => {
    const path = folder.read(text);
    return path !== undefined && Buffer.byteLength(path) <= MAX_SOCKET_PATH ? path : undefined;
  },
);

/** A public http or https URL without query, fragment and user; its last slash is removed. */
export const publicUrl = form(
  'an http or https URL without query, fragment and user, such as https://example.com/ws (without WS01.asmx)',
  (text) => {
    const url = urlOf(text, ['http:', 'https:']);
    const plain =
      url !== undefined &&
      !/[?#\s]/.test(text) &&
      url.username === '' &&
      !url.pathname.toLowerCase().includes('.asmx');
    return plain ? url.href.replace(/\/+$/, '') : undefined;
  },
);

/** Origins of sites: scheme, host and port, separated by commas. */
export const origins = form<readonly string[]>(
  'origins separated by commas, such as https://example.com,https://www.example.com, or *',
  (text) => partsOf(text, (part) => (part === '*' ? '*' : originOf(part))),
);

function originOf(text: string): string | undefined {
  const url = urlOf(text, ['http:', 'https:']);
  return url !== undefined && (text === url.origin || text === `${url.origin}/`)
    ? url.origin
    : undefined;
}

/** The URL where people read an article. */
export const articleUrl = form(
  'a URL with {guid} in it, such as https://example.com/articles/{guid}',
  (text) =>
    text.includes('{guid}') && urlOf(text, ['http:', 'https:']) !== undefined ? text : undefined,
);

/** A PostgreSQL connection URL; may name several servers, separated by commas, as in libpq. */
export const postgresUrl = form(
  'a URL such as postgres://user:password@host:5432/database, signs such as / # @ of the password percent-encoded',
  (text) => {
    const [, before, hosts, after] = /^([a-z]+:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/s.exec(text) ?? [];
    const each = hosts
      ?.split(',')
      .map((host) => urlOf(`${before}${host}${after}`, ['postgres:', 'postgresql:']));
    const attributes = each?.[0]?.searchParams.get('target_session_attrs') ?? 'any';
    return each === undefined || each.includes(undefined) || !SESSION_ATTRIBUTES.has(attributes)
      ? undefined
      : text;
  },
);

/**
 * The supported values of libpq's `target_session_attrs`; the others exclude the server that
 * accepts writes.
 */
const SESSION_ATTRIBUTES: ReadonlySet<string> = new Set(['any', 'read-write', 'primary']);

/** An http or https URL of a service. */
export const upstreamUrl = form(
  'an http or https URL without user, query and fragment, such as http://old/WS01.asmx',
  (text) => {
    const url = urlOf(text, ['http:', 'https:']);
    return url !== undefined && url.username === '' && !/[?#\s]/.test(text) ? url.href : undefined;
  },
);

/** Paths below the root that other parts of the service use. */
const OTHER_PATHS =
  /^\/(?:admin|api|mcp|console|healthz|livez|media|metrics|openapi\.json|readyz|robots\.txt|s)(?:\/|$)/i;

const SERVICE_PATH = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

/** Paths of the service, separated by commas. */
export const servicePaths = form(
  'paths separated by commas, such as /Service.asmx,/old/Service.asmx, none of them below /media, /s, /api or /console',
  (text) => {
    const paths = partsOf(text, (path) =>
      SERVICE_PATH.test(path) && !OTHER_PATHS.test(path) ? (path as `/${string}`) : undefined,
    );
    const different = new Set(paths?.map((path) => path.toLowerCase()));
    return different.size === paths?.length ? paths : undefined;
  },
);

/** Patterns of paths, separated by commas, each with one placeholder for a key. */
export function pathPatterns(
  place: '{key}' | '{code}',
  example: string,
): Form<readonly PathPattern[]> {
  return form(`paths with one ${place} each, separated by commas, such as ${example}`, (text) =>
    partsOf(text, (part) => parsePathPattern(part, place)),
  );
}

/** Names of common groups of networks. */
const PROXY_GROUPS = new Map<string, readonly string[]>([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  [
    'private',
    ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
  ],
]);

/** Addresses and networks, separated by commas, each in canonical CIDR form. */
export const networks = form(
  'addresses or networks separated by commas, such as 10.0.0.0/8, fd00::/8, loopback or private',
  (text) => {
    const read = partsOf(text, (part) => PROXY_GROUPS.get(part.toLowerCase()) ?? network(part));
    return read && Object.freeze(read.flat());
  },
);

/**
 * An address or network in canonical CIDR form, an IPv4-mapped one as IPv4; `undefined` when it is
 * neither.
 */
function network(text: string): readonly string[] | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  // isIP first: ipaddr.js also reads short and octal forms of IPv4.
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0) return undefined;
  if (bits !== undefined && !/^\d{1,3}$/.test(bits)) return undefined;
  const parsed = ipaddr.parse(address);
  const mapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? 96 : 0;
  const canonical = ipaddr.process(address);
  const whole = canonical.kind() === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? whole : Number(bits) - mapped;
  return prefix >= 0 && prefix <= whole ? [`${canonical.toString()}/${prefix}`] : undefined;
}

/** A folder; a relative path is resolved against the working directory. */
export const folder = form('the path of a folder', (text) =>
  text.includes('\0') ? undefined : resolve(text),
);

/** Where image files are stored. */
export type FilesLocation =
  | { readonly kind: 'disk'; readonly folder: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Prefix of each object's key; no slash at either end; may be empty. */
      readonly prefix: string;
      readonly endpoint: string | undefined;
      readonly region: string | undefined;
    };

/** `s3://bucket/prefix?endpoint=…&region=…`, a `file:` URL or a path. */
export const filesLocation = form<FilesLocation>(
  's3://bucket/prefix?endpoint=https://…&region=… or the path of a folder',
  (text) => {
    if (!/^[A-Za-z][A-Za-z0-9+.-]+:/.test(text)) {
      return text.includes('\0') ? undefined : { kind: 'disk', folder: resolve(text) };
    }
    const url = urlOf(text, ['s3:', 'file:']);
    if (url?.protocol === 'file:') {
      return url.host === '' ? { kind: 'disk', folder: fileURLToPath(url) } : undefined;
    }
    return url === undefined ? undefined : s3Location(url);
  },
);

function s3Location(url: URL): FilesLocation | undefined {
  const { hostname: bucket, searchParams } = url;
  const endpoint = searchParams.get('endpoint') ?? undefined;
  const isEndpoint = endpoint === undefined || urlOf(endpoint, ['http:', 'https:']) !== undefined;
  const isKnown = [...searchParams.keys()].every((key) => key === 'endpoint' || key === 'region');
  const isBucket = /^[a-z0-9][a-z0-9._-]{1,62}$/.test(bucket) && url.username === '';
  const usable = isBucket && isKnown && isEndpoint;
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+/, '').replace(/\/+$/, '');
  return usable
    ? { kind: 's3', bucket, prefix, endpoint, region: searchParams.get('region') ?? undefined }
    : undefined;
}
