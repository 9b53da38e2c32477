import { LexicalError } from './lexical-error.ts';

/** The rules of a contract for a text. */
export interface TextBounds {
  readonly maxLength?: number | undefined;
  readonly singleLine?: boolean | undefined;
}

/**
 * Characters forbidden in every text, and in a text of one line. A character class is several times as fast as a loop.
 */
const FORBIDDEN = /[^\t\n\r -\ufffd]/;
const FORBIDDEN_IN_LINE = /[^ -\ufffd]/;

/**
 * Checks that a parameter's text can be stored and written again, and follows the rules of the contract (semantics 2):
 * no characters that XML 1.0 forbids (U+0000 and other controls except TAB, CR and LF; lone surrogates; U+FFFE,
 * U+FFFF), at most `maxLength` code points, and CR, LF and TAB only in parameters of several lines.
 *
 * @throws {LexicalError}
 */
export function checkText(text: string, limits: TextBounds): void {
  const { maxLength, singleLine } = limits;
  // A text has at most as many code points as code units, so a short one need not be counted.
  if (maxLength !== undefined && text.length > maxLength && codePointsExceed(text, maxLength)) {
    throw new LexicalError(`The text is longer than ${maxLength} characters; shorten it.`);
  }
  if (!text.isWellFormed())
    throw new LexicalError('The text has half of a surrogate pair; write whole characters.');
  const at = text.search(singleLine ? FORBIDDEN_IN_LINE : FORBIDDEN);
  if (at >= 0) throw forbidden(text.charCodeAt(at), at);
}

function codePointsExceed(text: string, most: number): boolean {
  if (text.length > 2 * most) return true;
  // Each pair of code units that is one code point takes one off.
  let codePoints = text.length;
  for (let at = 0; at < text.length && codePoints > most; at++) {
    if (text.codePointAt(at)! > 0xffff) {
      codePoints--;
      at++;
    }
  }
  return codePoints > most;
}

function forbidden(code: number, at: number): LexicalError {
  if (code === 0x09 || code === 0x0a || code === 0x0d) {
    return new LexicalError('The text has one line; leave out line breaks and tabs.');
  }
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return new LexicalError(
    `Character ${at + 1} of the text is ${name}, which XML forbids; leave it out.`,
  );
}
