import { randomInt } from 'node:crypto';
import { plainDigits } from '../values/digits.ts';

/** Number of digits of a code. */
const DIGITS = 6;

/** Longest accepted text, in UTF-16 code units: six digits with room for what stands around them. */
const MAX_LENGTH = 64;

/** Returns a random code of six digits, uniformly distributed. */
export function newCode(): string {
  // randomInt avoids modulo bias.
  return randomInt(10 ** DIGITS)
    .toString()
    .padStart(DIGITS, '0');
}

/** What stands around a copied code or between its digits, such as the full stop of the message that brought it. */
const PUNCTUATION = /[\p{P}\u2212]/gu;

/**
 * Normalizes a typed code (semantics 5.10): its digits, of any script, without blanks, invisible marks and punctuation.
 * @returns six digits; `undefined` when the text cannot be a code, which counts as a wrong answer.
 */
export function readCode(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const digits = plainDigits(text).replace(PUNCTUATION, '');
  return /^[0-9]{6}$/.test(digits) ? digits : undefined;
}
