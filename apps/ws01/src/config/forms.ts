import { canonicalTokenText } from '../domain/credentials/token-text.ts';
import { parseAddress } from '../domain/values/email-address.ts';
import { parseRates } from '../domain/values/rate.ts';
import { parseSchedule } from '../domain/values/schedule.ts';
import { zoneOfWindows } from './windows-zones.ts';

/** The form of a setting: a parser, and a short description of valid values for the error. */
export interface Form<Value> {
  /** Ends the sentence "NAME must be …". */
  readonly expects: string;
  /** Parses a text; returns `undefined` for an invalid one. Never throws. */
  readonly read: (text: string) => Value | undefined;
}

/** Creates a form from a parser that returns `undefined`, or throws, for an invalid text. */
export function form<Value>(
  expects: string,
  read: (text: string) => Value | undefined,
): Form<Value> {
  return { expects, read: (text) => attempt(() => read(text)) };
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Parts of a text, separated by commas; `undefined` if one of them is wrong. */
export function partsOf<Part>(
  text: string,
  read: (part: string) => Part | undefined,
): readonly Part[] | undefined {
  const parts = text.split(',').map((part) => read(part.trim()));
  return parts.every((part) => part !== undefined) ? Object.freeze(parts) : undefined;
}

/** A plain decimal integer within bounds, both inclusive. */
export function integer(minimum: number, maximum: number): Form<number> {
  return form(`an integer from ${minimum} to ${maximum}, in plain digits`, (text) => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  });
}

/** The largest number of processes that serve. */
export const MOST_WORKERS = 256;

const countOfWorkers = integer(1, MOST_WORKERS);

/** A number of processes, or `auto` for the cores of the machine. */
export const workers = form<number | 'auto'>(`${countOfWorkers.expects}, or auto`, (text) =>
  text.toLowerCase() === 'auto' ? 'auto' : countOfWorkers.read(text),
);

/** One of the given words, in upper or lower case. */
export function word<const Word extends string>(...words: readonly Word[]): Form<Word> {
  return form(`one of ${words.join(', ')}`, (text) =>
    words.find((known) => known === text.toLowerCase()),
  );
}

/** A charset that contains ASCII and is not a UTF. */
export const legacyCharset = form('a charset such as gb18030, windows-1252 or shift_jis', (text) =>
  /^(?:utf-|iso-2022)/.test(new TextDecoder(text).encoding) ? undefined : text,
);

/** `on` or `off`, as a boolean. */
export const toggle: Form<boolean> = form('on or off', (text) => TOGGLE.get(text.toLowerCase()));

const TOGGLE = new Map([
  ['on', true],
  ['off', false],
]);

/** An XML namespace name that is also valid in a quoted SOAPAction header. */
export const namespace = form(
  'a URI in printable ASCII without blanks, quotes and angle brackets, such as http://example.com/',
  (text) => (/^[!#-;=?-~]{1,1024}$/.test(text) ? text : undefined),
);

/** Names of three letters that mean one zone: countries, and zones with their own summer time. */
const SHORT_ZONES = /^(?:UTC|UCT|GMT|CET|EET|MET|WET|PRC|ROC|ROK)$/i;

/**
 * An IANA time zone name, in its usual capitals, or the name of a zone of Windows, which .NET has.
 * Offsets are refused: databases read their sign in two ways. So are abbreviations: they mean
 * several zones (CST is Chicago's and China's), or one without its summer time (EST).
 */
export const timeZone = form(
  'an IANA time zone name, such as UTC, Asia/Shanghai (for CST of China), America/Chicago (for that of the USA), ' +
    'America/New_York (for EST) or Europe/London (for BST)',
  (text) => {
    // The default is not looked up, because loading the tables of all zones takes 10 ms.
    if (text === 'UTC') return text;
    const name = zoneOfWindows(text) ?? text;
    const isAbbreviation = /^[A-Za-z]{3}$/.test(name) && !SHORT_ZONES.test(name);
    return /^[A-Za-z]/.test(name) && !isAbbreviation
      ? new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
      : undefined;
  },
);

/** An ISO 3166 country that has phone numbers, in capitals. */
export const country = form('a two-letter ISO 3166 country code, such as US or CN', (text) => {
  const code = text.toUpperCase();
  return COUNTRIES.has(code) ? code : undefined;
});

/** Countries, separated by commas. */
export const countries = form(
  'two-letter ISO 3166 country codes separated by commas, such as US,CN',
  (text) => {
    const codes = partsOf(text, country.read);
    return codes && new Set(codes);
  },
);

/** A header name (RFC 9110 field name), in lower case. */
export const headerName = form('the name of a header, such as CF-IPCountry', (text) =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/.test(text) ? text.toLowerCase() : undefined,
);

/** A name in XML without a colon, in ASCII. */
export const xmlName = form(
  'a name such as WS01: letters, digits, _, - and ., not a digit first',
  (text) => (/^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/.test(text) ? text : undefined),
);

/** Names of operations, separated by commas. */
export const operationNames = form(
  'names of operations separated by commas, such as QueryAdvert,SendEmail',
  (text) => {
    const names = partsOf(text, (name) => (/^[A-Za-z_][\w.-]*$/.test(name) ? name : undefined));
    return names && new Set(names);
  },
);

/** The sender of mails. */
export interface Mailbox {
  /** May be empty. */
  readonly name: string;
  readonly address: string;
}

/** `user@example.com` or `Name <user@example.com>`. */
export const mailbox = form<Mailbox>(
  'an address such as user@example.com or "Name <user@example.com>"',
  (text) => {
    const open = text.endsWith('>') ? text.lastIndexOf('<') : -1;
    const name = open < 0 ? '' : unquote(text.slice(0, open).trim());
    const parsed = parseAddress(open < 0 ? text : text.slice(open + 1, -1));
    return parsed.kind === 'address' && !/[\p{Cc}<>"]/u.test(name)
      ? { name, address: parsed.address }
      : undefined;
  },
);

function unquote(text: string): string {
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** The text of a token. */
export const tokenText = form(
  'the exact text of a token: 8 to 255 printable characters; one that begins with ws1_ must be copied whole',
  canonicalTokenText,
);

/** A generated secret. */
export const secretText = form('a random text of 32 to 1,024 characters', (text) =>
  text.length >= 32 && text.length <= 1_024 ? text : undefined,
);

/** The rates of a budget; all apply at once. */
export const rates = form(
  'off, or one or more rates such as 600/min or 1/30s 5/10min (units s, min, h, day)',
  parseRates,
);

/** Times of the day, or an interval in hours. */
export const schedule = form(
  'times of the day such as 03:00 or 03:00,15:00, or 1h to 720h',
  parseSchedule,
);

/**
 * The countries with phone numbers, as ISO 3166 codes. A test compares the list with the phone
 * number library; the copy saves loading that library at the start.
 */
const COUNTRIES: ReadonlySet<string> = new Set(
  (
    'AC AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW BY BZ ' +
    'CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM ' +
    'FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE ' +
    'JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN ' +
    'MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PR PS PT ' +
    'PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TA TC TD TG TH TJ TK ' +
    'TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW'
  ).split(' '),
);
