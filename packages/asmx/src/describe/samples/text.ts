import { Buffer } from 'node:buffer';
import { isNameType } from '../../contract/scalar-facts.ts';
import type { Facets, ScalarType } from '../../contract/types.ts';
import { besides } from '../../lexical/order.ts';
import { facetCheck } from '../../values/facets.ts';
import { patternSamples } from './pattern-sample.ts';

/** The restrictions of a type, the innermost first. */
export type Restrictions = readonly Facets[];

/** Tells whether a text is within all restrictions of a type. */
export function withinOf(
  steps: Restrictions,
  type: ScalarType | undefined,
): (text: string) => boolean {
  try {
    const checks = steps.map((facets) => facetCheck(facets, type));
    return (text) => {
      try {
        for (const check of checks) check(text, text);
        return true;
      } catch {
        return false;
      }
    };
  } catch {
    // A pattern that cannot be checked says nothing of a text.
    return () => false;
  }
}

/**
 * A text of a scalar within the bounds of its type.
 * @param given what it is without. @param most characters that it has at the most, whatever the
 *   type asks.
 */
export function boundedText(
  given: string,
  type: ScalarType,
  steps: Restrictions,
  most: number,
): string {
  // A name has a prefix that is declared where it stands.
  if (steps.length === 0 || isNameType(type)) return given;
  const bounds = Object.assign({}, ...steps) as Facets;
  const sized = sizedText(given, bounds, most);
  const isWithin = withinOf(steps, type);
  for (const text of candidates(sized, type, steps, most))
    if (text.length <= most && isWithin(text)) return text;
  return sized;
}

/** As long as its type asks, and with as many digits. */
function sizedText(given: string, facets: Facets, most: number): string {
  const { length, minLength, maxLength } = facets;
  const isNumber = facets.totalDigits !== undefined || facets.fractionDigits !== undefined;
  const text = isNumber ? shortened(given, facets) : given;
  const least = Math.min(length ?? minLength ?? 0, most);
  return text.padEnd(least, 'x').slice(0, length ?? maxLength ?? most);
}

function* candidates(
  sized: string,
  type: ScalarType,
  steps: Restrictions,
  most: number,
): Iterable<string> {
  yield sized;
  if (type === 'boolean') yield* ['false', '1', '0'];
  if (type === 'guid') yield sized.toUpperCase();
  yield* patternTexts(steps, most);
  for (const { minInclusive, maxInclusive, minExclusive, maxExclusive } of steps) {
    for (const limit of [minInclusive, maxInclusive]) if (limit !== undefined) yield limit;
    for (const limit of [minExclusive, maxExclusive, minInclusive, maxInclusive])
      if (limit !== undefined) yield* besides(type, limit);
  }
}

/** Texts that the patterns of some restrictions match, each of at most so many characters. */
export function* patternTexts(steps: Restrictions, most: number): Iterable<string> {
  const repeats = REPEATS.filter((times) => times <= most);
  for (const { patterns = [] } of steps)
    for (const pattern of patterns) yield* patternSamples(pattern, repeats);
}

/**
 * How often parts of a pattern that repeat are tried, so that a text is long enough for its type.
 */
const REPEATS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 32, 64, 100, 200];

/** A number with as many digits as it may have. */
function shortened(text: string, { totalDigits, fractionDigits }: Facets): string {
  const [integer = '', fraction = ''] = text.split('.');
  const digits = totalDigits ?? integer.length + fraction.length;
  const whole = integer.slice(0, digits);
  const rest = fraction.slice(0, Math.min(fractionDigits ?? digits, digits - whole.length));
  return rest === '' ? whole : `${whole}.${rest}`;
}

/** How many of something there are within bounds: as near as can be to a usual number. */
export function countWithin(steps: Restrictions, usual: number): number {
  const {
    length,
    minLength = 0,
    maxLength = Number.POSITIVE_INFINITY,
  } = Object.assign({}, ...steps) as Facets;
  return length ?? Math.min(maxLength, Math.max(minLength, usual));
}

/** A value of bytes within its bounds, which count bytes. */
export function boundedBytes(
  type: 'hexBinary' | 'base64Binary',
  steps: Restrictions,
  most: number,
): string {
  const count = Math.min(countWithin(steps, 3), most);
  return Buffer.alloc(count, 'A').toString(type === 'hexBinary' ? 'hex' : 'base64');
}
