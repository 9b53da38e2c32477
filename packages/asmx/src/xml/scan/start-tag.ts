import { nameEnd } from '../chars.ts';
import type { ElementStack } from '../elements/element-stack.ts';
import { overLimit } from '../errors.ts';
import { Pieces } from './pieces.ts';
import type { TextWindow } from './text-window.ts';

const TAB = 0x09;
const LINE_FEED = 0x0a;
const BLANK = 0x20;
const QUOTE = 0x22;
const AMPERSAND = 0x26;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;

/** The states within a start tag. */
const State = Object.freeze({
  name: 0,
  betweenAttributes: 1,
  attributeName: 2,
  equals: 3,
  quote: 4,
  value: 5,
  valueReference: 6,
  emptyEnd: 7,
});
type State = (typeof State)[keyof typeof State];

/**
 * The result of a step: more text is needed, another step is needed, or the tag has ended with `>`
 * or `/>`.
 */
export const TagStep = Object.freeze({ needsText: 0, goesOn: 1, open: 2, empty: 3 });
export type TagStep = (typeof TagStep)[keyof typeof TagStep];

/**
 * Reads a start tag piece by piece, from behind its `<`, and tells its name and attributes to an
 * {@link ElementStack}.
 */
export class StartTagScanner {
  readonly #window: TextWindow;
  readonly #elements: ElementStack;
  /** The value being read. */
  readonly #pieces = new Pieces();
  #state: State = State.name;
  /** The attribute being read. */
  #attribute = '';
  /** The quote that ends its value. */
  #quote = '"';
  /** White space was seen since the last attribute. */
  #spaced = false;

  constructor(window: TextWindow, elements: ElementStack) {
    this.#window = window;
    this.#elements = elements;
  }

  /** What is kept of a value: code units and pieces. */
  get held(): number {
    return this.#pieces.held;
  }

  /** Another tag begins. */
  begin(): void {
    this.#state = State.name;
  }

  /** Takes one piece of the tag. */
  step(): TagStep {
    switch (this.#state) {
      case State.name:
        return this.#name();
      case State.betweenAttributes:
        return this.#betweenAttributes();
      case State.attributeName:
        return this.#attributeName();
      case State.equals:
        return this.#equals();
      case State.quote:
        return this.#openingQuote();
      case State.value:
        return this.#value();
      case State.valueReference:
        return this.#valueReference();
      case State.emptyEnd:
        return this.#emptyEnd();
    }
  }

  #name(): TagStep {
    const window = this.#window;
    const name = window.name();
    if (name === undefined) return TagStep.needsText;
    if (name === '') {
      window.refuse(
        'malformed',
        "'<' must begin a tag; write &lt; for the character itself.",
        window.at,
      );
    }
    this.#elements.start(name);
    this.#spaced = false;
    this.#state = State.betweenAttributes;
    return this.#betweenAttributes();
  }

  #betweenAttributes(): TagStep {
    const window = this.#window;
    while (true) {
      const from = window.at;
      const unit = window.skipSpace();
      if (window.at > from) this.#spaced = true;
      if (unit < 0) return TagStep.needsText;
      if (unit === GREATER) return this.#end(TagStep.open);
      if (unit === SLASH) {
        window.at++;
        this.#state = State.emptyEnd;
        return TagStep.goesOn;
      }
      if (!this.#spaced)
        window.refuse('malformed', 'White space must stand before an attribute.', window.at);
      window.mark.index = window.at;
      if (this.#plainAttribute()) continue;
      this.#state = State.attributeName;
      const step = this.#attributeName();
      if ((this.#state as State) !== State.betweenAttributes) return step;
    }
  }

  /**
   * Reads the attribute that begins here, if all of it is there and it is `name="value"` without
   * references or white space around `=`, as nearly all are. This is only a short cut. False when
   * it is to be read piece by piece.
   */
  #plainAttribute(): boolean {
    const window = this.#window;
    const { text, at } = window;
    const { nameChars, attributeValueChars } = window.limits;
    const name = nameEnd(text, at);
    if (name === at || name - at > nameChars || text.charCodeAt(name) !== EQUALS) return false;
    const unit = text.charCodeAt(name + 1);
    if (unit !== QUOTE && unit !== APOSTROPHE) return false;
    const from = name + 2;
    window.at = from;
    const end = window.quote(unit === QUOTE ? '"' : "'");
    if (
      end === text.length ||
      end > window.less() ||
      end > window.ampersand() ||
      end - from > attributeValueChars
    ) {
      window.at = at;
      return false;
    }
    window.steps += from - at;
    window.at = end + 1;
    this.#elements.attribute(text.slice(at, name), withBlanks(text.slice(from, end)));
    this.#spaced = false;
    return true;
  }

  #attributeName(): TagStep {
    const window = this.#window;
    const name = window.name();
    if (name === undefined) return TagStep.needsText;
    if (name === '')
      window.refuse('malformed', "Here an attribute, '>' or '/>' must stand.", window.at);
    this.#attribute = name;
    this.#state = State.equals;
    return this.#equals();
  }

  #equals(): TagStep {
    const window = this.#window;
    const unit = window.skipSpace();
    if (unit < 0) return TagStep.needsText;
    if (unit !== EQUALS) {
      window.refuse(
        'malformed',
        `The attribute ${this.#attribute} must have a value: name="value".`,
        window.at,
      );
    }
    window.at++;
    this.#state = State.quote;
    return this.#openingQuote();
  }

  #openingQuote(): TagStep {
    const window = this.#window;
    const unit = window.skipSpace();
    if (unit < 0) return TagStep.needsText;
    if (unit !== QUOTE && unit !== APOSTROPHE) {
      window.refuse(
        'malformed',
        `The value of the attribute ${this.#attribute} must stand in quotes.`,
        window.at,
      );
    }
    this.#quote = unit === QUOTE ? '"' : "'";
    window.at++;
    this.#state = State.value;
    return this.#value();
  }

  #value(): TagStep {
    const window = this.#window;
    const pieces = this.#pieces;
    const { text } = window;
    while (true) {
      const { at } = window;
      const stop = Math.min(window.quote(this.#quote), window.less(), window.ampersand());
      if (stop > at) {
        pieces.refuseHalf();
        pieces.add(withBlanks(text.slice(at, stop)));
        this.#boundValue();
      }
      window.at = stop;
      if (stop === text.length) return TagStep.needsText;
      if (text.charCodeAt(stop) !== AMPERSAND) return this.#endValue();
      const characters = pieces.high === 0 ? window.plainReferences(this.#quote) : '';
      if (characters === '') {
        window.beginReference();
        this.#state = State.valueReference;
        return TagStep.goesOn;
      }
      pieces.add(characters);
      this.#boundValue();
    }
  }

  /** Here the closing quote stands, or `<`, which must not. */
  #endValue(): TagStep {
    const window = this.#window;
    this.#pieces.refuseHalf();
    if (window.text.charCodeAt(window.at) === LESS) {
      window.refuse(
        'malformed',
        "'<' must not stand in an attribute value; write &lt;.",
        window.at,
      );
    }
    window.at++;
    this.#elements.attribute(this.#attribute, this.#pieces.take());
    this.#spaced = false;
    this.#state = State.betweenAttributes;
    return TagStep.goesOn;
  }

  /** Inside a reference in the value. */
  #valueReference(): TagStep {
    const name = this.#window.referenceName();
    if (name === undefined) return TagStep.needsText;
    const character = this.#pieces.resolve(name);
    if (character !== '') this.#pieces.add(character);
    this.#boundValue();
    this.#state = State.value;
    return TagStep.goesOn;
  }

  /** After `/`. */
  #emptyEnd(): TagStep {
    const window = this.#window;
    if (window.text.charCodeAt(window.at) !== GREATER) {
      window.refuse('malformed', "'/' in a tag must be followed by '>'.", window.at);
    }
    return this.#end(TagStep.empty);
  }

  #end(step: TagStep): TagStep {
    const window = this.#window;
    window.at++;
    window.mark.set(window.tagMark);
    return step;
  }

  #boundValue(): void {
    const { limits } = this.#window;
    if (this.#pieces.length <= limits.attributeValueChars) return;
    throw overLimit(
      limits,
      'attributeValueChars',
      `The value of the attribute ${this.#attribute}`,
      'characters',
    );
  }
}

/** White space in attribute values is blanks (XML 1.0 section 3.3.3). */
function withBlanks(value: string): string {
  if (!hasBreaks(value)) return value;
  // Not replace, whose result is a chain of as many strings as there were matches, and is kept.
  const units = Buffer.from(value, 'utf16le');
  for (let i = 0; i < units.length; i += 2) {
    if (units[i + 1] === 0 && (units[i] === TAB || units[i] === LINE_FEED)) units[i] = BLANK;
  }
  return units.toString('utf16le');
}

/** Most values are so short that a look at each unit takes less time than a search; code units. */
const SHORT = 32;

function hasBreaks(value: string): boolean {
  if (value.length > SHORT) return value.includes('\n') || value.includes('\t');
  for (let at = 0; at < value.length; at++) if (value.charCodeAt(at) < BLANK) return true;
  return false;
}
