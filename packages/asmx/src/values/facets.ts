import { isNameType } from '../contract/scalar-facts.ts';
import type { Facets, ScalarType } from '../contract/types.ts';
import { excerpt, LexicalError } from '../lexical/lexical-error.ts';
import { digitsOf, orderOf } from '../lexical/order.ts';
import { Pattern } from '../lexical/pattern/pattern.ts';
import { normaliseSpace } from '../lexical/texts.ts';

/**
 * What a facet refuses: the end of a sentence that begins with the text; `undefined` when it allows
 * it.
 */
type Refusal = (text: string, value: unknown) => string | undefined;

/**
 * How each facet is checked, in this order, of what restricts a scalar; `undefined` for lists,
 * unions and enumerations. Each takes time in proportion to the text. `whiteSpace` checks nothing.
 */
export const FACET_CHECKS: {
  readonly [Facet in Exclude<keyof Facets, 'whiteSpace'>]-?: (
    asked: NonNullable<Facets[Facet]>,
    type: ScalarType | undefined,
  ) => Refusal;
} = {
  length: (length, type) =>
    sized(type, (size) => (size === length ? undefined : `must have the length ${length}`)),
  minLength: (least, type) =>
    sized(type, (size) => (size < least ? `is shorter than ${least}` : undefined)),
  maxLength: (most, type) =>
    sized(type, (size) => (size > most ? `is longer than ${most}` : undefined)),
  patterns: (patterns, type) => {
    if (isNameType(type)) return () => undefined;
    const forms = patterns.map((pattern) => new Pattern(pattern));
    // Of several patterns in one step, one must match (XML Schema part 2, 4.3.4.3).
    return (text) =>
      forms.length === 0 || forms.some((form) => form.matches(text))
        ? undefined
        : 'has not the form that its type asks for';
  },
  enumeration: (texts) => {
    const known = new Set(texts.map((text) => normaliseSpace(text, 'collapse')));
    return (text) =>
      known.has(normaliseSpace(text, 'collapse')) ? undefined : `is none of ${firstOf(texts)}`;
  },
  minInclusive: (limit, type) => bound('minInclusive', limit, type, (order) => order >= 0),
  maxInclusive: (limit, type) => bound('maxInclusive', limit, type, (order) => order <= 0),
  minExclusive: (limit, type) => bound('minExclusive', limit, type, (order) => order > 0),
  maxExclusive: (limit, type) => bound('maxExclusive', limit, type, (order) => order < 0),
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

/**
 * The check of one step of restrictions; it throws a {@link LexicalError}.
 * @param type what is restricted in the end, if that is a scalar. @throws {PatternError}
 */
export function facetCheck(
  facets: Facets,
  type: ScalarType | undefined,
): (text: string, value: unknown) => void {
  const checks = Object.entries(FACET_CHECKS).flatMap(([name, check]) => {
    const asked = facets[name as keyof typeof FACET_CHECKS];
    return asked === undefined ? [] : [check(asked as never, type)];
  });
  return (text, value) => {
    for (const check of checks) {
      const refusal = check(text, value);
      if (refusal !== undefined) throw new LexicalError(`"${excerpt(text)}" ${refusal}.`);
    }
  };
}

/** The first ten of the texts that a type has, for an error. */
export function firstOf(texts: readonly string[]): string {
  const first = texts
    .slice(0, 10)
    .map((text) => (text === '' ? '""' : text))
    .join(', ');
  return texts.length > 10 ? `${first} …` : first;
}

function sized(
  type: ScalarType | undefined,
  refusal: (size: number) => string | undefined,
): Refusal {
  if (isNameType(type)) return () => undefined;
  return (text, value) => refusal(sizeOf(value, text));
}

function sizeOf(value: unknown, text: string): number {
  if (value instanceof Uint8Array || Array.isArray(value)) return value.length;
  let size = 0;
  for (const _ of text) size++;
  return size;
}

/**
 * What has no order with the limit is out of range, as NaN is (XML Schema part 2, 4.3.7 to 4.3.10).
 */
function bound(
  name: string,
  limit: string,
  type: ScalarType | undefined,
  isWithin: (order: number) => boolean,
): Refusal {
  const order = type && orderOf(type);
  // A limit that is no value of its type, and one of a type without an order, are none.
  if (order === undefined || Number.isNaN(order(limit, limit))) return () => undefined;
  const orderOfValue = (text: string, value: unknown) => {
    const compared = order(text, limit);
    // Forms and JSON write dates in other ways than XML Schema: there what was read counts.
    return type === 'dateTime' && Number.isNaN(compared) && isInstant(value)
      ? order(new Date(value).toISOString(), limit)
      : compared;
  };
  return (text, value) =>
    isWithin(orderOfValue(text, value)) ? undefined : `is out of range: ${name} is ${limit}`;
}

function isInstant(value: unknown): value is number | Date {
  return typeof value === 'number' || value instanceof Date;
}
