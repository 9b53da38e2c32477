import { UNSEEN } from './unseen.ts';

/**
 * Returns a text in NFKC with the decimal digits of every script (Unicode Nd) as 0 to 9, without
 * blanks and invisible marks, such as the marks of direction that are copied from a right-to-left
 * text (semantics 2, phone; 5.10).
 */
export function plainDigits(text: string): string {
  return withAsciiDigits(text).replace(UNSEEN, '');
}

/** Returns a text in NFKC with the decimal digits of every script as 0 to 9. */
export function withAsciiDigits(text: string): string {
  return text.normalize('NFKC').replace(/\p{Nd}/gu, asciiDigit);
}

/**
 * The digit 0 to 9 of one character of Nd. Unicode encodes the ten digits of a script in order and
 * without gap (The Unicode Standard, 4.6), but the digits of another script may come right before
 * them.
 */
function asciiDigit(digit: string): string {
  const at = digit.codePointAt(0)!;
  let first = at;
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first--;
  return String((at - first) % 10);
}
