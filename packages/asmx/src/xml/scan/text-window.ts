import type { Limits } from '../../contract/limits.ts';
import { UnitBuffer } from '../../message/unit-buffer.ts';
import { isSpace, isXmlChar, nameEnd, namePartEnd } from '../chars.ts';
import { overLimit, type XmlErrorCode, type XmlPosition, XmlRefusal } from '../errors.ts';
import { LineCounter, Mark } from './position.ts';
import { digitOf, ENTITIES } from './references.ts';

const BLANK = 0x20;
const HASH = 0x23;
const AMPERSAND = 0x26;
const EXCLAMATION = 0x21;
const SLASH = 0x2f;
const SEMICOLON = 0x3b;
const LESS = 0x3c;
const QUESTION = 0x3f;
const BRACKET = 0x5d;
const LOWER_X = 0x78;
/** Enough for every character; more are leading zeros. */
const MOST_DIGITS = 7;

/** As many characters may stand between two references that are taken together. */
const MOST_BETWEEN = 16;

/**
 * As long may a text with references be that is resolved at once: longer ones are read piece by
 * piece.
 */
const MOST_RESOLVED = 1_000;

/** Parts that are joined within one call. */
const units = new UnitBuffer();

/**
 * What stands before the place that .NET gives of a token, besides the `<` of a start tag and the
 * `</` of an end tag.
 */
const OPENINGS = ['<!--', '<?', '<![CDATA['];

/**
 * The text as far as it has come, and the place reached in it. Each code unit is looked at a
 * bounded number of times: names, references and values that the text cuts are carried over, of
 * everything else at most eight units are looked at again with the next text.
 */
export class TextWindow {
  readonly limits: Limits;
  text = '';
  /** The place reached. */
  at = 0;
  /** The part of a name, declaration or reference that came before this text. */
  carried = '';
  /** Start of the tag, and of the token in it, that is being read: where an error is reported. */
  readonly tagMark = new Mark();
  readonly mark = new Mark();
  /** Code units looked at, and states taken. */
  steps = 0;
  readonly #lines = new LineCounter();
  /** Line feeds in the text, -1 when not counted. */
  #lineFeeds = -1;
  // The next such character at or after `at`, the text's length when there is none; stale when
  // before it.
  #nextLess = -1;
  #nextAmpersand = -1;
  #nextCdataEnd = -1;
  #nextQuote = -1;
  #nextApostrophe = -1;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** Code units waiting for more text. */
  get held(): number {
    return this.text.length - this.at + this.carried.length;
  }

  /** Where the token being read, or the error, is. */
  get position(): XmlPosition {
    return this.#lines.locate(this.text, this.mark);
  }

  /** Where the token at `at` is; a tag is where its name is. */
  get nextToken(): XmlPosition {
    const { text, at } = this;
    return this.#lines.peek(text, this.mark, at + openingLength(text, at));
  }

  /** Adds text; what lies before `at` is dropped. @param lineFeeds in the text, -1 when unknown. */
  append(text: string, lineFeeds: number): void {
    if (this.text !== '') {
      this.#lines.drop(this.text, this.at, this.#lineFeeds, [this.tagMark, this.mark]);
    }
    const rest = this.text.length - this.at;
    this.steps += rest;
    this.#lineFeeds = rest === 0 ? lineFeeds : -1;
    this.text = rest === 0 ? text : this.text.slice(this.at) + text;
    this.at = 0;
    this.#nextLess = -1;
    this.#nextAmpersand = -1;
    this.#nextCdataEnd = -1;
    this.#nextQuote = -1;
    this.#nextApostrophe = -1;
  }

  /** Refuses the document, at an index of this text. */
  refuse(code: XmlErrorCode, reason: string, at: number): never {
    this.mark.index = at;
    throw new XmlRefusal(code, reason);
  }

  /** A whole tag was read: its name begins at `name`, it ends before `end`. */
  markTag(name: number, end: number): void {
    this.tagMark.index = name;
    this.mark.index = name;
    this.steps += end - this.at;
    this.at = end;
  }

  /**
   * Reads a name, or more of one. Undefined while it may go on in the next text; `''` when what
   * stands here does not begin a name.
   */
  name(): string | undefined {
    const { text, at: from, carried } = this;
    const at = carried === '' ? nameEnd(text, from) : namePartEnd(text, from);
    const length = carried.length + at - from;
    this.at = at;
    this.steps += at - from;
    if (length > this.limits.nameChars)
      throw overLimit(this.limits, 'nameChars', 'A name', 'characters');
    const part = text.slice(from, at);
    if (at === text.length && length > 0) {
      this.carried = carried + part;
      return undefined;
    }
    if (carried === '') return part;
    this.carried = '';
    return carried + part;
  }

  /** Skips white space. The code unit behind it; -1 at the end of the text. */
  skipSpace(): number {
    const { text } = this;
    const { length } = text;
    let { at } = this;
    while (at < length) {
      const unit = text.charCodeAt(at);
      if (!isSpace(unit)) {
        this.steps += at - this.at;
        this.at = at;
        return unit;
      }
      at++;
    }
    this.steps += at - this.at;
    this.at = at;
    return -1;
  }

  /**
   * Goes to where `end` begins, or may begin with the next text. Its index; -1 when it is not there
   * in full.
   */
  find(end: string): number {
    const { text, at: from } = this;
    const found = text.indexOf(end, from);
    let to = found;
    if (found < 0) {
      let held = end.length - 1;
      while (held > 0 && !text.endsWith(end.slice(0, held))) held--;
      to = Math.max(from, text.length - held);
    }
    this.at = to;
    this.steps += to - from;
    return found;
  }

  /** Index of the next `<`; the text's length when there is none. So for those below. */
  less(): number {
    if (this.#nextLess >= this.at) return this.#nextLess;
    // Between tags it is mostly here already.
    this.#nextLess = this.text.charCodeAt(this.at) === LESS ? this.at : this.#next('<');
    return this.#nextLess;
  }

  ampersand(): number {
    if (this.#nextAmpersand < this.at) this.#nextAmpersand = this.#next('&');
    return this.#nextAmpersand;
  }

  cdataEnd(): number {
    if (this.#nextCdataEnd >= this.at) return this.#nextCdataEnd;
    // Most texts have no bracket at all, and one character is found faster than three.
    this.#nextCdataEnd = this.text.includes(']', this.at) ? this.#next(']]>') : this.#next(']');
    return this.#nextCdataEnd;
  }

  /** @param quote `"` or `'`. */
  quote(quote: string): number {
    if (quote === '"') {
      if (this.#nextQuote < this.at) this.#nextQuote = this.#next(quote);
      return this.#nextQuote;
    }
    if (this.#nextApostrophe < this.at) this.#nextApostrophe = this.#next(quote);
    return this.#nextApostrophe;
  }

  #next(what: string): number {
    const found = this.text.indexOf(what, this.at);
    const next = found < 0 ? this.text.length : found;
    this.steps += next - this.at;
    return next;
  }

  /**
   * Reads the references from the `&` here on, with short texts between them: a short cut, since a
   * string for each would take ten times as long.
   * @param quote what ends an attribute value, in which white space is blanks; nothing where it is
   *   text of an element.
   * @returns their characters; `''` when the reference here is to be read piece by piece.
   */
  plainReferences(quote?: string): string {
    const { text } = this;
    let { at } = this;
    units.clear();
    for (;;) {
      const behind = addReference(text, at + 1);
      if (behind < 0) break;
      at = behind;
      // What stands behind the last reference is read as other text is.
      const next = nearReference(text, behind, quote);
      if (next < 0) break;
      for (; at < next; at++) {
        const unit = text.charCodeAt(at);
        units.add(quote !== undefined && isSpace(unit) ? BLANK : unit);
      }
    }
    this.steps += at - this.at;
    this.at = at;
    return units.take();
  }

  /**
   * The text from `from` to `end`, its references resolved; `undefined` when it is to be read piece
   * by piece.
   */
  resolvedText(from: number, end: number): string | undefined {
    const { text } = this;
    if (this.ampersand() > end) return text.slice(from, end);
    if (end - from > MOST_RESOLVED) return undefined;
    let resolved = '';
    let at = from;
    for (let next = text.indexOf('&', from); next >= 0 && next < end; ) {
      units.clear();
      const behind = addReference(text, next + 1);
      if (behind < 0) return undefined;
      resolved += text.slice(at, next) + units.take();
      at = behind;
      next = text.indexOf('&', at);
    }
    return resolved + text.slice(at, end);
  }

  /** The `&` here begins a reference that is read piece by piece. */
  beginReference(): void {
    this.mark.index = this.at;
    this.at++;
  }

  /**
   * A reference, from behind `&` to behind `;`.
   * @returns its name; undefined while it may go on in the next text.
   */
  referenceName(): string | undefined {
    if (this.carried === '' && this.text.charCodeAt(this.at) === HASH) {
      this.carried = '#';
      this.at++;
      if (this.at === this.text.length) return undefined;
    }
    const name = this.name();
    if (name === undefined) return undefined;
    if (this.text.charCodeAt(this.at) !== SEMICOLON || name === '') {
      const reason =
        "'&' must begin a reference that ends with ';'; write &amp; for the character itself.";
      this.refuse('malformed', reason, this.at);
    }
    this.at++;
    return name;
  }
}

/** How many units stand before the place that .NET gives of the token at an index. */
function openingLength(text: string, at: number): number {
  if (text.charCodeAt(at) !== LESS) return 0;
  const next = text.charCodeAt(at + 1);
  if (next === SLASH) return 2;
  if (next !== EXCLAMATION && next !== QUESTION) return 1;
  return OPENINGS.find((opening) => text.startsWith(opening, at))?.length ?? 1;
}

/**
 * The index of the next `&` within a few characters of the same text or value; -1 when there is
 * none.
 */
function nearReference(text: string, from: number, quote: string | undefined): number {
  const end = quote === undefined ? LESS : quote.charCodeAt(0);
  const most = Math.min(text.length, from + MOST_BETWEEN);
  for (let at = from; at < most; at++) {
    const unit = text.charCodeAt(at);
    if (unit === AMPERSAND) return at;
    if (unit === end || unit === LESS || unit === BRACKET) break;
  }
  return -1;
}

/**
 * Adds the character of the reference whose name begins at `from`, if all of it is there and stands
 * for one character.
 * @returns the index behind it, -1 when it is to be read piece by piece.
 */
function addReference(text: string, from: number): number {
  const first = text.charCodeAt(from);
  if (first === HASH) return addCharacter(text, from + 1);
  for (const { written, character } of ENTITIES) {
    if (written.charCodeAt(0) !== first || !text.startsWith(written, from)) continue;
    units.add(character.charCodeAt(0));
    return from + written.length;
  }
  return -1;
}

/** The same of a character reference whose digits, or the `x` before them, begin at `from`. */
function addCharacter(text: string, from: number): number {
  const base = text.charCodeAt(from) === LOWER_X ? 16 : 10;
  const first = base === 16 ? from + 1 : from;
  let point = 0;
  let at = first;
  for (; at < first + MOST_DIGITS && at < text.length; at++) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit >= base) break;
    point = point * base + digit;
  }
  if (at === first || at >= text.length || text.charCodeAt(at) !== SEMICOLON || !isXmlChar(point))
    return -1;
  units.addPoint(point);
  return at + 1;
}
