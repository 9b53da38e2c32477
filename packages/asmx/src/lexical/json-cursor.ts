import type { Limits } from '../contract/limits.ts';
import { numberAt } from '../message/files/short-numbers.ts';
import { breachSentence, type LimitBreach, ReadError } from '../message/read-error.ts';
import { UnitBuffer } from '../message/unit-buffer.ts';

/** A JSON text was refused. */
export class JsonError extends ReadError<'malformed' | 'encoding' | 'limit'> {
  /** Where, in UTF-16 code units from the start of the text. */
  readonly index: number;

  constructor(
    code: 'malformed' | 'encoding' | 'limit',
    reason: string,
    index: number,
    breach?: LimitBreach,
  ) {
    super(code, `${reason} Character ${index + 1}.`, breach);
    this.name = 'JsonError';
    this.index = index;
  }
}

const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const LOWER_U = 0x75;
/** Length of `\\uXXXX`. */
const UNIT_LENGTH = 6;
const ESCAPES: ReadonlyMap<number, number> = new Map(
  [
    ['"', '"'],
    ["'", "'"],
    ['\\', '\\'],
    ['/', '/'],
    ['b', '\b'],
    ['f', '\f'],
    ['n', '\n'],
    ['r', '\r'],
    ['t', '\t'],
  ].map(([written, character]) => [written!.charCodeAt(0), character!.charCodeAt(0)]),
);

/** Parts that are joined within one call. */
const units = new UnitBuffer();

/** The text of a JSON document received so far, and the position in it. */
export class JsonCursor {
  text = '';
  at = 0;
  /** Code units before `text`. */
  #before: number;
  // Position of the next such character at or after `at`; the text's length if there is none. Out
  // of date if before `at`.
  #nextQuote = -1;
  #nextBackslash = -1;
  /** The closing quote of the string that is being read. */
  #quote = '"';

  /** @param before how many code units of the document were read by others. */
  constructor(before = 0) {
    this.#before = before;
  }

  /** How many code units of the document stand before `at`. */
  get index(): number {
    return this.#before + this.at;
  }

  get atEnd(): boolean {
    return this.at === this.text.length;
  }

  /** Whether nothing but white space is left of the text. */
  get onlySpaceFollows(): boolean {
    return behindSpace(this.text, this.at) === this.text.length;
  }

  /** Adds text; what lies before `at` is dropped. */
  append(text: string): void {
    this.#before += this.at;
    this.text = this.atEnd ? text : this.text.slice(this.at) + text;
    this.at = 0;
    this.#nextQuote = -1;
    this.#nextBackslash = -1;
  }

  /** Skips white space; the character behind it, undefined at the text's end. */
  skipSpace(): string | undefined {
    this.at = behindSpace(this.text, this.at);
    return this.text[this.at];
  }

  /** Whether a character opens a string, which then ends with the same quote. */
  opensString(character: string): boolean {
    if (character !== '"' && character !== "'") return false;
    this.#quote = character;
    this.#nextQuote = -1;
    return true;
  }

  /** Whether the next character can be part of a number, a word or a name without quotes. */
  beginsLiteral(): boolean {
    return isLiteralUnit(this.text.charCodeAt(this.at));
  }

  /** Reads characters of a number, a word or a name without quotes. */
  literal(): string {
    const { text, at: from } = this;
    let at = from;
    while (at < text.length && isLiteralUnit(text.charCodeAt(at))) at++;
    this.at = at;
    return text.slice(from, at);
  }

  /** Reads a piece. @param to its end in `text`. */
  upTo(to: number): string {
    const piece = this.text.slice(this.at, to);
    this.at = to;
    return piece;
  }

  /**
   * Reads the items of an array that follow the last one, as long as each is a byte, in the form of
   * `numberAt`, between two commas.
   * @returns how many were read into `numbers`.
   */
  shortItems(numbers: Uint16Array): number {
    const { text } = this;
    let count = 0;
    let comma = behindSpace(text, this.at);
    while (count < numbers.length && text.charCodeAt(comma) === COMMA) {
      const from = behindSpace(text, comma + 1);
      const number = numberAt(text, from);
      const end = behindSpace(text, from + (number >> 8));
      if (number === 0 || text.charCodeAt(end) !== COMMA) break;
      numbers[count++] = number;
      comma = end;
    }
    this.at = comma;
    return count;
  }

  /**
   * Reads on in a string, as far as the text goes.
   * @returns the part read, unescaped, and whether the closing quote was read too.
   */
  string(): { readonly part: string; readonly ended: boolean } {
    const { text, at: from } = this;
    const quote = this.#quote.charCodeAt(0);
    const stop = Math.min(this.#end(), this.#backslash());
    this.at = stop;
    if (text.charCodeAt(stop) === BACKSLASH) return this.#escaped(from, quote);
    const ended = stop < text.length;
    if (ended) this.at++;
    return { part: text.slice(from, stop), ended };
  }

  /** As {@link string}, where the first escape is at `at`. */
  #escaped(from: number, quote: number): { readonly part: string; readonly ended: boolean } {
    const { text } = this;
    units.clear();
    units.addText(text, from, this.at);
    while (this.at < text.length) {
      const unit = text.charCodeAt(this.at);
      if (unit === BACKSLASH) {
        if (!this.#escape()) break;
        continue;
      }
      this.at++;
      if (unit === quote) return { part: units.take(), ended: true };
      units.add(unit);
    }
    return { part: units.take(), ended: false };
  }

  malformed(reason: string, at = this.at): JsonError {
    return new JsonError('malformed', reason, this.#before + at);
  }

  undecodable(encoding: string): JsonError {
    const reason = `Here the text is not valid in its encoding, ${encoding}.`;
    return new JsonError('encoding', reason, this.#before + this.text.length);
  }

  over(name: keyof Limits, value: number, subject: string, unit: string): JsonError {
    const breach = { name, value };
    return new JsonError(
      'limit',
      breachSentence(breach, subject, unit),
      this.#before + this.at,
      breach,
    );
  }

  /** Adds the character of the next escape. @returns false when the text ends in it. */
  #escape(): boolean {
    const { text, at } = this;
    if (at + 1 === text.length) return false;
    const character = text.charCodeAt(at + 1);
    if (character !== LOWER_U) {
      const plain = ESCAPES.get(character);
      if (plain === undefined)
        throw this.malformed('A backslash must begin one of the escapes of JSON.');
      this.at += 2;
      units.add(plain);
      return true;
    }
    const first = this.#unit(at);
    if (first === undefined) return false;
    if (first < 0xd800 || first > 0xdfff) {
      this.at += UNIT_LENGTH;
      units.add(first);
      return true;
    }
    const second = first < 0xdc00 ? this.#unit(at + UNIT_LENGTH) : 0;
    if (second === undefined) return false;
    if (second < 0xdc00 || second > 0xdfff) {
      throw this.malformed('An escape of half a surrogate pair stands alone.');
    }
    this.at += 2 * UNIT_LENGTH;
    units.add(first);
    units.add(second);
    return true;
  }

  /**
   * The code unit of the `\\uXXXX` at `at`: 0 when there is none, undefined when the text ends in
   * it.
   */
  #unit(at: number): number | undefined {
    const { text } = this;
    const end = Math.min(at + UNIT_LENGTH, text.length);
    if (end > at && text.charCodeAt(at) !== BACKSLASH) return 0;
    if (end > at + 1 && text.charCodeAt(at + 1) !== LOWER_U) return 0;
    let unit = 0;
    for (let digit = at + 2; digit < end; digit++) {
      const value = hexDigit(text.charCodeAt(digit));
      if (value < 0) throw this.malformed('Four hexadecimal digits must follow \\u.', at);
      unit = unit * 16 + value;
    }
    return end < at + UNIT_LENGTH ? undefined : unit;
  }

  #end(): number {
    if (this.#nextQuote < this.at) this.#nextQuote = this.#next(this.#quote);
    return this.#nextQuote;
  }

  #backslash(): number {
    if (this.#nextBackslash < this.at) this.#nextBackslash = this.#next('\\');
    return this.#nextBackslash;
  }

  #next(what: string): number {
    const found = this.text.indexOf(what, this.at);
    return found < 0 ? this.text.length : found;
  }
}

function behindSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

/** The value of a hexadecimal digit; -1 for anything else. */
function hexDigit(unit: number): number {
  if (isDecimal(unit)) return unit - 0x30;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function isDecimal(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function isLiteralUnit(unit: number): boolean {
  if (isDecimal(unit)) return true;
  const letter = unit | 0x20;
  if (letter >= 0x61 && letter <= 0x7a && unit < 0x80) return true;
  return (
    unit === 0x2b || unit === 0x2d || unit === 0x2e || unit === 0x5f || unit === 0x24 || unit > 0xa0
  );
}
