import type { Limits } from '../../engine/limits.ts';
import { isSpace, nameEnd, namePartEnd } from '../chars.ts';
import type { ElementStack } from '../elements/element-stack.ts';
import { overLimit, type XmlErrorCode, type XmlPosition, XmlRefusal } from '../errors.ts';
import type { XmlInput } from '../input/xml-input.ts';
import { LineCounter, Mark } from './position.ts';
import { State } from './state.ts';

const SLASH = 0x2f;
const LESS = 0x3c;

/**
 * The text as far as it has come, the place reached in it, and what the parts of the grammar share. Each code unit is
 * looked at a bounded number of times: names, references and values that the text cuts are carried over, of everything
 * else at most eight units are looked at again with the next text.
 */
export class Scan {
  readonly elements: ElementStack;
  readonly input: XmlInput;
  readonly limits: Limits;
  state: State = State.start;
  text = '';
  at = 0;
  /** The part of a name, declaration or reference that came before this text. */
  carried = '';
  /** Start of the tag, and of the token in it, that is being read: where an error is reported. */
  readonly tagMark = new Mark();
  readonly mark = new Mark();
  /** Code units looked at, and states taken. */
  steps = 0;
  rootSeen = false;
  readonly #lines = new LineCounter();
  /** Line feeds in the text, -1 when not counted. */
  #lineFeeds = -1;
  // The next such character at or after `at`, the text's length when there is none; stale when before it.
  #nextLess = -1;
  #nextAmpersand = -1;
  #nextCdataEnd = -1;
  #nextQuote = -1;
  #nextApostrophe = -1;
  /** Bytes of the SOAP header before this text, and where in this text it goes on. */
  #headerBytes = 0;
  #headerFrom = 0;

  constructor(elements: ElementStack, input: XmlInput, limits: Limits) {
    this.elements = elements;
    this.input = input;
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
    this.#lines.locate(text, this.mark);
    if (text.charCodeAt(at) !== LESS) return this.#lines.peek(text, at);
    return this.#lines.peek(text, text.charCodeAt(at + 1) === SLASH ? at + 2 : at + 1);
  }

  /** Adds text; what lies before `at` is dropped. @param lineFeeds in the text, -1 when unknown. */
  append(text: string, lineFeeds: number): void {
    if (this.elements.headerDepth > 0) this.#countHeader(this.at);
    this.#headerFrom = 0;
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

  /** The start tag before `at` is complete. */
  openElement(): void {
    const { elements } = this;
    const inHeader = elements.headerDepth > 0;
    elements.open();
    if (inHeader) this.#boundHeader(this.at - this.#headerFrom);
    else if (elements.headerDepth > 0) {
      this.#headerBytes = 0;
      this.#headerFrom = this.at;
    }
  }

  /** The innermost element ends before `at`. */
  closeElement(): void {
    const { elements } = this;
    if (elements.headerDepth > 0 && elements.headerDepth === elements.depth) this.#countHeader(this.at);
    elements.close();
    this.leaveMarkup(this.at);
  }

  /** Whether text may follow here, or only what may stand outside the root element. */
  leaveMarkup(at: number): true {
    this.at = at;
    this.state = this.elements.depth > 0 ? State.content : State.outside;
    return true;
  }

  /**
   * Reads a name, or more of one. Undefined while it may go on in the next text; `''` when what stands here does not
   * begin a name.
   */
  name(): string | undefined {
    const { text, at: from, carried } = this;
    const at = carried === '' ? nameEnd(text, from) : namePartEnd(text, from);
    const length = carried.length + at - from;
    this.at = at;
    this.steps += at - from;
    if (length > this.limits.nameChars) throw overLimit(this.limits, 'nameChars', 'A name', 'characters');
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

  /** Goes to where `end` begins, or may begin with the next text. Its index; -1 when it is not there in full. */
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
    if (this.#nextCdataEnd < this.at) this.#nextCdataEnd = this.#next(']]>');
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

  /** Counts the header, in bytes of UTF-8, up to here. */
  #countHeader(to: number): void {
    this.#headerBytes += Buffer.byteLength(this.text.slice(this.#headerFrom, to));
    this.#headerFrom = to;
    this.#boundHeader(0);
  }

  /** @param more at least as many bytes have come since. */
  #boundHeader(more: number): void {
    if (this.#headerBytes + more <= this.limits.headerBytes) return;
    throw overLimit(this.limits, 'headerBytes', 'The SOAP header', 'bytes');
  }
}
