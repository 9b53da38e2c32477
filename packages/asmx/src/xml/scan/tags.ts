import { nameEnd } from '../chars.ts';
import { overLimit } from '../errors.ts';
import { beginReference, plainReference, readReference } from './character-data.ts';
import type { Pieces } from './pieces.ts';
import type { Scan } from './scan.ts';
import { State } from './state.ts';

const SLASH = 0x2f;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const BLANK = 0x20;
const QUOTE = 0x22;
const AMPERSAND = 0x26;
const APOSTROPHE = 0x27;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;

/** Start tags, and whole tags of either kind. Each method takes one piece and says whether there was text enough for it. */
export class TagScanner {
  readonly #scan: Scan;
  readonly #pieces: Pieces;
  /** The attribute being read. */
  #attribute = '';
  /** The quote that ends its value. */
  #quote = '"';
  /** White space was seen since the last attribute. */
  #spaced = false;

  constructor(scan: Scan, pieces: Pieces) {
    this.#scan = scan;
    this.#pieces = pieces;
  }

  /**
   * Reads the tag that begins at the `<` here, if all of it is there and it has nothing but its name, as nearly all
   * tags: no more than a short cut. False when it is to be read piece by piece.
   */
  plain(): boolean {
    const scan = this.#scan;
    const { text, elements, at } = scan;
    if (text.charCodeAt(at + 1) === SLASH) {
      const { name } = elements;
      const end = at + 2 + name.length;
      if (text.charCodeAt(end) !== GREATER || !text.startsWith(name, at + 2)) return false;
      this.#pieces.flush(elements);
      scan.markTag(at + 2, end + 1);
      scan.closeElement();
      return true;
    }
    const end = nameEnd(text, at + 1);
    const empty = text.charCodeAt(end) === SLASH;
    const close = empty ? end + 1 : end;
    if (text.charCodeAt(close) !== GREATER || end === at + 1 || end - at > scan.limits.nameChars) return false;
    this.#pieces.flush(elements);
    scan.markTag(at + 1, close + 1);
    elements.start(text.slice(at + 1, end));
    scan.openElement();
    if (empty) scan.closeElement();
    return true;
  }

  startName(): boolean {
    const scan = this.#scan;
    const name = scan.name();
    if (name === undefined) return false;
    if (name === '') scan.refuse('malformed', "'<' must begin a tag; write &lt; for the character itself.", scan.at);
    scan.elements.start(name);
    scan.rootSeen = true;
    this.#spaced = false;
    scan.state = State.tag;
    return this.tag();
  }

  /** Between attributes. */
  tag(): boolean {
    const scan = this.#scan;
    while (true) {
      const from = scan.at;
      const unit = scan.skipSpace();
      if (scan.at > from) this.#spaced = true;
      if (unit < 0) return false;
      if (unit === GREATER) return this.#endStart(false);
      if (unit === SLASH) {
        scan.at++;
        scan.state = State.emptyEnd;
        return true;
      }
      if (!this.#spaced) scan.refuse('malformed', 'White space must stand before an attribute.', scan.at);
      scan.mark.index = scan.at;
      if (this.#plainAttribute()) continue;
      scan.state = State.attributeName;
      if (!this.attributeName()) return false;
      if ((scan.state as State) !== State.tag) return true;
    }
  }

  /** As {@link plain}, for the attribute that begins here: `name="value"` without references or odd white space. */
  #plainAttribute(): boolean {
    const scan = this.#scan;
    const { text, at } = scan;
    const { nameChars, attributeValueChars } = scan.limits;
    const name = nameEnd(text, at);
    if (name === at || name - at > nameChars || text.charCodeAt(name) !== EQUALS) return false;
    const unit = text.charCodeAt(name + 1);
    if (unit !== QUOTE && unit !== APOSTROPHE) return false;
    const from = name + 2;
    scan.at = from;
    const end = scan.quote(unit === QUOTE ? '"' : "'");
    if (end === text.length || end > scan.less() || end > scan.ampersand() || end - from > attributeValueChars) {
      scan.at = at;
      return false;
    }
    scan.steps += from - at;
    scan.at = end + 1;
    scan.elements.attribute(text.slice(at, name), withBlanks(text.slice(from, end)));
    this.#spaced = false;
    return true;
  }

  attributeName(): boolean {
    const scan = this.#scan;
    const name = scan.name();
    if (name === undefined) return false;
    if (name === '') scan.refuse('malformed', "Here an attribute, '>' or '/>' must stand.", scan.at);
    this.#attribute = name;
    scan.state = State.equals;
    return this.equals();
  }

  equals(): boolean {
    const scan = this.#scan;
    const unit = scan.skipSpace();
    if (unit < 0) return false;
    if (unit !== EQUALS) {
      scan.refuse('malformed', `The attribute ${this.#attribute} must have a value: name="value".`, scan.at);
    }
    scan.at++;
    scan.state = State.quote;
    return this.quote();
  }

  quote(): boolean {
    const scan = this.#scan;
    const unit = scan.skipSpace();
    if (unit < 0) return false;
    if (unit !== QUOTE && unit !== APOSTROPHE) {
      scan.refuse('malformed', `The value of the attribute ${this.#attribute} must stand in quotes.`, scan.at);
    }
    this.#quote = unit === QUOTE ? '"' : "'";
    scan.at++;
    scan.state = State.value;
    return this.value();
  }

  value(): boolean {
    const scan = this.#scan;
    const pieces = this.#pieces;
    const { text } = scan;
    while (true) {
      const { at } = scan;
      const stop = Math.min(scan.quote(this.#quote), scan.less(), scan.ampersand());
      if (stop > at) {
        pieces.refuseHalf();
        pieces.add(withBlanks(text.slice(at, stop)));
        this.#boundValue();
      }
      scan.at = stop;
      if (stop === text.length) return false;
      if (text.charCodeAt(stop) !== AMPERSAND) return this.#endValue();
      const character = plainReference(scan, pieces);
      if (character === '') return beginReference(scan, State.valueReference);
      pieces.add(character);
      this.#boundValue();
    }
  }

  /** Here the closing quote stands, or `<`, which must not. */
  #endValue(): true {
    const scan = this.#scan;
    this.#pieces.refuseHalf();
    if (scan.text.charCodeAt(scan.at) === LESS) {
      scan.refuse('malformed', "'<' must not stand in an attribute value; write &lt;.", scan.at);
    }
    scan.at++;
    scan.elements.attribute(this.#attribute, this.#pieces.take());
    this.#spaced = false;
    scan.state = State.tag;
    return true;
  }

  /** Inside a reference in the value. */
  valueReference(): boolean {
    const character = readReference(this.#scan, this.#pieces);
    if (character === undefined) return false;
    if (character !== '') this.#pieces.add(character);
    this.#boundValue();
    this.#scan.state = State.value;
    return true;
  }

  /** After `/` in a start tag. */
  emptyEnd(): boolean {
    const scan = this.#scan;
    if (scan.text.charCodeAt(scan.at) !== GREATER) {
      scan.refuse('malformed', "'/' in a tag must be followed by '>'.", scan.at);
    }
    return this.#endStart(true);
  }

  #boundValue(): void {
    const { limits } = this.#scan;
    if (this.#pieces.length <= limits.attributeValueChars) return;
    throw overLimit(limits, 'attributeValueChars', `The value of the attribute ${this.#attribute}`, 'characters');
  }

  #endStart(empty: boolean): true {
    const scan = this.#scan;
    scan.at++;
    scan.mark.set(scan.tagMark);
    scan.openElement();
    scan.state = State.content;
    if (empty) scan.closeElement();
    return true;
  }
}

/** White space in attribute values is blanks (XML 1.0 section 3.3.3). */
function withBlanks(value: string): string {
  if (!value.includes('\n') && !value.includes('\t')) return value;
  // Not replace, whose result is a chain of as many strings as there were matches, and is kept.
  const units = Buffer.from(value, 'utf16le');
  for (let i = 0; i < units.length; i += 2) {
    if (units[i + 1] === 0 && (units[i] === TAB || units[i] === LINE_FEED)) units[i] = BLANK;
  }
  return units.toString('utf16le');
}
