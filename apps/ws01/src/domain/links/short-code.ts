import { randomInt } from 'node:crypto';

/** Characters of a short link's code. */
export const CODE_LENGTH = 7;

/**
 * What codes are made of. No `0 O 1 I l`, no lower-case letter that is but a small capital (`c k p s v w x z`), and no
 * vowels, so that no code is a word or a route. 41 to the power of 7 are 195 thousand million codes.
 */
export const CODE_ALPHABET = '23456789BCDFGHJKLMNPQRSTVWXYZbdfghjmnqrty';

/** A random code, each as likely as any other. Whether it is free is for the database to say. */
export function newShortCode(): string {
  let code = '';
  // randomInt draws again where a remainder would favour some characters.
  for (let i = 0; i < CODE_LENGTH; i++) code += CODE_ALPHABET[randomInt(CODE_ALPHABET.length)];
  return code;
}

/** Whether a text has the form of a code; codes are case-sensitive. */
export function isShortCode(text: string): boolean {
  if (text.length !== CODE_LENGTH) return false;
  for (const char of text) if (!CODE_ALPHABET.includes(char)) return false;
  return true;
}
