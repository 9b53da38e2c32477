import { randomInt } from 'node:crypto';

/** Number of digits of a code. */
const DIGITS = 6;

/** Longest accepted text, in UTF-16 code units: six digits with room for blanks and full-width forms. */
const MAX_LENGTH = 64;

/** Returns a random code of six digits, uniformly distributed. */
export function newCode(): string {
  // randomInt avoids modulo bias.
  return randomInt(10 ** DIGITS)
    .toString()
    .padStart(DIGITS, '0');
}

/**
 * Normalizes a typed code: NFKC (full-width digits), without blanks and hyphens.
 * @returns six digits; `undefined` when the text cannot be a code, which counts as a wrong answer.
 */
export function readCode(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const digits = text.normalize('NFKC').replace(/[\s\-\u2010-\u2015]/gu, '');
  return /^[0-9]{6}$/.test(digits) ? digits : undefined;
}
