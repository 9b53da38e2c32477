import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import ipaddr from 'ipaddr.js';
import { canonicalTokenText } from '../domain/credentials/token-text.ts';
import { parseAddress } from '../domain/values/email-address.ts';
import { type PathPattern, parsePathPattern } from '../domain/values/path-pattern.ts';
import { parseRates } from '../domain/values/rate.ts';
import { parseSchedule } from '../domain/values/schedule.ts';
import { COUNTRIES } from './countries.ts';

/** The form of a setting: a parser, and a short description of valid values for the error. */
export interface Form<Value> {
  /** Ends the sentence "NAME must be …". */
  readonly expects: string;
  /** The value of a text; `undefined` for one that is refused. Never throws. */
  readonly read: (text: string) => Value | undefined;
}

/** Creates a form from a parser that returns `undefined`, or throws, for an invalid text. */
export function form<Value>(expects: string, read: (text: string) => Value | undefined): Form<Value> {
  return { expects, read: (text) => attempt(() => read(text)) };
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** A plain decimal integer within bounds, both inclusive. */
export function integer(minimum: number, maximum: number): Form<number> {
  return form(`an integer from ${minimum} to ${maximum}, in plain digits`, (text) => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  });
}

/** One of a few words, in any case. */
export function word<const Word extends string>(...words: readonly Word[]): Form<Word> {
  return form(`one of ${words.join(', ')}`, (text) => words.find((known) => known === text.toLowerCase()));
}

/** A charset that is a superset of ASCII and no UTF. */
export const legacyCharset = form('a charset such as gb18030, windows-1252 or shift_jis', (text) =>
  /^(?:utf-|iso-2022)/.test(new TextDecoder(text).encoding) ? undefined : text,
);

/** `on` or `off`, as a boolean. */
export const toggle: Form<boolean> = form('on or off', (text) => TOGGLE.get(text.toLowerCase()));

const TOGGLE = new Map([
  ['on', true],
  ['off', false],
]);

/** A URL with one of some schemes; `undefined` for anything else. */
export function urlOf(text: string, schemes: readonly string[]): URL | undefined {
  const url = URL.parse(text);
  return url !== null && schemes.includes(url.protocol) ? url : undefined;
}

/** A host name or address to listen on; an IPv6 address may stand in brackets. */
export const host = form('a host name or an IP address, such as 0.0.0.0', (text) => {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  return isIP(bare) !== 0 || (bare === text && /^[A-Za-z0-9._-]{1,253}$/.test(bare)) ? bare : undefined;
});

/** A public http or https address without query, fragment and user; kept without its last slash. */
export const publicUrl = form(
  'an http or https URL without query, fragment and user, such as https://example.com/ws (without WS01.asmx)',
  (text) => {
    const url = urlOf(text, ['http:', 'https:']);
    const plain =
      url !== undefined && !/[?#\s]/.test(text) && url.username === '' && !url.pathname.toLowerCase().includes('.asmx');
    return plain ? url.href.replace(/\/+$/, '') : undefined;
  },
);

/** Sites as browsers name them: scheme, host and port. */
export const origins = form<readonly string[]>(
  'origins separated by commas, such as https://example.com,https://www.example.com, or *',
  (text) => {
    const parts = text.split(',').map((part) => part.trim());
    const read = parts.map((part) => (part === '*' ? '*' : originOf(part)));
    return read.includes(undefined) ? undefined : Object.freeze(read as string[]);
  },
);

function originOf(text: string): string | undefined {
  const url = urlOf(text, ['http:', 'https:']);
  return url !== undefined && (text === url.origin || text === `${url.origin}/`) ? url.origin : undefined;
}

/** Where people read an article. */
export const articleUrl = form('a URL with {guid} in it, such as https://example.com/articles/{guid}', (text) =>
  text.includes('{guid}') && urlOf(text, ['http:', 'https:']) !== undefined ? text : undefined,
);

/** An XML namespace name that can also stand quoted in a SOAPAction header. */
export const namespace = form(
  'a URI in printable ASCII without blanks, quotes and angle brackets, such as http://example.com/',
  (text) => (/^[!#-;=?-~]{1,1024}$/.test(text) ? text : undefined),
);

/** A folder, made absolute against the working directory. */
export const folder = form('the path of a folder', (text) => (text.includes('\0') ? undefined : resolve(text)));

/** A PostgreSQL connection URL; may name several servers, separated by commas, as libpq has it. */
export const postgresUrl = form('a URL such as postgres://user:password@host:5432/database', (text) => {
  const [, before, hosts, after] = /^([a-z]+:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/s.exec(text) ?? [];
  const each = hosts?.split(',').map((host) => urlOf(`${before}${host}${after}`, ['postgres:', 'postgresql:']));
  const attributes = each?.[0]?.searchParams.get('target_session_attrs') ?? 'any';
  return each === undefined || each.includes(undefined) || !SESSION_ATTRIBUTES.has(attributes) ? undefined : text;
});

/** Which of several servers is meant; others of libpq are of no use to a service that writes. */
const SESSION_ATTRIBUTES: ReadonlySet<string> = new Set(['any', 'read-write', 'primary']);

/** Where image files are kept. */
export type FilesLocation =
  | { readonly kind: 'disk'; readonly folder: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** Put before each object's key; without slashes at its ends; may be empty. */
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
  const usable =
    /^[a-z0-9][a-z0-9._-]{1,62}$/.test(bucket) &&
    url.username === '' &&
    [...searchParams.keys()].every((key) => key === 'endpoint' || key === 'region') &&
    (endpoint === undefined || urlOf(endpoint, ['http:', 'https:']) !== undefined);
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+/, '').replace(/\/+$/, '');
  return usable ? { kind: 's3', bucket, prefix, endpoint, region: searchParams.get('region') ?? undefined } : undefined;
}

/** An IANA time zone name, in its usual capitals. Offsets are refused: databases read their sign in two ways. */
export const timeZone = form('an IANA time zone name, such as UTC or Asia/Shanghai', (text) => {
  // The default need not be looked up: loading the tables of all zones takes 10 ms.
  if (text === 'UTC') return text;
  return /^[A-Za-z]/.test(text)
    ? new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone
    : undefined;
});

/** An ISO 3166 country that has phone numbers, in capitals. */
export const country = form('a two-letter ISO 3166 country code, such as US or CN', (text) => {
  const code = text.toUpperCase();
  return COUNTRIES.has(code) ? code : undefined;
});

/** Countries, separated by commas. */
export const countries = form('two-letter ISO 3166 country codes separated by commas, such as US,CN', (text) => {
  const codes = text.split(',').map((part) => country.read(part.trim()));
  return codes.every((code) => code !== undefined) ? new Set(codes) : undefined;
});

/** Words for the usual groups of proxies. */
const PROXY_GROUPS = new Map<string, readonly string[]>([
  ['loopback', ['127.0.0.0/8', '::1/128']],
  ['private', ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10']],
]);

/** An http or https URL of a service. */
export const upstreamUrl = form(
  'an http or https URL without user, query and fragment, such as http://old/WS01.asmx',
  (text) => {
    const url = urlOf(text, ['http:', 'https:']);
    return url !== undefined && url.username === '' && !/[?#\s]/.test(text) ? url.href : undefined;
  },
);

/** What is served below the root beside the service. */
const OTHER_PATHS = /^\/(?:admin|api|mcp|console|healthz|livez|media|metrics|openapi\.json|readyz|s)(?:\/|$)/i;

/** Paths of the service, separated by commas. */
export const servicePaths = form(
  'paths separated by commas, such as /Service.asmx,/old/Service.asmx, none of them below /media, /s, /api or /console',
  (text) => {
    const paths = text.split(',').map((part) => part.trim());
    const usable = paths.every(
      (path) => /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/.test(path) && !OTHER_PATHS.test(path),
    );
    const isTwice = new Set(paths.map((path) => path.toLowerCase())).size < paths.length;
    return usable && !isTwice ? Object.freeze(paths as `/${string}`[]) : undefined;
  },
);

/** Patterns of paths, separated by commas, each with one place for a key. */
export function pathPatterns(place: '{key}' | '{code}', example: string): Form<readonly PathPattern[]> {
  return form(`paths with one ${place} each, separated by commas, such as ${example}`, (text) => {
    const patterns = text.split(',').map((part) => parsePathPattern(part.trim(), place));
    return patterns.every((pattern) => pattern !== undefined) ? Object.freeze(patterns) : undefined;
  });
}

/** A field name of RFC 9110, in lower case. */
export const headerName = form('the name of a header, such as CF-IPCountry', (text) =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(text) ? text.toLowerCase() : undefined,
);

/** A name in XML without a colon, in ASCII. */
export const xmlName = form('a name such as WS01: letters, digits, _, - and ., not a digit first', (text) =>
  /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/.test(text) ? text : undefined,
);

/** Names of operations, separated by commas. */
export const operationNames = form('names of operations separated by commas, such as QueryAdvert,SendEmail', (text) => {
  const names = text.split(',').map((part) => part.trim());
  return names.every((name) => /^[A-Za-z_][\w.-]*$/.test(name)) ? new Set(names) : undefined;
});

/** Addresses and networks, separated by commas, each in canonical CIDR form. */
export const networks = form(
  'addresses or networks separated by commas, such as 10.0.0.0/8, fd00::/8, loopback or private',
  (text) => {
    const parts = text.split(',').map((part) => part.trim());
    const read = parts.map((part) => PROXY_GROUPS.get(part.toLowerCase()) ?? network(part));
    return read.every((part) => part !== undefined) ? Object.freeze(read.flat()) : undefined;
  },
);

/** An address or network as one CIDR text, v4-mapped unwrapped; `undefined` when it is neither. */
function network(text: string): readonly string[] | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  // isIP first: ipaddr.js also reads short and octal forms of IPv4.
  if (
    isIP(address) === 0 ||
    address.includes('%') ||
    rest.length > 0 ||
    (bits !== undefined && !/^\d{1,3}$/.test(bits))
  ) {
    return undefined;
  }
  const parsed = ipaddr.parse(address);
  const mapped = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? 96 : 0;
  const canonical = ipaddr.process(address);
  const whole = canonical.kind() === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? whole : Number(bits) - mapped;
  return prefix >= 0 && prefix <= whole ? [`${canonical.toString()}/${prefix}`] : undefined;
}

/** Who mails are from. */
export interface Mailbox {
  /** May be empty. */
  readonly name: string;
  readonly address: string;
}

/** `user@example.com` or `Name <user@example.com>`. */
export const mailbox = form<Mailbox>('an address such as user@example.com or "Name <user@example.com>"', (text) => {
  const open = text.endsWith('>') ? text.lastIndexOf('<') : -1;
  const name = open < 0 ? '' : unquote(text.slice(0, open).trim());
  const parsed = parseAddress(open < 0 ? text : text.slice(open + 1, -1));
  return parsed.kind === 'address' && !/[\p{Cc}<>"]/u.test(name) ? { name, address: parsed.address } : undefined;
});

function unquote(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** The exact text of a token. */
export const tokenText = form(
  'the exact text of a token: 8 to 255 printable characters; one that begins with ws1_ must be copied whole',
  canonicalTokenText,
);

/** A secret that nobody has to remember. */
export const secretText = form('a random text of 32 to 1,024 characters', (text) =>
  text.length >= 32 && text.length <= 1_024 ? text : undefined,
);

/** Access rights of a file. */
export const accessMode = form('three octal digits such as 660', (text) =>
  /^0?[0-7]{3}$/.test(text) ? Number.parseInt(text, 8) : undefined,
);

/** One rate, or `null` for `off`. */
export const logCalls = form('off, or a rate such as 8000/30s (units s, min, h, day)', (text) => {
  const rates = parseRates(text);
  return rates === undefined || rates.length > 1 ? undefined : (rates[0] ?? null);
});

/** Budgets: rates that all hold at once. */
export const rates = form(
  'off, or one or more rates such as 600/min or 1/30s 5/10min (units s, min, h, day)',
  parseRates,
);

/** Times of the day, or a number of hours. */
export const schedule = form('times of the day such as 03:00 or 03:00,15:00, or 1h to 720h', parseSchedule);

/** Free room of a disk: a part of it, or bytes. */
export type Reserve = { readonly percent: number } | { readonly bytes: number };

/** `10%`, `500M` or `5G`. */
export const reserve = form<Reserve>('a part of the disk such as 10%, or a size such as 500M or 5G', (text) => {
  const [, percent, size, unit] = /^(?:(\d{1,2})%|(\d{1,9})([MG]))$/i.exec(text) ?? [];
  if (percent !== undefined) return { percent: Number(percent) };
  return size === undefined ? undefined : { bytes: Number(size) * 1024 ** (unit?.toUpperCase() === 'M' ? 2 : 3) };
});
