import type { BindingForm } from '../lexical-context.ts';
import { excerpt, LexicalError } from '../lexical-error.ts';

const BLANKS = ' \t\n\r\u00a0\u202f\u3000';

/**
 * A position in a date-and-time text. Every method examines a bounded number of characters and only
 * moves forward.
 */
export class TextCursor {
  readonly text: string;
  readonly form: BindingForm;
  at = 0;
  /** How many digits the last {@link number} had. */
  digits = 0;

  constructor(text: string, form: BindingForm) {
    this.text = text;
    this.form = form;
  }

  atEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** Whether a character ahead is an ASCII digit. */
  atDigit(ahead = 0): boolean {
    const code = this.text.charCodeAt(this.at + ahead);
    return code >= 0x30 && code <= 0x39;
  }

  /** Whether at least `count` digits follow. */
  atDigits(count: number): boolean {
    for (let ahead = 0; ahead < count; ahead++) {
      if (!this.atDigit(ahead)) return false;
    }
    return true;
  }

  /** Whether blanks and then an ASCII letter follow, but not the `T` before a time. */
  atName(): boolean {
    let at = this.at;
    while (at < this.text.length && BLANKS.includes(this.text[at]!)) at++;
    return (
      at > this.at && isLetter(this.text.charCodeAt(at)) && isLetter(this.text.charCodeAt(at + 1))
    );
  }

  /** Whether a character ahead is one of some, each of one UTF-16 code unit. */
  atOneOf(chars: string, ahead = 0): boolean {
    const at = this.at + ahead;
    return at < this.text.length && chars.includes(this.text[at]!);
  }

  /** Skips one of the given characters. @returns whether there was one. */
  take(chars: string): boolean {
    if (!this.atOneOf(chars)) return false;
    this.at++;
    return true;
  }

  /** Skips one of the given characters, which is required. */
  require(chars: string): void {
    if (!this.take(chars)) throw this.error('its form is not known');
  }

  /** Skips blanks. @returns whether there were any. */
  takeBlanks(): boolean {
    const start = this.at;
    while (this.atOneOf(BLANKS)) this.at++;
    return this.at > start;
  }

  /** Reads a number of one to `most` digits, not followed by another digit. */
  number(most: number, what: string): number {
    let value = 0;
    this.digits = 0;
    for (; this.atDigit(); this.at++) {
      if (++this.digits > most) throw this.error(`the ${what} has too many digits`);
      value = value * 10 + this.text.charCodeAt(this.at) - 0x30;
    }
    if (this.digits === 0) throw this.error(`the ${what} is missing`);
    return value;
  }

  /** Reads a number of exactly two digits that is at most `max`. */
  twoDigits(max: number, what: string): number {
    const value = this.number(2, what);
    if (this.digits !== 2) throw this.error(`the ${what} has two digits`);
    if (value > max) throw this.error(`there is no ${what} ${value}`);
    return value;
  }

  /** Skips a run of ASCII letters. @returns it in lower case; `''` when there is none. */
  word(): string {
    const start = this.at;
    while (isLetter(this.text.charCodeAt(this.at))) this.at++;
    return this.text.slice(start, this.at).toLowerCase();
  }

  /**
   * Skips the first of the given texts that follows.
   * @returns its index among them; `-1` when none follows.
   */
  takeText(texts: readonly string[]): number {
    const found = texts.findIndex((text) => this.text.startsWith(text, this.at));
    if (found >= 0) this.at += texts[found]!.length;
    return found;
  }

  /**
   * The error for the text.
   *
   * @param problem completes the sentence "… is not a date and time: ".
   * @param wordAt the index of an unknown word, which .NET's message names.
   */
  error(problem: string, wordAt?: number): LexicalError {
    const reason = `"${excerpt(this.text)}" is not a date and time: ${problem}; write it like 2024-02-29T13:05:06Z or 2024-02-29.`;
    return new LexicalError(reason, this.#aspnetReason(wordAt));
  }

  #aspnetReason(wordAt: number | undefined): string {
    if (this.form === 'element')
      return `The string '${excerpt(this.text)}' is not a valid AllXsd value.`;
    if (wordAt === undefined) return 'String was not recognized as a valid DateTime.';
    return `The string was not recognized as a valid DateTime. There is an unknown word starting at index ${wordAt}.`;
  }
}

function isLetter(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}
