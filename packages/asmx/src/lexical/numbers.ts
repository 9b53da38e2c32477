import { excerpt, LexicalError } from './lexical-error.ts';

/** Longest accepted number, in UTF-16 code units. */
const MAX_LENGTH = 1_000;

const WHOLE = /^[+-]?[0-9]+$/;
const DECIMAL = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)$/;
/**
 * As .NET reads numbers, a superset of those of JSON (RFC 8259 6); no part can match in two ways,
 * so its time is linear.
 */
export const FLOAT = /^[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;

/** The bounds of the integer types of XML Schema and .NET; `undefined` for no bound. */
export interface IntegerRange {
  readonly least: bigint | undefined;
  readonly most: bigint | undefined;
}

/**
 * Reads a whole number of any size: an optional sign, decimal digits, leading zeros and blanks
 * around allowed.
 * @throws {LexicalError}
 */
export function parseInteger(text: string, range: IntegerRange): bigint {
  const plain = plainInteger(text);
  if (plain !== undefined) {
    const value = BigInt(plain);
    if (isInRange(value, range)) return value;
  }
  const trimmed = bounded(text);
  if (!WHOLE.test(trimmed)) {
    throw new LexicalError(
      `"${excerpt(trimmed)}" is not a whole number; write decimal digits with an optional sign, like 20.`,
      'Input string was not in a correct format.',
    );
  }
  const value = BigInt(trimmed.startsWith('+') ? trimmed.slice(1) : trimmed);
  if (!isInRange(value, range)) throw outOfRange(trimmed, range);
  return value;
}

/** As many digits a number holds exactly. */
const EXACT_DIGITS = 15;

/**
 * The number that up to 15 digits and nothing else stand for, as nearly all whole numbers are
 * written; `undefined` for other texts.
 */
export function plainInteger(text: string): number | undefined {
  const { length } = text;
  if (length === 0 || length > EXACT_DIGITS) return undefined;
  let value = 0;
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

const ZERO = 0x30;
const POINT = 0x2e;

/**
 * Whether a text is a decimal and its own value: digits, with one point between them at most, and
 * no zero that says nothing.
 */
function isPlainDecimal(text: string): boolean {
  const { length } = text;
  let point = length;
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit >= 0 && digit <= 9) continue;
    if (point < length || text.charCodeAt(at) !== POINT) return false;
    point = at;
  }
  return point > 0 && point !== length - 1 && (point === 1 || text.charCodeAt(0) !== ZERO);
}

/** Writes a whole number. @throws {LexicalError} for another value, or one out of range. */
export function formatInteger(value: unknown, range: IntegerRange): string {
  if (typeof value === 'number' ? !Number.isSafeInteger(value) : typeof value !== 'bigint') {
    throw new LexicalError(`${shown(value)} is not a whole number.`);
  }
  if (!isInRange(BigInt(value as number | bigint), range)) throw outOfRange(String(value), range);
  return String(value as number | bigint);
}

/**
 * Parses a decimal without loss. The value is a text without a plus and leading zeros, but with a
 * digit before the point. Trailing zeros are kept: they are the scale of .NET's decimal.
 * @throws {LexicalError}
 */
export function parseDecimal(text: string): string {
  if (text.length <= MAX_LENGTH && isPlainDecimal(text)) return text;
  const trimmed = bounded(text);
  if (!DECIMAL.test(trimmed)) {
    throw new LexicalError(
      `"${excerpt(trimmed)}" is not a decimal; write digits with an optional sign and point, like 12.50.`,
      'Input string was not in a correct format.',
    );
  }
  const [whole = '', fraction = ''] = trimmed.replace(/^[+-]/, '').split('.');
  const digits = whole.replace(/^0+(?=.)/, '') || '0';
  const value = fraction === '' ? digits : `${digits}.${fraction}`;
  return trimmed.startsWith('-') && /[1-9]/.test(value) ? `-${value}` : value;
}

/** Writes a decimal, whose value is a text. @throws {LexicalError} for another value. */
export function formatDecimal(value: unknown): string {
  if (typeof value !== 'string')
    throw new LexicalError(`${shown(value)} is not a decimal; it must be a text, like "12.50".`);
  return parseDecimal(value);
}

/** The precision of a floating-point number. */
export type Precision = 'float' | 'double';

/** Reads a floating-point number, `INF`, `-INF` or `NaN`. @throws {LexicalError} */
export function parseFloating(text: string, precision: Precision): number {
  const trimmed = bounded(text);
  if (trimmed === 'INF') return Number.POSITIVE_INFINITY;
  if (trimmed === '-INF') return Number.NEGATIVE_INFINITY;
  if (trimmed === 'NaN') return Number.NaN;
  if (!isPlainDecimal(trimmed) && !FLOAT.test(trimmed)) {
    throw new LexicalError(
      `"${excerpt(trimmed)}" is not a number; write one like 12.5 or 1.5E3, INF, -INF or NaN.`,
      'Input string was not in a correct format.',
    );
  }
  const value = precision === 'float' ? Math.fround(Number(trimmed)) : Number(trimmed);
  if (Number.isFinite(value)) return value;
  const type = precision === 'float' ? 'Single' : 'Double';
  throw new LexicalError(
    `"${excerpt(trimmed)}" is out of range; write a smaller number, or INF.`,
    `Value was either too large or too small for a ${type}.`,
  );
}

/** The digits that .NET's format "R" tries first, and those that distinguish all numbers. */
const DIGITS = { float: [7, 9], double: [15, 17] } as const;

/**
 * Writes a floating-point number as .NET Framework's XmlConvert does: in format "R".
 * @throws {LexicalError} for another value.
 */
export function formatFloating(value: unknown, precision: Precision): string {
  if (typeof value !== 'number') throw new LexicalError(`${shown(value)} is not a number.`);
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'INF' : '-INF';
  if (Object.is(value, -0)) return '-0';
  const isFloat = precision === 'float';
  const number = isFloat ? Math.fround(value) : value;
  if (!Number.isFinite(number)) throw new LexicalError(`${value} is out of the range of a float.`);
  const [few, all] = DIGITS[precision];
  if (Number.isInteger(number) && Math.abs(number) < 10 ** few) return String(number);
  const shortest = String(number);
  const size = Math.abs(number);
  // So few digits are all that the format has, and it writes them as JavaScript does.
  if (shortest.length <= few && size >= LEAST_WITHOUT_EXPONENT && size < 10 ** few) return shortest;
  const short = number.toExponential(few - 1);
  const read = isFloat ? Math.fround(Number(short)) : Number(short);
  return read === number ? general(short, few) : general(number.toExponential(all - 1), all);
}

const LEAST_WITHOUT_EXPONENT = 1e-4;

/**
 * .NET's format "G": with an exponent of at least two digits if the number is small or has more
 * than the given digits.
 */
function general(exponential: string, digits: number): string {
  const [mantissa = '', after = ''] = exponential.split('e');
  const exponent = Number(after);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const all = mantissa.replace(/[-.]/g, '').replace(/0+$/, '');
  if (exponent >= digits || exponent < -4) {
    const fraction = all.length > 1 ? `.${all.slice(1)}` : '';
    const power = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${all[0]}${fraction}E${exponent < 0 ? '-' : '+'}${power}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${all}`;
  const whole = all.padEnd(exponent + 1, '0');
  const fraction = whole.slice(exponent + 1);
  return `${sign}${whole.slice(0, exponent + 1)}${fraction === '' ? '' : `.${fraction}`}`;
}

function bounded(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MAX_LENGTH) return trimmed;
  throw new LexicalError(`The number is longer than ${MAX_LENGTH} characters; shorten it.`);
}

function isInRange(value: bigint, { least, most }: IntegerRange): boolean {
  return (least === undefined || value >= least) && (most === undefined || value <= most);
}

function outOfRange(text: string, { least, most }: IntegerRange): LexicalError {
  const both = least === undefined ? `of at most ${most}` : `from ${least} to ${most}`;
  const bounds = most === undefined ? `of at least ${least}` : both;
  const type = DOTNET_NAMES.get(`${least} ${most}`);
  return new LexicalError(
    `"${excerpt(text)}" is out of range; write a whole number ${bounds}.`,
    type && `Value was either too large or too small for ${type}.`,
  );
}

/** The names of types in .NET's messages, by their bounds. */
const DOTNET_NAMES: ReadonlyMap<string, string> = new Map([
  ['-128 127', 'a signed byte'],
  ['0 255', 'an unsigned byte'],
  ['-32768 32767', 'an Int16'],
  ['0 65535', 'a UInt16'],
  ['-2147483648 2147483647', 'an Int32'],
  ['0 4294967295', 'a UInt32'],
  ['-9223372036854775808 9223372036854775807', 'an Int64'],
  ['0 18446744073709551615', 'a UInt64'],
]);

/** The kind of a value, for messages in the log, which must not show the value. */
export function shown(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  if (Array.isArray(value)) return 'a list';
  return value === undefined ? 'undefined' : `a value of the type ${typeof value}`;
}

const MAX = 2_147_483_647;
const MIN = -2_147_483_648;

/**
 * Parses an int: an optional sign and decimal digits, with leading zeros and surrounding blanks;
 * empty is `0` (semantics 2). The grammar is the same in every binding, as in ASP.NET.
 *
 * @returns an integer within Int32, never `-0`.
 * @throws {LexicalError}
 */
export function parseInt32(text: string): number {
  const plain = plainInteger(text);
  if (plain !== undefined && plain <= MAX) return plain;
  const trimmed = text.trim();
  if (trimmed === '') return 0;
  const sign = trimmed.charCodeAt(0);
  const signed = sign === 0x2b || sign === 0x2d;
  let value = 0;
  for (let at = signed ? 1 : 0; at < trimmed.length; at++) {
    const digit = trimmed.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) throw notANumber(trimmed);
    // Beyond the range the exact value no longer matters, and must not grow past what a double
    // counts exactly.
    if (value <= MAX) value = value * 10 + digit;
  }
  if (signed && trimmed.length === 1) throw notANumber(trimmed);
  if (sign === 0x2d) value = 0 - value;
  if (value > MAX || value < MIN) throw outOfInt32(trimmed);
  return value;
}

function notANumber(text: string): LexicalError {
  return new LexicalError(
    `"${excerpt(text)}" is not a whole number; write decimal digits with an optional sign, like 20.`,
    'Input string was not in a correct format.',
  );
}

function outOfInt32(text: string): LexicalError {
  return new LexicalError(
    `"${excerpt(text)}" is out of range; write a whole number from ${MIN} to ${MAX}.`,
    'Value was either too large or too small for an Int32.',
  );
}
