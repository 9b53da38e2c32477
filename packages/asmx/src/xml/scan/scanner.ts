import type { Limits } from '../../engine/limits.ts';
import type { ElementStack } from '../elements/element-stack.ts';
import type { XmlPosition, XmlRefusal } from '../errors.ts';
import type { XmlInput } from '../input/xml-input.ts';
import { afterTarget, comment, instruction, target } from './asides.ts';
import { beginReference, cdata, plainReference, readText, reference } from './character-data.ts';
import { endName, endTag } from './end-tags.ts';
import { Pieces } from './pieces.ts';
import { declaration, start } from './prolog.ts';
import { Scan } from './scan.ts';
import { State } from './state.ts';
import { TagScanner } from './tags.ts';

const EXCLAMATION = 0x21;
const HYPHEN = 0x2d;
const SLASH = 0x2f;
const LESS = 0x3c;
const QUESTION = 0x3f;
const LETTER_D = 0x44;

const CDATA = '[CDATA[';

/**
 * Splits text into tokens and drives an {@link ElementStack}. The text comes in any pieces and holds only allowed
 * characters, its line ends normalised.
 */
export class Scanner {
  readonly #scan: Scan;
  readonly #pieces = new Pieces();
  readonly #tags: TagScanner;

  constructor(elements: ElementStack, input: XmlInput, limits: Limits) {
    this.#scan = new Scan(elements, input, limits);
    this.#tags = new TagScanner(this.#scan, this.#pieces);
  }

  /** Work done so far: code units looked at, states taken, names compared. */
  get steps(): number {
    return this.#scan.steps + this.#scan.elements.steps;
  }

  /** What is kept right now: code units, records. */
  get held(): number {
    return this.#scan.held + this.#pieces.held + this.#scan.elements.held;
  }

  /** Where the token being read, or the error, is. */
  get position(): XmlPosition {
    return this.#scan.position;
  }

  get nextToken(): XmlPosition {
    return this.#scan.nextToken;
  }

  /**
   * Reads more text.
   * @param lineFeeds how many are in it; -1 when that is not known.
   * @throws {XmlRefusal} after which `position` is where.
   */
  feed(text: string, lineFeeds: number): void {
    if (text === '') return;
    const scan = this.#scan;
    scan.append(text, lineFeeds);
    while (scan.at < scan.text.length && this.#step());
    if (scan.state !== State.value && scan.state !== State.valueReference) this.#pieces.flush(scan.elements);
  }

  /** The document is complete. */
  end(): void {
    const scan = this.#scan;
    const { length } = scan.text;
    const outside = scan.state === State.outside || scan.state === State.start;
    if (outside && scan.rootSeen && scan.at === length) return;
    if (outside && scan.at === length) scan.refuse('malformed', 'The root element is missing.', length);
    const open = scan.elements.depth > 0 ? `; the element ${scan.elements.name} is not closed` : '';
    scan.refuse('malformed', `The document ends too early${open}.`, length);
  }

  /** Refuses the document at the end of what was fed. */
  refuseHere(refusal: XmlRefusal): never {
    this.#scan.mark.index = this.#scan.text.length;
    throw refusal;
  }

  /** Takes one piece of a token. False when more text is needed. */
  #step(): boolean {
    const scan = this.#scan;
    scan.steps++;
    switch (scan.state) {
      case State.content:
        return this.#content();
      case State.reference:
        return reference(scan, this.#pieces);
      case State.cdata:
        return cdata(scan, this.#pieces);
      case State.markup:
        return this.#markup();
      case State.startName:
        return this.#tags.startName();
      case State.tag:
        return this.#tags.tag();
      case State.attributeName:
        return this.#tags.attributeName();
      case State.equals:
        return this.#tags.equals();
      case State.quote:
        return this.#tags.quote();
      case State.value:
        return this.#tags.value();
      case State.valueReference:
        return this.#tags.valueReference();
      case State.emptyEnd:
        return this.#tags.emptyEnd();
      case State.endName:
        return endName(scan);
      case State.endTag:
        return endTag(scan);
      case State.outside:
        return this.#outside();
      case State.bang:
        return this.#bang();
      case State.comment:
        return comment(scan);
      case State.target:
        return target(scan);
      case State.afterTarget:
        return afterTarget(scan);
      case State.instruction:
        return instruction(scan);
      case State.start:
        return start(scan);
      case State.declaration:
        return declaration(scan);
    }
  }

  /** Before or after the root element. */
  #outside(): boolean {
    const scan = this.#scan;
    const unit = scan.skipSpace();
    if (unit < 0) return false;
    if (unit !== LESS) {
      const where = scan.rootSeen ? 'after the root element' : 'before the root element';
      const reason = `Only comments, processing instructions and white space may stand ${where}.`;
      scan.refuse('malformed', reason, scan.at);
    }
    return this.#beginMarkup();
  }

  /** Inside an element: text and tags by turns. */
  #content(): boolean {
    const scan = this.#scan;
    do {
      const unit = readText(scan, this.#pieces);
      if (unit < 0) return false;
      if (unit !== LESS) {
        const character = plainReference(scan, this.#pieces);
        if (character === '') return beginReference(scan, State.reference);
        if (scan.elements.wantsText) this.#pieces.add(character);
        continue;
      }
      this.#pieces.refuseHalf();
      if (!this.#tags.plain() && !this.#beginMarkup()) return false;
    } while (scan.state === State.content && scan.at < scan.text.length);
    return true;
  }

  /** Here `<` stands. */
  #beginMarkup(): boolean {
    const scan = this.#scan;
    scan.at++;
    scan.mark.index = scan.at;
    scan.tagMark.index = scan.at;
    scan.state = State.markup;
    return scan.at < scan.text.length && this.#markup();
  }

  /** After `<`. */
  #markup(): boolean {
    const scan = this.#scan;
    const { elements, at } = scan;
    const unit = scan.text.charCodeAt(at);
    if (unit === QUESTION || unit === EXCLAMATION) {
      scan.at++;
      scan.mark.index = scan.at;
      scan.state = unit === QUESTION ? State.target : State.bang;
      if (scan.at === scan.text.length) return false;
      return unit === QUESTION ? target(scan) : this.#bang();
    }
    this.#pieces.flush(elements);
    if (unit !== SLASH) {
      if (elements.depth === 0 && scan.rootSeen) {
        scan.refuse('malformed', 'A document has one root element; a second one begins here.', at);
      }
      scan.state = State.startName;
      return this.#tags.startName();
    }
    if (elements.depth === 0) scan.refuse('malformed', 'An end tag stands outside any element.', at);
    scan.at++;
    scan.mark.index = scan.at;
    scan.state = State.endName;
    return scan.at < scan.text.length && endName(scan);
  }

  /** After `<!`. */
  #bang(): boolean {
    const scan: Scan = this.#scan;
    const { text, at } = scan;
    const inside = scan.elements.depth > 0;
    const unit = text.charCodeAt(at);
    if (unit === LETTER_D) scan.refuse('dtd', 'DTD is prohibited in this XML document.', at);
    if (unit === HYPHEN) {
      if (at + 1 === text.length) return false;
      if (text.charCodeAt(at + 1) !== HYPHEN) scan.refuse('malformed', "A comment begins with '<!--'.", at + 1);
      scan.at = at + 2;
      scan.state = State.comment;
      return comment(scan);
    }
    const given = text.slice(at, at + CDATA.length);
    if (inside && given !== CDATA && CDATA.startsWith(given)) return false;
    if (!inside || given !== CDATA) {
      scan.refuse('malformed', "After '<!' only a comment or, inside an element, a CDATA section may follow.", at);
    }
    scan.at = at + CDATA.length;
    scan.state = State.cdata;
    return true;
  }
}
