import type { Limits } from '../../contract/limits.ts';
import { isSpace, nameEnd } from '../chars.ts';
import type { ElementStack } from '../elements/element-stack.ts';
import { overLimit, type XmlPosition, XmlRefusal } from '../errors.ts';
import { readDeclaration } from '../input/declaration.ts';
import type { XmlInput } from '../input/xml-input.ts';
import { Pieces } from './pieces.ts';
import { StartTagScanner, TagStep } from './start-tag.ts';
import { TextWindow } from './text-window.ts';

const EXCLAMATION = 0x21;
const HYPHEN = 0x2d;
const SLASH = 0x2f;
const LESS = 0x3c;
const GREATER = 0x3e;
const QUESTION = 0x3f;
const LETTER_D = 0x44;

const DECLARATION = '<?xml';
const CDATA = '[CDATA[';

/**
 * The states of the scanner. In each state it reads one piece of a token, and can stop anywhere in
 * it.
 */
const State = Object.freeze({
  start: 0,
  declaration: 1,
  outside: 2,
  content: 3,
  reference: 4,
  cdata: 5,
  markup: 6,
  bang: 7,
  comment: 8,
  target: 9,
  afterTarget: 10,
  instruction: 11,
  startTag: 12,
  endName: 13,
  endTag: 14,
});
type State = (typeof State)[keyof typeof State];

/**
 * Splits text into tokens and drives an {@link ElementStack}. The text comes in any pieces and
 * holds only allowed characters, its line ends normalised. Each method for a state returns whether
 * there was enough text.
 */
export class Scanner {
  readonly #elements: ElementStack;
  readonly #input: XmlInput;
  readonly #window: TextWindow;
  readonly #startTag: StartTagScanner;
  /** Text of the innermost element that is not handed on yet. */
  readonly #pieces = new Pieces();
  #state: State = State.start;
  #rootSeen = false;
  /** Bytes of the SOAP header before the window's text, and where in that text it goes on. */
  #headerBytes = 0;
  #headerFrom = 0;

  constructor(elements: ElementStack, input: XmlInput, limits: Limits) {
    this.#elements = elements;
    this.#input = input;
    this.#window = new TextWindow(limits);
    this.#startTag = new StartTagScanner(this.#window, elements);
  }

  /** Work done so far: code units looked at, states taken, names compared. */
  get steps(): number {
    return this.#window.steps + this.#elements.steps;
  }

  /** What is kept right now: code units, records. */
  get held(): number {
    return this.#window.held + this.#pieces.held + this.#startTag.held + this.#elements.held;
  }

  /** Where the token being read, or the error, is. */
  get position(): XmlPosition {
    return this.#window.position;
  }

  get nextToken(): XmlPosition {
    return this.#window.nextToken;
  }

  /**
   * Reads more text.
   * @param lineFeeds how many are in it; -1 when that is not known.
   * @throws {XmlRefusal} after which `position` is where.
   */
  feed(text: string, lineFeeds: number): void {
    if (text === '') return;
    const window = this.#window;
    if (this.#elements.headerDepth > 0) this.#countHeader(window.at);
    this.#headerFrom = 0;
    window.append(text, lineFeeds);
    while (window.at < window.text.length && this.#step());
    this.#pieces.flush(this.#elements);
  }

  /** The document is complete. */
  end(): void {
    const window = this.#window;
    const { length } = window.text;
    const outside = this.#state === State.outside || this.#state === State.start;
    if (outside && this.#rootSeen && window.at === length) return;
    if (outside && window.at === length)
      window.refuse('malformed', 'The root element is missing.', length);
    const open =
      this.#elements.depth > 0 ? `; the element ${this.#elements.name} is not closed` : '';
    window.refuse('malformed', `The document ends too early${open}.`, length);
  }

  /** Refuses the document at the end of what was fed. */
  refuseHere(refusal: XmlRefusal): never {
    this.#window.mark.index = this.#window.text.length;
    throw refusal;
  }

  /** Reads one piece of a token. @returns false when more text is needed. */
  #step(): boolean {
    this.#window.steps++;
    switch (this.#state) {
      case State.content:
        return this.#content();
      case State.markup:
        return this.#markup();
      case State.startTag:
        return this.#takeStartTag();
      case State.endName:
        return this.#endName();
      case State.endTag:
        return this.#endTag();
      case State.reference:
        return this.#reference();
      case State.cdata:
        return this.#cdata();
      case State.outside:
        return this.#outside();
      case State.bang:
        return this.#bang();
      case State.comment:
        return this.#comment();
      case State.target:
        return this.#target();
      case State.afterTarget:
        return this.#afterTarget();
      case State.instruction:
        return this.#instruction();
      case State.start:
        return this.#start();
      case State.declaration:
        return this.#declaration();
    }
  }

  // The start of a document.

  /** Whether the document begins with an XML declaration. */
  #start(): boolean {
    const { text, at } = this.#window;
    if (
      text.length - at <= DECLARATION.length &&
      DECLARATION.startsWith(text.slice(at, at + DECLARATION.length))
    ) {
      return false;
    }
    const declared =
      text.startsWith(DECLARATION, at) && isSpace(text.charCodeAt(at + DECLARATION.length));
    this.#state = declared ? State.declaration : State.outside;
    return true;
  }

  /** Inside an XML declaration: it is read as a whole. */
  #declaration(): boolean {
    const window = this.#window;
    const end = window.text.indexOf('>', window.at);
    const to = end < 0 ? window.text.length : end + 1;
    window.steps += to - window.at;
    window.carried += window.text.slice(window.at, to);
    if (window.carried.length > window.limits.nameChars) {
      throw overLimit(window.limits, 'nameChars', 'The XML declaration', 'characters');
    }
    window.at = to;
    if (end < 0) return false;
    const { encoding } = readDeclaration(window.carried);
    if (encoding !== undefined) this.#input.confirm(encoding);
    window.carried = '';
    this.#state = State.outside;
    return true;
  }

  /** Before or after the root element. */
  #outside(): boolean {
    const window = this.#window;
    const unit = window.skipSpace();
    if (unit < 0) return false;
    if (unit !== LESS) {
      const where = this.#rootSeen ? 'after the root element' : 'before the root element';
      const reason = `Only comments, processing instructions and white space may stand ${where}.`;
      window.refuse('malformed', reason, window.at);
    }
    return this.#beginMarkup();
  }

  // Content of an element.

  /** Text and tags alternate. */
  #content(): boolean {
    const window = this.#window;
    const pieces = this.#pieces;
    do {
      const unit = this.#text();
      if (unit < 0) return false;
      if (unit !== LESS) {
        const characters = pieces.high === 0 ? window.plainReferences() : '';
        if (characters === '') {
          window.beginReference();
          this.#state = State.reference;
          return true;
        }
        this.#keep(characters, 0, characters.length);
        continue;
      }
      pieces.refuseHalf();
      if (this.#expectedLeaves()) continue;
      if (!this.#plainTag() && !this.#beginMarkup()) return false;
    } while (this.#state === State.content && window.at < window.text.length);
    return true;
  }

  /**
   * Text up to the next markup or reference.
   * @returns the code unit there, `<` or `&`; -1 at the end of the text.
   */
  #text(): number {
    const window = this.#window;
    const { text, at } = window;
    if (text.charCodeAt(at) === LESS) return LESS;
    const stop = Math.min(window.less(), window.ampersand());
    if (stop > at) {
      this.#pieces.refuseHalf();
      if (window.cdataEnd() < stop) {
        window.refuse('malformed', "']]>' must not stand in text.", window.cdataEnd());
      }
      const to = stop < text.length ? stop : Math.max(at, stop - heldBrackets(text));
      this.#keep(text, at, to);
      window.at = to;
      if (stop === text.length) return -1;
    }
    return text.charCodeAt(stop);
  }

  /**
   * Keeps the text of the innermost element where it is wanted. Elsewhere text that is more than
   * white space counts as stray.
   */
  #keep(text: string, from: number, to: number): void {
    if (to <= from) return;
    if (this.#elements.wantsText) {
      this.#pieces.add(text.slice(from, to));
      return;
    }
    if (!this.#elements.mindsText) return;
    let at = from;
    while (at < to && isSpace(text.charCodeAt(at))) at++;
    if (at < to) this.#elements.stray();
  }

  /** Inside a reference. */
  #reference(): boolean {
    const name = this.#window.referenceName();
    if (name === undefined) return false;
    const character = this.#pieces.resolve(name);
    this.#keep(character, 0, character.length);
    this.#state = State.content;
    return true;
  }

  /** Inside a CDATA section. */
  #cdata(): boolean {
    const window = this.#window;
    const from = window.at;
    const found = window.find(']]>');
    this.#keep(window.text, from, window.at);
    return found >= 0 && this.#leaveMarkup(found + 3);
  }

  // Markup.

  /**
   * Reads the tag that begins at the `<` here, if all of it is there and it has only its name, as
   * nearly all tags do. This is only a short cut. False when it is to be read piece by piece.
   */
  #plainTag(): boolean {
    const window = this.#window;
    const elements = this.#elements;
    const { text, at } = window;
    if (text.charCodeAt(at + 1) === SLASH) {
      const { name } = elements;
      const end = at + 2 + name.length;
      if (text.charCodeAt(end) !== GREATER || !text.startsWith(name, at + 2)) return false;
      this.#pieces.flush(elements);
      window.markTag(at + 2, end + 1);
      this.#closeElement();
      return true;
    }
    const end = nameEnd(text, at + 1);
    const empty = text.charCodeAt(end) === SLASH;
    const close = empty ? end + 1 : end;
    if (text.charCodeAt(close) !== GREATER || end === at + 1 || end - at > window.limits.nameChars)
      return false;
    this.#pieces.flush(elements);
    window.markTag(at + 1, close + 1);
    elements.start(text.slice(at + 1, end));
    this.#openElement();
    if (empty) this.#closeElement();
    return true;
  }

  /**
   * Reads the elements that begin at the `<` here, one behind the other, while each is there as a
   * whole, is expected, and has plain tags with a text between them. This is only a short cut.
   * False when the first is to be read piece by piece.
   */
  #expectedLeaves(): boolean {
    const window = this.#window;
    const elements = this.#elements;
    const { text, limits } = window;
    const { textChars, nameChars } = limits;
    const first = window.at;
    for (let at = first; ; ) {
      const name = elements.expectedLeaf(text, at);
      if (name === '') return at > first;
      const { length } = name;
      const from = at + length + 2;
      const end = text.indexOf('<', from);
      const behind = end + length + 2;
      const isPlain =
        end >= from &&
        text.charCodeAt(behind) === GREATER &&
        text.charCodeAt(end + 1) === SLASH &&
        text.startsWith(name, end + 2) &&
        end - from <= textChars &&
        length <= nameChars &&
        window.cdataEnd() > end;
      const content = isPlain ? window.resolvedText(from, end) : undefined;
      if (content === undefined) return at > first;
      window.markTag(at + 1, behind + 1);
      elements.leaf(content);
      window.markTag(end + 2, behind + 1);
      at = behind + 1;
      if (text.charCodeAt(at) !== LESS) return true;
    }
  }

  /** Here `<` stands. */
  #beginMarkup(): boolean {
    const window = this.#window;
    window.at++;
    window.mark.index = window.at;
    window.tagMark.index = window.at;
    this.#state = State.markup;
    return window.at < window.text.length && this.#markup();
  }

  /** After `<`. */
  #markup(): boolean {
    const window = this.#window;
    const { at } = window;
    const unit = window.text.charCodeAt(at);
    if (unit === QUESTION || unit === EXCLAMATION) {
      this.#elements.count();
      window.at++;
      window.mark.index = window.at;
      this.#state = unit === QUESTION ? State.target : State.bang;
      if (window.at === window.text.length) return false;
      return unit === QUESTION ? this.#target() : this.#bang();
    }
    this.#pieces.flush(this.#elements);
    if (unit !== SLASH) {
      if (this.#elements.depth === 0 && this.#rootSeen) {
        window.refuse(
          'malformed',
          'A document has one root element; a second one begins here.',
          at,
        );
      }
      this.#rootSeen = true;
      this.#state = State.startTag;
      this.#startTag.begin();
      return this.#takeStartTag();
    }
    if (this.#elements.depth === 0)
      window.refuse('malformed', 'An end tag stands outside any element.', at);
    window.at++;
    window.mark.index = window.at;
    this.#state = State.endName;
    return window.at < window.text.length && this.#endName();
  }

  #takeStartTag(): boolean {
    const step = this.#startTag.step();
    if (step === TagStep.needsText) return false;
    if (step === TagStep.goesOn) return true;
    this.#openElement();
    this.#state = State.content;
    if (step === TagStep.empty) this.#closeElement();
    return true;
  }

  /** The name of an end tag. */
  #endName(): boolean {
    const window = this.#window;
    const { name } = this.#elements;
    const after = window.at + name.length;
    // The common case, without making a string of it.
    if (
      window.carried === '' &&
      window.text.charCodeAt(after) === GREATER &&
      window.text.startsWith(name, window.at)
    ) {
      window.steps += name.length;
      window.at = after + 1;
      this.#closeElement();
      return true;
    }
    const found = window.name();
    if (found === undefined) return false;
    if (found !== name) {
      const what = found === '' ? 'Something else' : `The end tag of ${found}`;
      throw new XmlRefusal('malformed', `${what} stands where the element ${name} must end.`);
    }
    this.#state = State.endTag;
    return this.#endTag();
  }

  /** After the name of an end tag. */
  #endTag(): boolean {
    const window = this.#window;
    const unit = window.skipSpace();
    if (unit < 0) return false;
    if (unit !== GREATER) window.refuse('malformed', "An end tag must end with '>'.", window.at);
    window.at++;
    this.#closeElement();
    return true;
  }

  /** After `<!`. */
  #bang(): boolean {
    const window: TextWindow = this.#window;
    const { text, at } = window;
    const inside = this.#elements.depth > 0;
    const unit = text.charCodeAt(at);
    if (unit === LETTER_D) window.refuse('dtd', 'DTD is prohibited in this XML document.', at);
    if (unit === HYPHEN) {
      if (at + 1 === text.length) return false;
      if (text.charCodeAt(at + 1) !== HYPHEN)
        window.refuse('malformed', "A comment begins with '<!--'.", at + 1);
      window.at = at + 2;
      this.#state = State.comment;
      return this.#comment();
    }
    const given = text.slice(at, at + CDATA.length);
    if (inside && given !== CDATA && CDATA.startsWith(given)) return false;
    if (!inside || given !== CDATA) {
      window.refuse(
        'malformed',
        "After '<!' only a comment or, inside an element, a CDATA section may follow.",
        at,
      );
    }
    window.at = at + CDATA.length;
    this.#state = State.cdata;
    return true;
  }

  // Comments and processing instructions: checked, but not reported.

  #comment(): boolean {
    const window = this.#window;
    const found = window.find('--');
    if (found < 0 || found + 2 === window.text.length) return false;
    if (window.text.charCodeAt(found + 2) !== GREATER) {
      window.refuse('malformed', "'--' must not stand in a comment.", found);
    }
    return this.#leaveMarkup(found + 3);
  }

  /** The name of a processing instruction. */
  #target(): boolean {
    const window: TextWindow = this.#window;
    const name = window.name();
    if (name === undefined) return false;
    if (name === '') {
      window.refuse(
        'malformed',
        "After '<?' the name of a processing instruction must follow.",
        window.at,
      );
    }
    if (name.includes(':')) {
      throw new XmlRefusal(
        'namespace',
        'The name of a processing instruction must not have a colon.',
      );
    }
    if (name.length === 3 && name.toLowerCase() === 'xml') {
      const reason = 'The XML declaration must be the first thing in a document, in small letters.';
      throw new XmlRefusal('malformed', reason);
    }
    this.#state = State.afterTarget;
    return this.#afterTarget();
  }

  /** Behind the name of a processing instruction. */
  #afterTarget(): boolean {
    const window: TextWindow = this.#window;
    const { text, at } = window;
    const unit = text.charCodeAt(at);
    if (isSpace(unit)) {
      this.#state = State.instruction;
      return true;
    }
    if (unit === QUESTION && at + 1 === text.length) return false;
    if (unit === QUESTION && text.charCodeAt(at + 1) === GREATER) return this.#leaveMarkup(at + 2);
    window.refuse(
      'malformed',
      'White space must stand after the name of a processing instruction.',
      at,
    );
  }

  #instruction(): boolean {
    const found = this.#window.find('?>');
    return found >= 0 && this.#leaveMarkup(found + 2);
  }

  // Elements.

  /** The start tag before the place reached is complete. */
  #openElement(): void {
    const elements = this.#elements;
    const inHeader = elements.headerDepth > 0;
    elements.open();
    if (inHeader) this.#boundHeader(this.#window.at - this.#headerFrom);
    else if (elements.headerDepth > 0) {
      this.#headerBytes = 0;
      this.#headerFrom = this.#window.at;
    }
  }

  /** The innermost element ends before the place reached. */
  #closeElement(): void {
    const elements = this.#elements;
    const { at } = this.#window;
    if (elements.headerDepth > 0 && elements.headerDepth === elements.depth) this.#countHeader(at);
    elements.close();
    this.#leaveMarkup(at);
  }

  /** Whether text may follow at an index, or only what may stand outside the root element. */
  #leaveMarkup(at: number): true {
    this.#window.at = at;
    this.#state = this.#elements.depth > 0 ? State.content : State.outside;
    return true;
  }

  /** Counts the header, in bytes of UTF-8, up to an index. */
  #countHeader(to: number): void {
    this.#headerBytes += Buffer.byteLength(this.#window.text.slice(this.#headerFrom, to));
    this.#headerFrom = to;
    this.#boundHeader(0);
  }

  /** @param more at least as many bytes have come since. */
  #boundHeader(more: number): void {
    const { limits } = this.#window;
    if (this.#headerBytes + more <= limits.headerBytes) return;
    throw overLimit(limits, 'headerBytes', 'The SOAP header', 'bytes');
  }
}

/**
 * The length of a text's end that may be the start of `]]>`; it is examined again with the next
 * text.
 */
function heldBrackets(text: string): number {
  if (!text.endsWith(']')) return 0;
  return text.endsWith(']]') ? 2 : 1;
}
