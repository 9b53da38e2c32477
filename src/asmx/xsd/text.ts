import type { Parameter } from '../service.ts';
import { LexicalError } from './lexical-error.ts';

/**
 * Checks that a parameter's text can be stored and written again, and is within what the contract says of it
 * (semantics 2): no characters that XML 1.0 forbids (U+0000 and other controls but TAB, CR and LF, lone surrogates,
 * U+FFFE, U+FFFF), at most `maxLength` code points, and CR, LF and TAB only in parameters of several lines.
 *
 * @throws {LexicalError}
 */
export function checkText(text: string, parameter: Parameter): void {
  const { maxLength, singleLine } = parameter;
  // A text has at most as many code points as code units, so that a short one needs no counting.
  if (maxLength !== undefined && text.length > maxLength) checkLength(text, maxLength);
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0x20 && code < 0xd800) continue;
    if (code < 0x20) {
      if (code !== 0x09 && code !== 0x0a && code !== 0x0d) throw forbidden(code, at);
      if (singleLine) throw new LexicalError('The text has one line; leave out line breaks and tabs.');
    } else if (code < 0xdc00 && isLowSurrogate(text.charCodeAt(at + 1))) {
      at++;
    } else if (code < 0xe000 || code >= 0xfffe) {
      throw forbidden(code, at);
    }
  }
}

function checkLength(text: string, maxLength: number): void {
  // Each pair of code units that is one code point takes one off; a lone surrogate counts, and is refused later.
  let codePoints = text.length;
  for (let at = 0; at + 1 < text.length && codePoints > maxLength; at++) {
    const code = text.charCodeAt(at);
    if (code >= 0xd800 && code < 0xdc00 && isLowSurrogate(text.charCodeAt(at + 1))) {
      codePoints--;
      at++;
    }
  }
  if (codePoints > maxLength) {
    throw new LexicalError(`The text is longer than ${maxLength} characters; shorten it.`);
  }
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}

function forbidden(code: number, at: number): LexicalError {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return new LexicalError(`Character ${at + 1} of the text is ${name}, which XML forbids; leave it out.`);
}
