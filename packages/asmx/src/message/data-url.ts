import { Base64Error } from './base64-error.ts';
import { LOST_PLUS } from './percent.ts';

const SCHEME = 'data:';

/** What stands before the base64 of an image in a data URL (RFC 2397). */
const HEAD = /^data:image\/[a-z0-9.+-]+(?:;[^;,]*)*;base64$/i;

/** The blanks of XML and of forms; others, such as U+00A0, are no blanks of base64. */
const BLANKS = new RegExp(`^[ \\t\\r\\n\\f${LOST_PLUS}]+`);

/**
 * How far a head is looked for, however the text is cut: to the comma behind it; in UTF-16 code
 * units.
 */
const MAX_HEAD = 200;

/**
 * Takes the head of a `data:image/…;base64,` URL off a text that arrives in pieces; any other text
 * passes.
 */
export class DataUrlHead {
  /** The beginning, until it is known what it is. */
  #held: string | undefined = '';

  /**
   * @returns what of the text is known to be no head.
   * @throws {Base64Error} for a data URL of anything else.
   */
  take(piece: string): string {
    if (this.#held === undefined) return piece;
    const whole = this.#held + piece.replace(this.#held === '' ? /^[ \t\r\n\f]+/ : '', '');
    const text = whole.replace(BLANKS, '');
    const scheme = text.slice(0, SCHEME.length).toLowerCase();
    if (scheme.length < SCHEME.length && SCHEME.startsWith(scheme) && whole.length <= MAX_HEAD) {
      this.#held = whole;
      return '';
    }
    const blanks = whole.length - text.length;
    if (scheme !== SCHEME || blanks + SCHEME.length > MAX_HEAD + 1) return this.#pass(whole);
    const comma = text.indexOf(',');
    if (comma < 0 && whole.length <= MAX_HEAD) {
      this.#held = whole;
      return '';
    }
    if (comma < 0 || blanks + comma > MAX_HEAD || !HEAD.test(text.slice(0, comma))) {
      throw new Base64Error(
        'A data URL must begin with data:image/…;base64, and be one of an image.',
        0,
      );
    }
    return this.#pass(text.slice(comma + 1));
  }

  /**
   * The text is complete; returns what was held.
   * @throws {Base64Error} for a data URL that ends in its head.
   */
  end(): string {
    const text = this.#held ?? '';
    this.#held = undefined;
    if (text.replace(BLANKS, '').length >= SCHEME.length)
      throw new Base64Error('The data URL ends before its content.', text.length);
    return text;
  }

  #pass(text: string): string {
    this.#held = undefined;
    return text;
  }
}
