import { DateTime, dateOf } from '../contract/date-time.ts';
import type { CalendarTextType, DateTimeForm, ScalarType } from '../contract/types.ts';
import { Base64Decoder, Base64Error } from '../message/base64.ts';
import { DAY_MS } from '../time/units.ts';
import { parseBoolean } from './boolean.ts';
import { parseCalendarText } from './calendar-texts.ts';
import { dateTextOf, two } from './date/calendar.ts';
import { parseDateTime } from './date-time.ts';
import type { LexicalContext, WriteName } from './lexical-context.ts';
import { LexicalError } from './lexical-error.ts';
import {
  formatDecimal,
  formatFloating,
  formatInteger,
  type IntegerRange,
  parseDecimal,
  parseFloating,
  parseInt32,
  parseInteger,
  plainInteger,
  shown,
} from './numbers.ts';
import {
  checkName,
  formatQualifiedName,
  normaliseSpace,
  parseGuid,
  parseHex,
  parseQualifiedName,
  type WhiteSpace,
} from './texts.ts';

/** The lexical form of a scalar type, in every binding. */
export interface ScalarForm {
  /** Reads a value. @throws {LexicalError} */
  readonly parse: (text: string, context: LexicalContext) => unknown;
  /**
   * Writes a value. @param name how names with prefixes are written; in Clark's notation when
   * absent.
   * @throws {LexicalError} for one that the type forbids.
   */
  readonly format: (value: unknown, name?: WriteName) => string;
  /** The value for an absent text, or for an empty text that is not a value. */
  readonly absent: unknown;
  /** Whether an empty text is a value. */
  readonly emptyIsValue: boolean;
  /** Whether .NET's type is a reference type, which may be null. */
  readonly reference: boolean;
  /** The form in JSON; `number` means digits. */
  readonly json: 'string' | 'number' | 'boolean';
  /** The type's name in TypeScript. */
  readonly typescript: string;
  /** Whether white space of a text is normalized before parsing. */
  readonly whiteSpace: WhiteSpace;
}

const TEXT = {
  absent: undefined,
  emptyIsValue: true,
  reference: true,
  json: 'string',
  typescript: 'string',
} as const;

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new LexicalError(`${shown(value)} is not a text.`);
}

/** A text that is checked when read and written. */
function text(
  whiteSpace: WhiteSpace,
  check: (text: string) => string = (given) => given,
): ScalarForm {
  return {
    ...TEXT,
    whiteSpace,
    emptyIsValue: check('') === '',
    parse: (given) => check(normaliseSpace(given, whiteSpace)),
    format: (value) => check(asText(value)),
  };
}

/** A text; an empty one is not a value. */
function checkedText(check: (text: string) => string, reference = true): ScalarForm {
  const checkedIfAny = (given: string) => (reference && given === '' ? '' : check(given));
  return {
    ...TEXT,
    reference,
    // .NET has a string for each type that may be null: an empty one is written and read.
    emptyIsValue: reference,
    whiteSpace: 'collapse',
    parse: (given) => checkedIfAny(given.trim()),
    format: (value) => checkedIfAny(asText(value)),
  };
}

const name = (type: string): ScalarForm => checkedText((given) => checkName(given, type));
const names = (type: string): ScalarForm =>
  checkedText((given) =>
    normaliseSpace(given, 'collapse')
      .split(' ')
      .map((each) => checkName(each, type))
      .join(' '),
  );
const calendar = (type: CalendarTextType, reference: boolean): ScalarForm =>
  checkedText((given) => parseCalendarText(given, type), reference);

const NUMBER = {
  emptyIsValue: false,
  reference: false,
  json: 'number',
  whiteSpace: 'collapse',
} as const;

/** Whole numbers that a JavaScript number represents exactly. */
function smallInteger(least: number, most: number): ScalarForm {
  const range: IntegerRange = { least: BigInt(least), most: BigInt(most) };
  return {
    ...NUMBER,
    absent: 0,
    typescript: 'number',
    parse: (given) => {
      const plain = plainInteger(given);
      return plain !== undefined && plain >= least && plain <= most
        ? plain
        : Number(parseInteger(given, range));
    },
    format: (value) => {
      if (typeof value !== 'number')
        throw new LexicalError(`${shown(value)} is not a whole number.`);
      return Number.isSafeInteger(value) && value >= least && value <= most
        ? String(value)
        : formatInteger(value, range);
    },
  };
}

function largeInteger(
  least: bigint | undefined,
  most: bigint | undefined,
  reference: boolean,
): ScalarForm {
  const range = { least, most };
  return {
    ...NUMBER,
    reference,
    absent: reference ? undefined : 0n,
    // .NET has a string for an integer without bounds: it may be empty.
    emptyIsValue: reference,
    typescript: reference ? "bigint | ''" : 'bigint',
    parse: (given) => (reference && given.trim() === '' ? '' : parseInteger(given, range)),
    format: (value) => (reference && value === '' ? '' : formatInteger(value, range)),
  };
}

const BINARY = { ...TEXT, typescript: 'Uint8Array', whiteSpace: 'collapse' } as const;

function asBytes(value: unknown): Buffer {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  throw new LexicalError(`${shown(value)} is not a Uint8Array.`);
}

function parseBase64(text: string): Uint8Array {
  const decoder = new Base64Decoder();
  try {
    const bytes = decoder.push(text);
    const rest = decoder.end();
    return new Uint8Array(rest.length === 0 ? bytes : Buffer.concat([bytes, rest]));
  } catch (error) {
    if (error instanceof Base64Error) throw new LexicalError(`it is not base64. ${error.message}`);
    throw error;
  }
}

/** .NET writes a char as the number of its code unit. */
const CHAR: ScalarForm = {
  ...TEXT,
  reference: false,
  emptyIsValue: false,
  json: 'string',
  whiteSpace: 'collapse',
  parse: (given) => String.fromCharCode(Number(parseInteger(given, { least: 0n, most: 65_535n }))),
  format: (value) => {
    const given = asText(value);
    if (given.length !== 1) throw new LexicalError('A char is one UTF-16 code unit.');
    return String(given.charCodeAt(0));
  },
};

/** .NET's XmlQualifiedName: in XML with a prefix, as a value `{namespace}name`. */
const QUALIFIED_NAME: ScalarForm = {
  ...TEXT,
  emptyIsValue: false,
  whiteSpace: 'collapse',
  parse: (given, { namespaceOf }) => parseQualifiedName(given.trim(), namespaceOf),
  format: (value, name) => formatQualifiedName(asText(value), name),
};

/** A type with its own reader and writer; here its XML text. */
const XML: ScalarForm = text('preserve');

const DATE_TIME_ABSENT = {
  ...TEXT,
  reference: false,
  emptyIsValue: false,
  whiteSpace: 'collapse',
} as const;

/** The forms of a dateTime, by the representation for handlers. */
export const DATE_TIMES: Readonly<Record<DateTimeForm, ScalarForm>> = {
  instant: {
    ...DATE_TIME_ABSENT,
    typescript: 'number',
    parse: parseDateTime,
    format: (value) => {
      if (typeof value !== 'number')
        throw new LexicalError(`${shown(value)} is not an instant, in ms since 1970.`);
      return formatDate(new Date(value));
    },
  },
  date: {
    ...DATE_TIME_ABSENT,
    typescript: 'Date',
    parse: (given, context) => {
      const instant = parseDateTime(given, context);
      return instant === undefined ? undefined : dateOf(given.trim(), instant);
    },
    format: (value) => {
      if (!(value instanceof Date)) throw new LexicalError(`${shown(value)} is not a Date.`);
      return (value instanceof DateTime ? value.exact : undefined) ?? formatDate(value);
    },
  },
  text: {
    ...DATE_TIME_ABSENT,
    typescript: 'string',
    parse: (given, context) =>
      parseDateTime(given, context) === undefined ? undefined : given.trim(),
    format: (value) => {
      const given = asText(value);
      parseDateTime(given, { form: 'element', timeZone: 'UTC', now: Date.now });
      return given;
    },
  },
};

const YEAR_1_MS = Date.parse('0001-01-01T00:00:00Z');
const YEAR_10000_MS = Date.parse('9999-12-31T23:59:59.999Z') + 1;

/** Like XmlConvert: no fraction if it is zero. */
function formatDate(date: Date): string {
  const ms = date.getTime();
  if (Number.isNaN(ms)) throw new LexicalError('The date is none: its time is NaN.');
  if (ms < YEAR_1_MS || ms >= YEAR_10000_MS)
    throw new LexicalError('The date is outside the years 1 to 9999.');
  const day = Math.floor(ms / DAY_MS);
  const inDay = ms - day * DAY_MS;
  const seconds = Math.floor(inDay / 1000);
  const rest = inDay - seconds * 1000;
  const hours = Math.floor(seconds / 3600);
  const time = `T${two(hours)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`;
  return `${dateTextOf(day)}${time}${fraction}Z`;
}

const BASE64: ScalarForm = {
  ...BINARY,
  parse: parseBase64,
  format: (value) => asBytes(value).toString('base64'),
};

/** The lexical forms of all scalar types. */
export const SCALARS: Readonly<Record<ScalarType, ScalarForm>> = {
  string: text('preserve'),
  normalizedString: text('replace'),
  token: text('collapse'),
  anyURI: text('collapse'),
  anySimpleType: text('preserve'),
  language: name('language'),
  Name: name('Name'),
  NCName: name('NCName'),
  NMTOKEN: name('NMTOKEN'),
  NMTOKENS: names('NMTOKEN'),
  ID: name('ID'),
  IDREF: name('IDREF'),
  IDREFS: names('IDREF'),
  ENTITY: name('ENTITY'),
  ENTITIES: names('ENTITY'),
  QName: QUALIFIED_NAME,
  NOTATION: QUALIFIED_NAME,
  boolean: {
    emptyIsValue: false,
    reference: false,
    absent: false,
    json: 'boolean',
    typescript: 'boolean',
    whiteSpace: 'collapse',
    parse: (given, { form }) => parseBoolean(given, form),
    format: (value) => {
      if (typeof value !== 'boolean') throw new LexicalError(`${shown(value)} is not a boolean.`);
      return String(value);
    },
  },
  decimal: {
    ...NUMBER,
    absent: '0',
    typescript: 'string',
    parse: parseDecimal,
    format: formatDecimal,
  },
  int: { ...smallInteger(-2_147_483_648, 2_147_483_647), parse: parseInt32 },
  short: smallInteger(-32_768, 32_767),
  byte: smallInteger(-128, 127),
  unsignedInt: smallInteger(0, 4_294_967_295),
  unsignedShort: smallInteger(0, 65_535),
  unsignedByte: smallInteger(0, 255),
  long: largeInteger(-(2n ** 63n), 2n ** 63n - 1n, false),
  unsignedLong: largeInteger(0n, 2n ** 64n - 1n, false),
  integer: largeInteger(undefined, undefined, true),
  nonNegativeInteger: largeInteger(0n, undefined, true),
  positiveInteger: largeInteger(1n, undefined, true),
  nonPositiveInteger: largeInteger(undefined, 0n, true),
  negativeInteger: largeInteger(undefined, -1n, true),
  float: {
    ...NUMBER,
    absent: 0,
    typescript: 'number',
    parse: (given) => parseFloating(given, 'float'),
    format: (value) => formatFloating(value, 'float'),
  },
  double: {
    ...NUMBER,
    absent: 0,
    typescript: 'number',
    parse: (given) => parseFloating(given, 'double'),
    format: (value) => formatFloating(value, 'double'),
  },
  dateTime: DATE_TIMES.instant,
  date: calendar('date', false),
  time: calendar('time', false),
  duration: calendar('duration', true),
  gYear: calendar('gYear', true),
  gYearMonth: calendar('gYearMonth', true),
  gMonth: calendar('gMonth', true),
  gMonthDay: calendar('gMonthDay', true),
  gDay: calendar('gDay', true),
  base64Binary: BASE64,
  hexBinary: {
    ...BINARY,
    parse: parseHex,
    format: (value) => asBytes(value).toString('hex').toUpperCase(),
  },
  swaRef: BASE64,
  char: CHAR,
  guid: checkedText(parseGuid, false),
  xml: XML,
  anyType: XML,
  DataSet: XML,
  DataTable: XML,
};
