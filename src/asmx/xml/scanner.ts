import type { Limits } from '../limits.ts';
import { isNameStartUnit, isNameUnit, isSpace } from './chars.ts';
import { readDeclaration } from './declaration.ts';
import type { ElementStack } from './elements.ts';
import type { XmlInput } from './encoding.ts';
import { overLimit, Refusal, type XmlErrorCode, type XmlPosition } from './errors.ts';
import { LineCounter, Mark } from './position.ts';
import { isSurrogate, joinSurrogates, loneSurrogate, resolveReference } from './references.ts';

/** Where in the grammar the scanner stands. Each state takes one piece of a token and can stop at any code unit. */
type State =
  | 'start'
  | 'declaration'
  | 'outside'
  | 'content'
  | 'markup'
  | 'bang'
  | 'comment'
  | 'cdata'
  | 'target'
  | 'afterTarget'
  | 'instruction'
  | 'startName'
  | 'tag'
  | 'attributeName'
  | 'equals'
  | 'quote'
  | 'value'
  | 'emptyEnd'
  | 'endName'
  | 'endTag'
  | 'reference';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const HASH = 0x23;
const AMPERSAND = 0x26;
const APOSTROPHE = 0x27;
const HYPHEN = 0x2d;
const SLASH = 0x2f;
const SEMICOLON = 0x3b;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION = 0x3f;

const DECLARATION = '<?xml';
const CDATA = '[CDATA[';

/**
 * Splits text into tokens and drives an {@link ElementStack}. The text comes in any pieces and holds only allowed
 * characters, its line ends normalised. Each code unit is looked at a bounded number of times: names, values and
 * references that a piece cuts are carried over as they are, everything else leaves at most eight units to look at again.
 */
export class Scanner {
  readonly #elements: ElementStack;
  readonly #input: XmlInput;
  readonly #limits: Limits;
  readonly #lines = new LineCounter();
  /** Start of the tag, and of the token in it, that is being read: where an error is reported. */
  readonly #tagMark = new Mark();
  readonly #mark = new Mark();
  #state: State = 'start';
  #text = '';
  #at = 0;
  #steps = 0;
  /** The part of a name, declaration or reference that came before this text. */
  #carried = '';
  #attributeName = '';
  /** Which quote ends the attribute value. */
  #quote = '"';
  /** White space was seen since the last attribute. */
  #spaced = false;
  /** Text (of the element or the attribute) not handed on yet, and its length. */
  #pieces: string[] = [];
  #valueLength = 0;
  /** A reference to the first half of a surrogate pair, waiting for the second; 0 for none. */
  #high = 0;
  #inValue = false;
  #rootSeen = false;
  #headerBytes = 0;
  #headerFrom = 0;
  // The next such character at or after #at, the text's length when there is none; stale when before #at.
  #nextLess = -1;
  #nextAmpersand = -1;
  #nextCdataEnd = -1;

  constructor(elements: ElementStack, input: XmlInput, limits: Limits) {
    this.#elements = elements;
    this.#input = input;
    this.#limits = limits;
  }

  get steps(): number {
    return this.#steps + this.#elements.steps;
  }

  /** Where the token being read, or the error, is. */
  get position(): XmlPosition {
    return this.#lines.locate(this.#text, this.#mark);
  }

  /** Reads more text. @throws {Refusal} after which `position` is where. */
  feed(text: string): void {
    if (text === '') return;
    this.#append(text);
    while (this.#at < this.#text.length && this.#step());
    this.#flush();
    if (this.#elements.headerDepth > 0) this.#countHeader(this.#at);
  }

  /** The document is complete. */
  end(): void {
    if (this.#state === 'start') this.#state = 'outside';
    if (this.#state === 'outside' && this.#rootSeen && this.#at === this.#text.length) return;
    if (this.#state === 'outside') this.#refuse('malformed', 'The root element is missing.', this.#text.length);
    const open = this.#elements.depth > 0 ? `; the element ${this.#elements.name} is not closed` : '';
    this.#refuse('malformed', `The document ends too early${open}.`, this.#text.length);
  }

  /** Refuses the document at the end of what was fed. */
  refuseHere(refusal: Refusal): never {
    this.#mark.index = this.#text.length;
    throw refusal;
  }

  #append(text: string): void {
    this.#lines.drop(
      this.#text,
      this.#at,
      this.#tagMark.index <= this.#mark.index ? [this.#tagMark, this.#mark] : [this.#mark],
    );
    this.#text = this.#at === this.#text.length ? text : this.#text.slice(this.#at) + text;
    this.#at = 0;
    this.#headerFrom = 0;
    this.#nextLess = -1;
    this.#nextAmpersand = -1;
    this.#nextCdataEnd = -1;
  }

  /** Takes one piece of a token. False when more text is needed. */
  #step(): boolean {
    this.#steps++;
    switch (this.#state) {
      case 'content':
        return this.#content();
      case 'markup':
        return this.#markup();
      case 'startName':
        return this.#startName();
      case 'tag':
        return this.#tag();
      case 'attributeName':
        return this.#readAttributeName();
      case 'equals':
        return this.#equals();
      case 'quote':
        return this.#openQuote();
      case 'value':
        return this.#value();
      case 'emptyEnd':
        return this.#emptyEnd();
      case 'endName':
        return this.#endName();
      case 'endTag':
        return this.#endTag();
      case 'reference':
        return this.#reference();
      case 'outside':
        return this.#outside();
      case 'bang':
        return this.#bang();
      case 'comment':
        return this.#comment();
      case 'cdata':
        return this.#cdata();
      case 'target':
        return this.#target();
      case 'afterTarget':
        return this.#afterTarget();
      case 'instruction':
        return this.#instruction();
      case 'start':
        return this.#start();
      case 'declaration':
        return this.#declaration();
    }
  }

  #refuse(code: XmlErrorCode, reason: string, at: number): never {
    this.#mark.index = at;
    throw new Refusal(code, reason);
  }

  // ---- prolog -------------------------------------------------------------------------------------------------

  #start(): boolean {
    const rest = this.#text.length - this.#at;
    if (rest <= DECLARATION.length && DECLARATION.startsWith(this.#text.slice(this.#at, this.#at + 5))) return false;
    const declared = this.#text.startsWith(DECLARATION, this.#at) && isSpace(this.#text.charCodeAt(this.#at + 5));
    this.#state = declared ? 'declaration' : 'outside';
    return true;
  }

  #declaration(): boolean {
    const end = this.#text.indexOf('>', this.#at);
    const to = end < 0 ? this.#text.length : end + 1;
    this.#steps += to - this.#at;
    this.#carried += this.#text.slice(this.#at, to);
    if (this.#carried.length > this.#limits.nameChars) {
      throw overLimit(this.#limits, 'nameChars', 'The XML declaration', 'characters');
    }
    this.#at = to;
    if (end < 0) return false;
    const { encoding } = readDeclaration(this.#carried);
    if (encoding !== undefined) this.#input.confirm(encoding);
    this.#carried = '';
    this.#state = 'outside';
    return true;
  }

  /** Before or after the root element. */
  #outside(): boolean {
    if (!this.#skipSpace()) return false;
    if (this.#text.charCodeAt(this.#at) !== LESS) {
      const where = this.#rootSeen ? 'after the root element' : 'before the root element';
      this.#refuse('malformed', `Only comments, processing instructions and white space may stand ${where}.`, this.#at);
    }
    this.#beginMarkup();
    return true;
  }

  // ---- text ---------------------------------------------------------------------------------------------------

  #content(): boolean {
    const { length } = this.#text;
    const stop = Math.min(this.#less(), this.#ampersand());
    if (stop > this.#at) {
      if (this.#high !== 0) this.#refuseSurrogate();
      const text = this.#text;
      if (this.#cdataEnd() < stop) this.#refuse('malformed', "']]>' must not stand in text.", this.#nextCdataEnd);
      // What could be the start of that is looked at again with the next text.
      const held = stop < length ? 0 : text.endsWith(']]') ? 2 : text.endsWith(']') ? 1 : 0;
      const to = Math.max(this.#at, stop - held);
      if (this.#elements.wantsText && to > this.#at) this.#pieces.push(text.slice(this.#at, to));
      this.#at = to;
      if (stop === length) return false;
    }
    if (this.#text.charCodeAt(stop) === LESS) {
      if (this.#high !== 0) this.#refuseSurrogate();
      this.#beginMarkup();
    } else this.#beginReference(false);
    return true;
  }

  /** Hands the collected text on. */
  #flush(): void {
    if (this.#pieces.length === 0 || this.#inValue || this.#inTag()) return;
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#elements.text(pieces.length === 1 ? pieces[0]! : pieces.join(''));
  }

  #inTag(): boolean {
    return this.#state === 'value' || (this.#state === 'reference' && this.#inValue);
  }

  #beginReference(inValue: boolean): void {
    this.#inValue = inValue;
    this.#mark.index = this.#at;
    this.#at++;
    this.#state = 'reference';
  }

  #reference(): boolean {
    if (this.#carried === '' && this.#text.charCodeAt(this.#at) === HASH) {
      this.#carried = '#';
      this.#at++;
    }
    const name = this.#name();
    if (name === undefined) return false;
    if (this.#text.charCodeAt(this.#at) !== SEMICOLON || name === '') {
      this.#refuse(
        'malformed',
        "'&' must begin a reference that ends with ';'; write &amp; for the character itself.",
        this.#at,
      );
    }
    this.#at++;
    const inValue = this.#inValue;
    const point = this.#pair(resolveReference(name));
    if (point !== 0 && (inValue || this.#elements.wantsText)) this.#collect(String.fromCodePoint(point));
    this.#inValue = inValue;
    this.#state = inValue ? 'value' : 'content';
    if (!inValue) this.#inValue = false;
    return true;
  }

  /** The character that a reference stands for; 0 for the first half of a pair, which is kept. */
  #pair(point: number): number {
    if (this.#high !== 0) {
      const joined = joinSurrogates(this.#high, point);
      this.#high = 0;
      return joined;
    }
    if (!isSurrogate(point)) return point;
    if (point >= 0xdc00) throw loneSurrogate();
    this.#high = point;
    return 0;
  }

  #refuseSurrogate(): never {
    throw loneSurrogate();
  }

  #collect(piece: string): void {
    this.#pieces.push(piece);
    if (this.#inValue) this.#grow(piece.length);
  }

  // ---- markup -------------------------------------------------------------------------------------------------

  #beginMarkup(): void {
    this.#at++;
    this.#mark.index = this.#at;
    this.#tagMark.index = this.#at;
    this.#state = 'markup';
  }

  #markup(): boolean {
    const unit = this.#text.charCodeAt(this.#at);
    if (unit === SLASH) {
      if (this.#elements.depth === 0) this.#refuse('malformed', 'An end tag stands outside any element.', this.#at);
      this.#flush();
      this.#at++;
      this.#mark.index = this.#at;
      this.#state = 'endName';
    } else if (unit === QUESTION) {
      this.#at++;
      this.#mark.index = this.#at;
      this.#state = 'target';
    } else if (unit === 0x21) {
      this.#at++;
      this.#state = 'bang';
    } else {
      if (this.#elements.depth === 0 && this.#rootSeen) {
        this.#refuse('malformed', 'A document has one root element; a second one begins here.', this.#at);
      }
      this.#flush();
      this.#state = 'startName';
    }
    return true;
  }

  #startName(): boolean {
    const name = this.#name();
    if (name === undefined) return false;
    if (name === '') this.#refuse('malformed', "'<' must begin a tag; write &lt; for the character itself.", this.#at);
    this.#elements.start(name);
    this.#rootSeen = true;
    this.#spaced = false;
    this.#state = 'tag';
    return true;
  }

  /** Inside a start tag, between attributes. */
  #tag(): boolean {
    const from = this.#at;
    const more = this.#skipSpace();
    if (this.#at > from) this.#spaced = true;
    if (!more) return false;
    const unit = this.#text.charCodeAt(this.#at);
    if (unit === GREATER) this.#endStartTag(false);
    else if (unit === SLASH) {
      this.#at++;
      this.#state = 'emptyEnd';
    } else {
      if (!this.#spaced) this.#refuse('malformed', 'White space must stand before an attribute.', this.#at);
      this.#mark.index = this.#at;
      this.#state = 'attributeName';
    }
    return true;
  }

  #emptyEnd(): boolean {
    if (this.#text.charCodeAt(this.#at) !== GREATER)
      this.#refuse('malformed', "'/' in a tag must be followed by '>'.", this.#at);
    this.#endStartTag(true);
    return true;
  }

  #endStartTag(empty: boolean): void {
    this.#at++;
    this.#mark.index = this.#tagMark.index;
    this.#mark.line = this.#tagMark.line;
    this.#mark.column = this.#tagMark.column;
    const inHeader = this.#elements.headerDepth > 0;
    this.#elements.open();
    if (inHeader) this.#checkHeader(this.#at - this.#headerFrom);
    else if (this.#elements.headerDepth > 0) {
      this.#headerBytes = 0;
      this.#headerFrom = this.#at;
    }
    if (empty) this.#elements.close();
    this.#state = this.#elements.depth > 0 ? 'content' : 'outside';
  }

  #readAttributeName(): boolean {
    const name = this.#name();
    if (name === undefined) return false;
    if (name === '') this.#refuse('malformed', "Here an attribute, '>' or '/>' must stand.", this.#at);
    this.#attributeName = name;
    this.#state = 'equals';
    return true;
  }

  #equals(): boolean {
    if (!this.#skipSpace()) return false;
    if (this.#text.charCodeAt(this.#at) !== EQUALS) {
      this.#refuse('malformed', `The attribute ${this.#attributeName} must have a value: name="value".`, this.#at);
    }
    this.#at++;
    this.#state = 'quote';
    return true;
  }

  #openQuote(): boolean {
    if (!this.#skipSpace()) return false;
    const unit = this.#text.charCodeAt(this.#at);
    if (unit !== QUOTE && unit !== APOSTROPHE) {
      this.#refuse('malformed', `The value of the attribute ${this.#attributeName} must stand in quotes.`, this.#at);
    }
    this.#quote = unit === QUOTE ? '"' : "'";
    this.#at++;
    this.#valueLength = 0;
    this.#inValue = true;
    this.#state = 'value';
    return true;
  }

  #value(): boolean {
    const text = this.#text;
    const from = this.#at;
    const found = text.indexOf(this.#quote, from);
    const end = found < 0 ? text.length : found;
    const stop = Math.min(end, this.#less(), this.#ampersand());
    this.#steps += stop - from;
    if (stop > from) {
      if (this.#high !== 0) this.#refuseSurrogate();
      this.#grow(stop - from);
      this.#pieces.push(withBlanks(text.slice(from, stop)));
    }
    this.#at = stop;
    if (stop === text.length) return false;
    const unit = text.charCodeAt(stop);
    if (unit === AMPERSAND) this.#beginReference(true);
    else if (this.#high !== 0) this.#refuseSurrogate();
    else if (unit === LESS) this.#refuse('malformed', "'<' must not stand in an attribute value; write &lt;.", stop);
    else {
      const pieces = this.#pieces;
      const value = pieces.length === 1 ? pieces[0]! : pieces.join('');
      this.#pieces = [];
      this.#inValue = false;
      this.#at++;
      this.#elements.attribute(this.#attributeName, value);
      this.#spaced = false;
      this.#state = 'tag';
    }
    return true;
  }

  #grow(length: number): void {
    this.#valueLength += length;
    if (this.#valueLength > this.#limits.attributeValueChars) {
      throw overLimit(
        this.#limits,
        'attributeValueChars',
        `The value of the attribute ${this.#attributeName}`,
        'characters',
      );
    }
  }

  #endName(): boolean {
    const { name } = this.#elements;
    const after = this.#at + name.length;
    if (this.#carried === '' && after < this.#text.length && this.#text.startsWith(name, this.#at)) {
      if (this.#text.charCodeAt(after) === GREATER) {
        this.#at = after;
        this.#steps += name.length;
        this.#state = 'endTag';
        return true;
      }
    }
    const found = this.#name();
    if (found === undefined) return false;
    if (found !== name) {
      const shown = found === '' ? 'Here' : `The end tag of ${found} stands where`;
      throw new Refusal('malformed', `${shown} the element ${name} must end.`);
    }
    this.#state = 'endTag';
    return true;
  }

  #endTag(): boolean {
    if (!this.#skipSpace()) return false;
    if (this.#text.charCodeAt(this.#at) !== GREATER)
      this.#refuse('malformed', "An end tag must end with '>'.", this.#at);
    this.#at++;
    if (this.#elements.headerDepth === this.#elements.depth) this.#countHeader(this.#at);
    this.#elements.close();
    this.#state = this.#elements.depth > 0 ? 'content' : 'outside';
    return true;
  }

  /** After `<!`. */
  #bang(): boolean {
    const text = this.#text;
    const at = this.#at;
    const unit = text.charCodeAt(at);
    if (unit === 0x44) this.#refuse('dtd', 'DTD is prohibited in this XML document.', at);
    if (unit === HYPHEN) {
      if (at + 1 === text.length) return false;
      if (text.charCodeAt(at + 1) !== HYPHEN) this.#refuse('malformed', "A comment begins with '<!--'.", at + 1);
      this.#at = at + 2;
      this.#state = 'comment';
      return true;
    }
    const given = text.slice(at, at + CDATA.length);
    if (given === CDATA && this.#elements.depth > 0) {
      this.#at = at + CDATA.length;
      this.#state = 'cdata';
      return true;
    }
    if (this.#elements.depth > 0 && CDATA.startsWith(given)) return false;
    this.#refuse('malformed', "After '<!' only a comment or, inside an element, a CDATA section may follow.", at);
  }

  #comment(): boolean {
    const found = this.#find('--');
    if (found < 0) return false;
    if (found + 2 === this.#text.length) return false;
    if (this.#text.charCodeAt(found + 2) !== GREATER)
      this.#refuse('malformed', "'--' must not stand in a comment.", found);
    this.#afterMarkup(found + 3);
    return true;
  }

  #cdata(): boolean {
    const from = this.#at;
    const found = this.#find(']]>');
    if (this.#elements.wantsText && this.#at > from) this.#pieces.push(this.#text.slice(from, this.#at));
    if (found < 0) return false;
    this.#afterMarkup(found + 3);
    return true;
  }

  #target(): boolean {
    const name = this.#name();
    if (name === undefined) return false;
    if (name === '')
      this.#refuse('malformed', "After '<?' the name of a processing instruction must follow.", this.#at);
    if (name.includes(':'))
      throw new Refusal('namespace', 'The name of a processing instruction must not have a colon.');
    if (name.toLowerCase() === 'xml') {
      throw new Refusal(
        'malformed',
        'The XML declaration must be the first thing in a document, in small letters, and nothing may stand before it.',
      );
    }
    this.#state = 'afterTarget';
    return true;
  }

  #afterTarget(): boolean {
    const unit = this.#text.charCodeAt(this.#at);
    if (unit !== QUESTION && !isSpace(unit)) {
      this.#refuse('malformed', 'White space must stand after the name of a processing instruction.', this.#at);
    }
    if (unit !== QUESTION) {
      this.#state = 'instruction';
      return true;
    }
    if (this.#at + 1 === this.#text.length) return false;
    if (this.#text.charCodeAt(this.#at + 1) !== GREATER) {
      this.#refuse('malformed', 'White space must stand after the name of a processing instruction.', this.#at);
    }
    this.#afterMarkup(this.#at + 2);
    return true;
  }

  #instruction(): boolean {
    const found = this.#find('?>');
    if (found < 0) return false;
    this.#afterMarkup(found + 2);
    return true;
  }

  #afterMarkup(at: number): void {
    this.#at = at;
    this.#state = this.#elements.depth > 0 ? 'content' : 'outside';
  }

  // ---- pieces -------------------------------------------------------------------------------------------------

  /**
   * Reads name characters from here. Undefined while the name may go on in the next text; `''` when what stands here
   * does not begin a name.
   */
  #name(): string | undefined {
    const text = this.#text;
    const { length } = text;
    const from = this.#at;
    let at = from;
    if (this.#carried === '' && !isNameStartUnit(text.charCodeAt(at))) return '';
    while (at < length && isNameUnit(text.charCodeAt(at))) at++;
    this.#at = at;
    this.#steps += at - from;
    if (this.#carried.length + at - from > this.#limits.nameChars) {
      throw overLimit(this.#limits, 'nameChars', 'A name', 'characters');
    }
    if (at === length) {
      this.#carried += text.slice(from, at);
      return undefined;
    }
    const name = this.#carried + text.slice(from, at);
    this.#carried = '';
    return name;
  }

  /** Skips white space. False when the text is at its end. */
  #skipSpace(): boolean {
    const text = this.#text;
    const { length } = text;
    let at = this.#at;
    while (at < length && isSpace(text.charCodeAt(at))) at++;
    this.#steps += at - this.#at;
    this.#at = at;
    return at < length;
  }

  /** Goes to where `end` begins, or may begin with the next text. Its index; -1 when it is not there in full. */
  #find(end: string): number {
    const text = this.#text;
    const found = text.indexOf(end, this.#at);
    const from = this.#at;
    if (found >= 0) this.#at = found;
    else {
      let held = end.length - 1;
      while (held > 0 && !text.endsWith(end.slice(0, held))) held--;
      this.#at = Math.max(this.#at, text.length - held);
    }
    this.#steps += this.#at - from;
    return found;
  }

  #less(): number {
    if (this.#nextLess < this.#at) this.#nextLess = this.#next('<');
    return this.#nextLess;
  }

  #ampersand(): number {
    if (this.#nextAmpersand < this.#at) this.#nextAmpersand = this.#next('&');
    return this.#nextAmpersand;
  }

  #cdataEnd(): number {
    if (this.#nextCdataEnd < this.#at) this.#nextCdataEnd = this.#next(']]>');
    return this.#nextCdataEnd;
  }

  #next(what: string): number {
    const found = this.#text.indexOf(what, this.#at);
    const next = found < 0 ? this.#text.length : found;
    this.#steps += next - this.#at;
    return next;
  }

  // ---- SOAP header --------------------------------------------------------------------------------------------

  /** Counts the header's bytes, as UTF-8, up to here. */
  #countHeader(to: number): void {
    this.#headerBytes += Buffer.byteLength(this.#text.slice(this.#headerFrom, to));
    this.#headerFrom = to;
    this.#checkHeader(0);
  }

  #checkHeader(more: number): void {
    if (this.#headerBytes + more > this.#limits.headerBytes) {
      throw overLimit(this.#limits, 'headerBytes', 'The SOAP header', 'bytes');
    }
  }
}

/** White space in attribute values is blanks (XML 1.0 section 3.3.3). */
function withBlanks(value: string): string {
  for (let i = 0; i < value.length; i++) {
    const unit = value.charCodeAt(i);
    if (unit === TAB || unit === LINE_FEED) return value.replaceAll('\t', ' ').replaceAll('\n', ' ');
  }
  return value;
}
