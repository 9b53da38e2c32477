import { Buffer } from 'node:buffer';
import type { Facets } from '../../contract/types.ts';
import { Pattern } from '../../lexical/pattern/pattern.ts';
import { patternSample } from './pattern-sample.ts';

/** A text within the bounds of a type. @param most characters that it has at the most, whatever the type asks. */
export function boundedText(given: string, facets: Facets, most: number): string {
  const { length, minLength, maxLength, patterns } = facets;
  const isNumber = facets.totalDigits !== undefined || facets.fractionDigits !== undefined;
  const text = isNumber ? shortened(given, facets) : given;
  const least = Math.min(length ?? minLength ?? 0, most);
  if (patterns?.[0] !== undefined && !isMatch(text, patterns)) {
    const sample = patternSample(patterns[0]);
    if (sample !== undefined) return sample.padEnd(least, '1');
  }
  return edgeOf(facets) ?? text.padEnd(least, 'x').slice(0, length ?? maxLength ?? most);
}

/** The least or the greatest value of a type that has such. */
function edgeOf(facets: Facets): string | undefined {
  const { minInclusive, minExclusive, maxInclusive, maxExclusive } = facets;
  if (minInclusive !== undefined) return minInclusive;
  if (maxInclusive !== undefined) return maxInclusive;
  return beside(minExclusive, 1n) ?? beside(maxExclusive, -1n);
}

function beside(bound: string | undefined, step: bigint): string | undefined {
  return bound !== undefined && /^-?\d+$/.test(bound) ? String(BigInt(bound) + step) : undefined;
}

/** A number with as many digits as it may have. */
function shortened(text: string, { totalDigits, fractionDigits }: Facets): string {
  const [integer = '', fraction = ''] = text.split('.');
  const digits = totalDigits ?? integer.length + fraction.length;
  const whole = integer.slice(0, digits);
  const rest = fraction.slice(0, Math.min(fractionDigits ?? digits, digits - whole.length));
  return rest === '' ? whole : `${whole}.${rest}`;
}

function isMatch(text: string, patterns: readonly string[]): boolean {
  try {
    return patterns.every((each) => new Pattern(each).matches(text));
  } catch {
    return false;
  }
}

/** A value of bytes within its bounds, which count bytes. */
export function boundedBytes(
  type: 'hexBinary' | 'base64Binary',
  { length, minLength = 0, maxLength = 3 }: Facets,
  most: number,
): string {
  const count = Math.min(length ?? Math.min(maxLength, Math.max(minLength, 3)), most);
  return Buffer.alloc(count, 'A').toString(type === 'hexBinary' ? 'hex' : 'base64');
}
