import { randomInt } from 'node:crypto';

/** Length of a code, in characters. */
export const CODE_LENGTH = 7;

/**
 * The characters of codes. It has no `0 O 1 I l`, no lower-case letter that looks like its capital
 * (`c k p s v w x z`), and no vowels, so that no code is a word or a route. 41 characters give 195
 * billion (41^7) codes.
 */
export const CODE_ALPHABET = '23456789BCDFGHJKLMNPQRSTVWXYZbdfghjmnqrty';

/** Returns a random code, uniformly distributed. It may be in use: the database decides. */
export function newShortCode(): string {
  let code = '';
  // randomInt avoids modulo bias.
  for (let i = 0; i < CODE_LENGTH; i++) code += CODE_ALPHABET[randomInt(CODE_ALPHABET.length)];
  return code;
}

/** Whether a text has the form of a code; codes are case-sensitive. */
export function isShortCode(text: string): boolean {
  if (text.length !== CODE_LENGTH) return false;
  for (const char of text) if (!CODE_ALPHABET.includes(char)) return false;
  return true;
}
