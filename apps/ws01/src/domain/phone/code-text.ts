import { randomInt } from 'node:crypto';

/** Digits of a code. */
const DIGITS = 6;

/** Longest text looked at, in UTF-16 code units: six digits with room for blanks and full-width forms. */
const MAX_LENGTH = 64;

/** A new code: six digits, each of the million texts as likely as any other. */
export function newCode(): string {
  // randomInt draws again where a remainder would favour some numbers.
  return randomInt(10 ** DIGITS)
    .toString()
    .padStart(DIGITS, '0');
}

/**
 * What somebody typed as a code, as a code is written: after NFKC (full-width digits), without blanks and hyphens
 * between the digits.
 * @returns six digits; `undefined` when the text cannot be a code, which is a wrong answer like any other.
 */
export function readCode(text: string): string | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const digits = text.normalize('NFKC').replace(/[\s\-\u2010-\u2015]/gu, '');
  return /^[0-9]{6}$/.test(digits) ? digits : undefined;
}
