import { beginningOf, dateOf, formatInstant } from '../contract/lexical.ts';
import { LENGTHS } from '../contract/parameters.ts';
import { parseAddressLiteral } from '../domain/values/internet-address.ts';
import { canonicalKey, optionalKey } from '../domain/values/keys.ts';
import { parseHttpUrl } from '../domain/values/web-url.ts';

/** A value of a column. */
export type Stored = string | number | Uint8Array | null;

/** The settings for reading texts. */
export interface ReadContext {
  /** IANA time zone of dates without one. */
  readonly timeZone: string;
  readonly now: () => number;
  /**
   * Which comes first in dates such as 3/4/2015: the month, as in calls, by default; `asked`:
   * neither is assumed.
   */
  readonly dates?: 'mdy' | 'dmy' | 'asked';
}

/** A JSON Schema, as far as the format uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The JSON type of a value in answers. */
export interface JsonType {
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  readonly format?: 'date-time';
  readonly enum?: readonly string[];
  readonly items?: JsonType;
  /** For maps, the type of the values. */
  readonly additionalProperties?: JsonType | { readonly type: readonly ['string', 'null'] };
}

/** An invalid value. The message ends a sentence that begins with the field's name. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
}

/** The type of a member of records: its form in the database, in answers and in portable files. */
export interface MemberType {
  /**
   * Converts a value of the format to the database.
   * @param value a JSON value, or the text of a CSV cell; neither `null` nor an empty cell.
   * @throws {FieldError}
   * @throws {Ws01Error} `InvalidParameter`
   */
  readonly read: (value: unknown, context: ReadContext) => Stored;
  /** Converts a stored value to JSON; never called with `null`. */
  readonly write: (stored: NonNullable<Stored>) => unknown;
  /** What answers have. */
  readonly json: JsonType;
  /** What portable files may have. */
  readonly schema: JsonSchema;
  /** The stored form of a key, as callers write it in any form. */
  readonly canonical?: (text: string) => string;
  /** Whether an empty text is a value; otherwise it means absent. */
  readonly keepsEmpty?: true;
  /**
   * It is only evidence: an import takes a record without a value that cannot be read, and tells.
   */
  readonly dispensable?: true;
  /** A description for people. */
  readonly means: string;
}

/** Maximum length of a field without its own limit, in code points. */
const LONG_TEXT = LENGTHS.content;

/**
 * Characters that XML 1.0 does not allow, and so no answer: control characters except tab and line
 * breaks, and noncharacters.
 */
const UNSENDABLE = /[^\t\n\r -\ufffd\u{10000}-\u{10ffff}]/gu;
const BREAKS = /[\t\n\r]/;

/** A text without the characters that no answer can have. */
export const sendable = (text: string): string => text.replace(UNSENDABLE, '');

const STRING: JsonType = { type: 'string' };
const INSTANT_TEXT: JsonType = { type: 'string', format: 'date-time' };

const same = (stored: NonNullable<Stored>): unknown => stored;

/** A text of limited length, in code points; blanks are kept. */
export function text(
  most: number = LONG_TEXT,
  { oneLine = false }: { readonly oneLine?: boolean } = {},
): MemberType {
  return {
    means: `text, at most ${most} characters${oneLine ? ', one line' : ''}`,
    json: STRING,
    schema: { ...STRING, maxLength: most },
    keepsEmpty: true,
    write: same,
    read: (value) => {
      const given = textOf(value);
      if (given.length > most && (given.length > 2 * most || [...given].length > most)) {
        throw new FieldError(`is longer than ${most} characters; shorten it`);
      }
      if (given.search(UNSENDABLE) >= 0)
        throw new FieldError('has a control character that XML cannot carry; remove it');
      if (oneLine && BREAKS.test(given))
        throw new FieldError('has a line break or tab; write it as one line');
      if (!given.isWellFormed())
        throw new FieldError('has half a surrogate pair; write whole characters');
      return given;
    },
  };
}

export const line = (most: number): MemberType => text(most, { oneLine: true });

/** The key of a record; GUIDs in any of .NET's forms become lower case with hyphens. */
export const key: MemberType = {
  means: `key, 1 to ${LENGTHS.key} characters`,
  json: STRING,
  schema: { ...STRING, minLength: 1, maxLength: LENGTHS.key },
  canonical: canonicalKey,
  write: same,
  read: (value) => optionalKey(textOf(value), 'It') ?? null,
};

/** A text with its own pattern. */
export function pattern(source: string, means: string): MemberType {
  const form = new RegExp(`^(?:${source})$`, 'u');
  return {
    means,
    json: STRING,
    schema: { ...STRING, pattern: `^(?:${source})$` },
    write: same,
    read: (value) => {
      const given = textOf(value).trim();
      if (!form.test(given)) throw new FieldError(`is not ${means}`);
      return given;
    },
  };
}

/** One of several words. */
export function word(...words: readonly string[]): MemberType {
  const json: JsonType = { ...STRING, enum: words };
  return {
    means: `one of \`${words.join('`, `')}\``,
    json,
    schema: { ...json },
    write: same,
    read: (value) => {
      const given = textOf(value).trim().toLowerCase();
      if (!words.includes(given)) throw new FieldError(`is not one of ${words.join(', ')}`);
      return given;
    },
  };
}

/** Words that are numbers in the database. */
export function coded(codes: Readonly<Record<string, number>>): MemberType {
  const words = new Map(Object.entries(codes).map(([name, code]) => [code, name]));
  const form = word(...Object.keys(codes));
  return {
    ...form,
    write: (stored) => words.get(stored as number),
    read: (value, context) => codes[form.read(value, context) as string]!,
  };
}

/** An instant on a day that every month has; other instants need a calendar check. */
const INSTANT = /^\d{4}-\d\d-(?:[01]\d|2[0-8])T(?:[01]\d|2[0-3]):\d\d:\d\d\.\d{3}Z$/;
const FIRST_PLAIN = '1970';

function instantForm(dateAlone: 'begins' | 'ends'): MemberType {
  const read = (value: unknown, context: ReadContext) => {
    const given = textOf(value);
    // The form of exports and of most other programs, which is read fastest.
    if (given >= FIRST_PLAIN && INSTANT.test(given)) {
      const instant = Date.parse(given);
      if (!Number.isNaN(instant)) return instant;
    }
    const readDate = dateAlone === 'begins' ? beginningOf : dateOf;
    return readDate(withMonthFirst(given, context), 'It', context) ?? null;
  };
  return {
    means: 'instant',
    json: INSTANT_TEXT,
    schema: { ...STRING },
    write: (stored) => formatInstant(stored as number),
    read,
  };
}

/** Two numbers of at most two digits, and a year. */
const DAY_AND_MONTH = /^\s*(\d{1,2})([-/.])(\d{1,2})\2(?=\d\d(?:\d\d)?(?!\d))/;

/** @throws {FieldError} where nobody said whether the day or the month comes first. */
function withMonthFirst(text: string, { dates = 'mdy' }: ReadContext): string {
  const found = dates === 'mdy' ? null : DAY_AND_MONTH.exec(text);
  if (found === null) return text;
  const [whole, first, separator, second] = found;
  if (dates === 'dmy')
    return `${second}${separator}${first}${separator}${text.slice(whole.length)}`;
  if (Number(first) === Number(second)) return text;
  throw new FieldError(
    `"${text.slice(0, 40)}" begins with the day or with the month; say --dates dmy or --dates mdy`,
  );
}

/** An instant; a date without a time is its midnight. */
export const instant = instantForm('begins');

/** The end of a period; a date without a time is the end of that day. */
export const endOf = instantForm('ends');

/** A calendar day. */
export const day = pattern('\\d{4}-\\d{2}-\\d{2}', 'a day as yyyy-MM-dd');

export function integer(least: number, most: number): MemberType {
  return {
    means: `whole number, ${least} to ${most}`,
    json: { type: 'integer' },
    schema: { type: 'integer', minimum: least, maximum: most },
    write: same,
    read: (value) => {
      const number =
        typeof value === 'string' && /^\s*-?\d{1,16}\s*$/.test(value) ? Number(value) : value;
      if (
        typeof number !== 'number' ||
        !Number.isInteger(number) ||
        number < least ||
        number > most
      ) {
        throw new FieldError(`is not a whole number from ${least} to ${most}`);
      }
      return number;
    },
  };
}

export const int32 = integer(-(2 ** 31), 2 ** 31 - 1);
export const count = integer(0, 2 ** 31 - 1);
export const bytesCount = integer(0, Number.MAX_SAFE_INTEGER);

/** A number that the database stores in hundredths. */
export const hundredths: MemberType = {
  means: 'number with at most two decimals',
  json: { type: 'number' },
  schema: { type: 'number' },
  write: (stored) => (stored as number) / 100,
  read: (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number) || Math.abs(number) > 10_000) {
      throw new FieldError('is not a number');
    }
    const rounded = Math.round(number * 100);
    if (Math.abs(rounded - number * 100) > 1e-6) throw new FieldError('has more than two decimals');
    return rounded;
  },
};

const TRUTHS = new Map<unknown, 0 | 1>([
  [true, 1],
  [false, 0],
  [1, 1],
  [0, 0],
  ['true', 1],
  ['false', 0],
  ['1', 1],
  ['0', 0],
]);

export const flag: MemberType = {
  means: 'true or false',
  json: { type: 'boolean' },
  schema: { type: 'boolean' },
  write: (stored) => stored === 1,
  read: (value) => {
    const truth = TRUTHS.get(typeof value === 'string' ? value.trim().toLowerCase() : value);
    if (truth === undefined) throw new FieldError('is neither true nor false');
    return truth;
  },
};

/** Bytes as lower-case hexadecimal digits. @param lengths those that are allowed; bytes. */
export function hex(...lengths: readonly number[]): MemberType {
  const digits = lengths.map((bytes) => 2 * bytes);
  return {
    means: `${oneOf(lengths)} bytes, ${oneOf(digits)} hexadecimal digits`,
    json: STRING,
    schema: { ...STRING, pattern: patternOf(digits) },
    write: (stored) => Buffer.from(stored as Uint8Array).toString('hex'),
    read: (value) => new Uint8Array(Buffer.from(hexText(value, ...lengths), 'hex')),
  };
}

function patternOf(digits: readonly number[]): string {
  const each = digits.map((count) => `[0-9a-f]{${count}}`).join('|');
  return digits.length === 1 ? `^${each}$` : `^(?:${each})$`;
}

const oneOf = (numbers: readonly number[]): string =>
  numbers.join(', ').replace(/, (?=\d+$)/, ' or ');

/** As {@link hex}, stored as text. */
export function hexDigits(bytes: number): MemberType {
  return { ...hex(bytes), write: same, read: (value) => hexText(value, bytes) };
}

function hexText(value: unknown, ...lengths: readonly number[]): string {
  const given = textOf(value).trim().toLowerCase();
  const digits = lengths.map((bytes) => 2 * bytes);
  if (!digits.includes(given.length) || !/^[0-9a-f]*$/.test(given)) {
    throw new FieldError(`is not ${oneOf(digits)} hexadecimal digits`);
  }
  return given;
}

/** An IP address. Old sites wrote the port of the client behind it, which is left out. */
export const address: MemberType = {
  means: 'IP address',
  json: STRING,
  schema: { ...STRING },
  dispensable: true,
  write: same,
  read: (value) => {
    const text = textOf(value);
    const given = parseAddressLiteral(text) ?? parseAddressLiteral(withoutPort(text));
    if (given === undefined) throw new FieldError('is not an IP address');
    return given;
  },
};

function withoutPort(text: string): string {
  const at = text.lastIndexOf(':');
  if (!/^[0-9]{1,5}$/.test(text.slice(at + 1).trim())) return text;
  const host = text.slice(0, at).trim();
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}

const ASCII_ADDRESS = pattern('https?://[!-~]{1,2040}', 'an http or https URL in ASCII');

/**
 * An http or https URL. ASP.NET stored letters beyond ASCII as they came; they are percent-encoded
 * here.
 */
export const webAddress: MemberType = {
  ...ASCII_ADDRESS,
  means: 'an http or https URL',
  schema: { ...STRING, pattern: '^https?://' },
  read: (value, context) => {
    const given = textOf(value).trim();
    if (!given.includes('://'))
      throw new FieldError('has no http:// or https:// before it; write the whole address');
    const isAscii = /^[!-~]*$/.test(given);
    return ASCII_ADDRESS.read(isAscii ? given : (parseHttpUrl(given)?.href ?? given), context);
  },
};

/** A JSON list of texts, stored as text; in answers only. */
export const list: MemberType = {
  ...text(),
  json: { type: 'array', items: STRING },
  write: (stored) => JSON.parse(stored as string),
};

/** A JSON object of plain values, stored as text. */
export const object: MemberType = {
  means: 'object',
  json: { type: 'object', additionalProperties: { type: ['string', 'null'] } },
  schema: { type: 'object' },
  write: (stored) => JSON.parse(stored as string),
  read: (value) => {
    const given = typeof value === 'string' ? parseObject(value) : value;
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      throw new FieldError('is not an object');
    return JSON.stringify(given);
  },
};

/** Likewise, of texts; in answers only. */
export const texts: MemberType = {
  ...object,
  json: { type: 'object', additionalProperties: STRING },
};

function parseObject(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    throw new FieldError('is not JSON');
  }
}

/** Several words: an array in JSON, separated by blanks in CSV and in the database. */
export function words(known: readonly string[]): MemberType {
  return {
    means: `any of \`${known.join('`, `')}\`; in CSV with a blank between`,
    json: { type: 'array', items: STRING },
    schema: { type: 'array', items: { type: 'string', enum: known } },
    write: (stored) => (stored === '' ? [] : (stored as string).split(' ')),
    read: (value) => {
      const given = Array.isArray(value) ? value : textOf(value).split(/[\s,]+/);
      const unknown = given.find((one) => !known.includes(one));
      if (unknown !== undefined)
        throw new FieldError(`has ${JSON.stringify(unknown)}; there are ${known.join(', ')}`);
      return given.join(' ');
    },
  };
}

/**
 * Returns a value as text. Numbers are accepted, because database exports write keys and zip codes
 * as numbers.
 */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  throw new FieldError('is not text');
}
