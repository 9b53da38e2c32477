import { excerpt, LexicalError } from './lexical-error.ts';

const MAX = 2_147_483_647;
const MIN = -2_147_483_648;

/**
 * Parses an int: an optional sign and decimal digits, with leading zeros and surrounding blanks; empty is `0`
 * (semantics 2). The grammar is the same in every binding, as in ASP.NET.
 *
 * @returns an integer within Int32, never `-0`.
 * @throws {LexicalError}
 */
export function parseInt32(text: string): number {
  const trimmed = text.trim();
  if (trimmed === '') return 0;
  const sign = trimmed.charCodeAt(0);
  const signed = sign === 0x2b || sign === 0x2d;
  let value = 0;
  for (let at = signed ? 1 : 0; at < trimmed.length; at++) {
    const digit = trimmed.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) throw notANumber(trimmed);
    // Beyond the range the exact value no longer matters, and must not grow past what a double counts exactly.
    if (value <= MAX) value = value * 10 + digit;
  }
  if (signed && trimmed.length === 1) throw notANumber(trimmed);
  if (sign === 0x2d) value = 0 - value;
  if (value > MAX || value < MIN) throw outOfRange(trimmed);
  return value;
}

function notANumber(text: string): LexicalError {
  return new LexicalError(
    `"${excerpt(text)}" is not a whole number; write decimal digits with an optional sign, like 20.`,
    'Input string was not in a correct format.',
  );
}

function outOfRange(text: string): LexicalError {
  return new LexicalError(
    `"${excerpt(text)}" is out of range; write a whole number from ${MIN} to ${MAX}.`,
    'Value was either too large or too small for an Int32.',
  );
}
