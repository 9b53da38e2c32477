import type { Facets } from '../contract/types.ts';
import { excerpt, LexicalError } from '../lexical/lexical-error.ts';
import { Pattern } from '../lexical/pattern/pattern.ts';

/** What a facet refuses: the end of a sentence that begins with the text; `undefined` when it allows it. */
type Refusal = (text: string, value: unknown) => string | undefined;

/** How each facet is checked, in this order. Each takes time in proportion to the text. `whiteSpace` checks nothing. */
export const FACET_CHECKS: {
  readonly [Facet in Exclude<keyof Facets, 'whiteSpace'>]-?: (
    asked: NonNullable<Facets[Facet]>,
  ) => Refusal;
} = {
  length: (length) => (text, value) =>
    sizeOf(value, text) === length ? undefined : `must have the length ${length}`,
  minLength: (least) => (text, value) =>
    sizeOf(value, text) < least ? `is shorter than ${least}` : undefined,
  maxLength: (most) => (text, value) =>
    sizeOf(value, text) > most ? `is longer than ${most}` : undefined,
  patterns: (patterns) => {
    const forms = patterns.map((pattern) => new Pattern(pattern));
    // Of several patterns in one step, one must match (XML Schema part 2, 4.3.4.3).
    return (text) =>
      forms.length === 0 || forms.some((form) => form.matches(text))
        ? undefined
        : 'has not the form that its type asks for';
  },
  minInclusive: (limit) => bound('minInclusive', limit, (order) => order >= 0),
  maxInclusive: (limit) => bound('maxInclusive', limit, (order) => order <= 0),
  minExclusive: (limit) => bound('minExclusive', limit, (order) => order > 0),
  maxExclusive: (limit) => bound('maxExclusive', limit, (order) => order < 0),
  totalDigits: (most) => (text) => {
    const digits = digitsOf(text);
    return digits !== undefined && digits.whole.length + digits.fraction.length > most
      ? `has more than ${most} digits`
      : undefined;
  },
  fractionDigits: (most) => (text) =>
    (digitsOf(text)?.fraction.length ?? 0) > most
      ? `has more than ${most} digits behind the point`
      : undefined,
};

/** The check of one step of restrictions; it throws a {@link LexicalError}. @throws {PatternError} */
export function facetCheck(facets: Facets): (text: string, value: unknown) => void {
  const checks = Object.entries(FACET_CHECKS).flatMap(([name, check]) => {
    const asked = facets[name as keyof typeof FACET_CHECKS];
    return asked === undefined ? [] : [check(asked as never)];
  });
  return (text, value) => {
    for (const check of checks) {
      const refusal = check(text, value);
      if (refusal !== undefined) throw new LexicalError(`"${excerpt(text)}" ${refusal}.`);
    }
  };
}

function sizeOf(value: unknown, text: string): number {
  if (value instanceof Uint8Array || Array.isArray(value)) return value.length;
  let size = 0;
  for (const _ of text) size++;
  return size;
}

function bound(name: string, limit: string, isWithin: (order: number) => boolean): Refusal {
  return (text) => {
    const order = compare(text, limit);
    return Number.isNaN(order) || isWithin(order)
      ? undefined
      : `is out of range: ${name} is ${limit}`;
  };
}

/** Compares numbers and dates by their texts; NaN for what has no order here. */
function compare(text: string, limit: string): number {
  const [one, other] = [digitsOf(text), digitsOf(limit)];
  if (one !== undefined && other !== undefined) return compareDecimals(one, other);
  const [a, b] = [Number(text), Number(limit)];
  if (text !== '' && !Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  return Date.parse(text) - Date.parse(limit);
}

/** The digits of a decimal that say something. */
interface Digits {
  readonly isNegative: boolean;
  readonly whole: string;
  readonly fraction: string;
}

const [ZERO, NINE, POINT] = [0x30, 0x39, 0x2e];

/** Reads a decimal: a sign, digits, a point and digits; `undefined` for other texts. In one pass, whatever the text. */
function digitsOf(text: string): Digits | undefined {
  const isNegative = text.startsWith('-');
  const start = isNegative || text.startsWith('+') ? 1 : 0;
  let point = text.length;
  for (let at = start; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= ZERO && unit <= NINE) continue;
    if (unit !== POINT || point < text.length) return undefined;
    point = at;
  }
  if (text.length - start === (point < text.length ? 1 : 0)) return undefined;
  let from = start;
  while (from < point && text.charCodeAt(from) === ZERO) from++;
  let end = text.length;
  while (end > point && text.charCodeAt(end - 1) === ZERO) end--;
  return { isNegative, whole: text.slice(from, point), fraction: text.slice(point + 1, end) };
}

/** Exact, and in time with the length: a `BigInt` of many digits takes longer. */
function compareDecimals(one: Digits, other: Digits): number {
  const [a, b] = [signOf(one), signOf(other)];
  return a === b ? a * compareSizes(one, other) : a - b;
}

function signOf({ isNegative, whole, fraction }: Digits): number {
  if (whole === '' && fraction === '') return 0;
  return isNegative ? -1 : 1;
}

function compareSizes(one: Digits, other: Digits): number {
  if (one.whole.length !== other.whole.length) return one.whole.length - other.whole.length;
  const [a, b] = [`${one.whole}.${one.fraction}`, `${other.whole}.${other.fraction}`];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
