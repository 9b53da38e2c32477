import type { Limits } from '../../contract/limits.ts';
import { JsonCursor } from '../../lexical/json-cursor.ts';
import { FLOAT } from '../../lexical/numbers.ts';
import { type CharsetDecoder, charsetDecoder, Utf8Decoder } from '../../message/charset.ts';
import { type NumberTaker, shortNumbers } from '../../message/files/short-numbers.ts';
import { NestedScan } from './nested-scan.ts';

export { JsonError } from '../../lexical/json-cursor.ts';

/** The type of a member's value, or of one item of it. */
export type JsonKind = 'string' | 'number' | 'boolean' | 'null' | 'object' | 'array';

/** How to read a value. */
export interface JsonContent {
  readonly mode: 'text' | 'skip';
  /** The longest string, UTF-16 code units; the limit `textChars` when absent. */
  readonly maxChars?: number;
  /** Whether it is a value of a file, which may have one number for each byte. */
  readonly isFile?: boolean;
}

/**
 * Receives the members of one flat object in order. An error that it throws ends the reading and
 * reaches the caller unchanged.
 */
export interface JsonHandler extends Partial<NumberTaker> {
  /**
   * A member, or one item of a member that is an array: `{"a":[1,2]}` is reported as
   * `{"a":1,"a":2}`, as forms repeat a name. An object, or an array within an array, is reported
   * once; its content is checked and skipped.
   */
  open(name: string, kind: JsonKind): 'text' | 'skip' | JsonContent;
  /**
   * A piece of a string, unescaped; or a whole number, `true` or `false` as written. Never empty.
   */
  text(piece: string): void;
  /** The end of the value. */
  close(): void;
  /**
   * A member is an object or an array. @param index where in the document it begins.
   * @returns what takes its text as it is written; `undefined` where it is to be reported by
   *   `open`.
   */
  nested?(name: string, index: number): NestedText | undefined;
}

/**
 * Takes the text of an object or an array as written: only its brackets and strings are looked at.
 */
export interface NestedText {
  text(piece: string): void;
  close(): void;
}

interface JsonReaderOptions {
  readonly limits: Limits;
  /**
   * The charset of the Content-Type; UTF-8 when there is none or an unknown one (RFC 8259
   * section 8.1).
   */
  readonly charset?: string | undefined;
}

/** What may follow. */
type State =
  | 'start'
  | 'nameOrEnd'
  | 'name'
  | 'nameText'
  | 'bareName'
  | 'colon'
  | 'value'
  | 'itemOrEnd'
  | 'text'
  | 'nested'
  | 'literal'
  | 'next'
  | 'done';

const WORDS: ReadonlyMap<string, JsonKind> = new Map([
  ['true', 'boolean'],
  ['false', 'boolean'],
  ['null', 'null'],
]);
/** @returns `undefined` for a text that is not a JSON value. */
function kindOf(literal: string): JsonKind | undefined {
  // Nearly all numbers are bytes of a file.
  if (literal.length === 1) {
    const unit = literal.charCodeAt(0);
    if (unit >= 0x30 && unit <= 0x39) return 'number';
  }
  return FLOAT.test(literal) ? 'number' : WORDS.get(literal);
}

/** What is over the limits of a value that is taken as written, and its unit. */
const NESTED = {
  depth: { subject: 'The depth of values', unit: 'levels' },
  elements: { subject: 'The number of members and items', unit: 'in all' },
} as const;

/** Number of bytes decoded at once, which bounds the memory of a large push. */
const SLICE = 64 * 1024;

/**
 * Reads one JSON object of arguments in pieces of any size: bytes in, names and pieces of values
 * out. It builds no object, so a name is only a text (`__proto__` is one like any other). It holds
 * at most a name, a number and an unfinished escape.
 *
 * Beyond RFC 8259 it reads what ASP.NET's JavaScriptSerializer reads: texts in single quotes, names
 * without quotes, raw control characters in strings, escaped apostrophes, and numbers like `05`,
 * `+5` and `5.`. It also accepts NULs behind the object, which some clients in C send. An empty
 * body is an empty object, as in ASP.NET (wire 14).
 *
 * Limits: `nameChars` (names and numbers), `textChars` (strings), `depth`, and `formPairs`, which
 * counts members and items of arrays on every level. Of a file it does not count a number of one to
 * three digits behind another. Of what a handler takes as it is written it counts commas, up to
 * `elements`.
 */
export class JsonReader {
  readonly #handler: JsonHandler;
  readonly #limits: Limits;
  readonly #decoder: CharsetDecoder;
  readonly #cursor = new JsonCursor();
  #state: State = 'start';
  #empty = true;
  /** The open objects and arrays, as their closing brackets. */
  #open: ('}' | ']')[] = [];
  /** Whether the value that was begun last is one of a file. */
  #isFile = false;
  /** Whether no value has been begun in this piece of the text, so that the next may be cut. */
  #first = true;
  #members = 0;
  #name = '';
  /** The part of a name or literal that came before the current text. */
  #carried = '';
  /** Depth from which values are not reported; 0 for none. */
  #hiddenFrom = 0;
  #taking = false;
  #chars = 0;
  #maxChars = 0;
  readonly #nestedScan: NestedScan;
  #nestedText: NestedText | undefined;

  constructor(handler: JsonHandler, { limits, charset }: JsonReaderOptions) {
    this.#handler = handler;
    this.#limits = limits;
    this.#nestedScan = new NestedScan(limits);
    this.#decoder = charsetDecoder(charset ?? 'utf-8', true) ?? new Utf8Decoder(true);
  }

  /** Reads more of the text. The bytes are not kept. @throws {JsonError} */
  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; from += SLICE)
      this.#read(chunk.subarray(from, from + SLICE), false);
  }

  /** The text is complete. @throws {JsonError} when it is not. */
  end(): void {
    this.#read(new Uint8Array(0), true);
    const nothing = this.#state === 'start' && this.#cursor.atEnd;
    if (this.#state !== 'done' && !nothing)
      throw this.#cursor.malformed('The JSON text ends too early.');
  }

  #read(chunk: Uint8Array, last: boolean): void {
    const decoded = this.#decoder.decode(chunk, last);
    this.#first = true;
    const marked = this.#empty && decoded.charCodeAt(0) === 0xfeff;
    if (decoded !== '') this.#empty = false;
    this.#cursor.append(marked ? decoded.slice(1) : decoded);
    while (!this.#cursor.atEnd && this.#step());
    if (this.#decoder.invalid) throw this.#cursor.undecodable(this.#decoder.encoding);
  }

  /** Reads one piece of a token. @returns false when more text is needed. */
  #step(): boolean {
    if (this.#state === 'text') return this.#text();
    if (this.#state === 'nested') return this.#nested();
    if (this.#state === 'nameText') return this.#nameText();
    if (this.#state === 'bareName') return this.#bareName();
    if (this.#state === 'literal') return this.#literal();
    const character = this.#cursor.skipSpace();
    if (character !== undefined) this.#structure(character);
    return character !== undefined;
  }

  #structure(character: string): void {
    switch (this.#state) {
      case 'start':
        if (character !== '{')
          throw this.#cursor.malformed('A JSON object of arguments must begin with "{".');
        this.#push('}', 'nameOrEnd');
        break;
      case 'nameOrEnd':
        if (character === '}') this.#pop();
        else this.#beginName(character);
        break;
      case 'name':
        this.#beginName(character);
        break;
      case 'colon':
        if (character !== ':')
          throw this.#cursor.malformed('A colon must stand between name and value.');
        this.#go('value');
        break;
      case 'itemOrEnd':
        if (character === ']') this.#pop();
        else this.#value(character);
        break;
      case 'value':
        this.#value(character);
        break;
      case 'next':
        this.#next(character);
        break;
      default:
        if (character !== '\0') throw this.#cursor.malformed('Nothing may follow the JSON object.');
        this.#cursor.at++;
    }
  }

  /** Skips the next character. */
  #go(state: State): void {
    this.#cursor.at++;
    this.#state = state;
  }

  #beginName(character: string): void {
    this.#count();
    this.#carried = '';
    if (this.#cursor.opensString(character)) this.#go('nameText');
    else if (this.#cursor.beginsLiteral()) this.#state = 'bareName';
    else throw this.#cursor.malformed('Here the name of a member must stand.');
  }

  #value(character: string): void {
    if (this.#cursor.opensString(character)) {
      this.#begin('string');
      this.#go('text');
    } else if ((character === '{' || character === '[') && this.#beginsNested()) {
      this.#state = 'nested';
    } else if (character === '{') {
      this.#hide('object');
      this.#push('}', 'nameOrEnd');
    } else if (character === '[') {
      if (this.#open.length > 1) this.#hide('array');
      this.#push(']', 'itemOrEnd');
    } else {
      this.#carried = '';
      this.#state = 'literal';
      this.#literal();
    }
  }

  /** Whether the handler takes the value that begins here as it is written. */
  #beginsNested(): boolean {
    if (this.#open.length !== 1) return false;
    this.#nestedText = this.#handler.nested?.(this.#name, this.#cursor.index);
    return this.#nestedText !== undefined;
  }

  #nested(): boolean {
    const cursor = this.#cursor;
    const end = this.#nestedScan.end(cursor.text, cursor.at);
    if (typeof end !== 'number') throw this.#over(end, NESTED[end].subject, NESTED[end].unit);
    const isWhole = end > 0;
    this.#nestedText!.text(cursor.upTo(isWhole ? end : cursor.text.length));
    if (!isWhole) return false;
    this.#nestedText!.close();
    this.#state = 'next';
    return true;
  }

  #next(character: string): void {
    const closing = this.#open[this.#open.length - 1]!;
    if (character === closing) this.#pop();
    else if (character === ',') this.#go(closing === '}' ? 'name' : 'value');
    else throw this.#cursor.malformed(`Here "," or "${closing}" must stand.`);
  }

  #push(closing: '}' | ']', state: State): void {
    this.#open.push(closing);
    if (this.#open.length > this.#limits.depth)
      throw this.#over('depth', 'The depth of values', 'levels');
    this.#go(state);
  }

  #pop(): void {
    this.#open.pop();
    this.#go(this.#open.length === 0 ? 'done' : 'next');
    if (this.#hiddenFrom === 0 || this.#open.length + 1 !== this.#hiddenFrom) return;
    this.#hiddenFrom = 0;
    this.#handler.close();
  }

  /** Reports a value whose content is not reported. */
  #hide(kind: 'object' | 'array'): void {
    const reported = this.#hiddenFrom === 0;
    this.#begin(kind);
    if (reported) this.#hiddenFrom = this.#open.length + 1;
  }

  #begin(kind: JsonKind): void {
    this.#taking = false;
    const isItem = this.#open[this.#open.length - 1] === ']';
    const cut = this.#first;
    this.#first = false;
    this.#isFile = false;
    if (this.#hiddenFrom > 0) {
      if (isItem) this.#count();
      return;
    }
    const answer = this.#handler.open(this.#name, kind);
    const content: JsonContent = typeof answer === 'string' ? { mode: answer } : answer;
    this.#isFile = content.isFile === true;
    if (isItem && !(this.#isFile && (cut || this.#cursor.onlySpaceFollows))) this.#count();
    this.#taking = content.mode === 'text';
    this.#chars = 0;
    this.#maxChars = content.maxChars ?? this.#limits.textChars;
  }

  /** A member, or an item of an array. */
  #count(): void {
    if (++this.#members <= this.#limits.formPairs) return;
    throw this.#over('formPairs', 'The number of members and items', 'in all');
  }

  #end(): void {
    if (this.#hiddenFrom === 0) this.#handler.close();
    this.#state = 'next';
  }

  #take(piece: string): void {
    if (!this.#taking || piece === '') return;
    this.#chars += piece.length;
    if (this.#chars > this.#maxChars) {
      throw this.#cursor.over(
        'textChars',
        this.#maxChars,
        `The value of ${this.#name}`,
        'characters',
      );
    }
    this.#handler.text(piece);
  }

  #text(): boolean {
    const { part, ended } = this.#cursor.string();
    this.#take(part);
    if (ended) this.#end();
    return ended;
  }

  #nameText(): boolean {
    const { part, ended } = this.#cursor.string();
    this.#carried += part;
    if (this.#carried.length > this.#limits.nameChars)
      throw this.#over('nameChars', 'The name of a member', 'characters');
    if (ended) this.#endName();
    return ended;
  }

  /** A name without quotes. */
  #bareName(): boolean {
    this.#carried += this.#cursor.literal();
    if (this.#carried.length > this.#limits.nameChars)
      throw this.#over('nameChars', 'The name of a member', 'characters');
    if (this.#cursor.atEnd) return false;
    this.#endName();
    return true;
  }

  #endName(): void {
    // Names inside a value that is not reported are ignored.
    if (this.#open.length === 1) this.#name = this.#carried;
    this.#state = 'colon';
  }

  /** A number, `true`, `false` or `null`. */
  #literal(): boolean {
    this.#carried += this.#cursor.literal();
    if (this.#carried.length > this.#limits.nameChars)
      throw this.#over('nameChars', 'A number', 'characters');
    if (this.#cursor.atEnd) return false;
    const literal = this.#carried;
    const kind = kindOf(literal);
    if (kind === undefined)
      throw this.#cursor.malformed(
        `Here a JSON value must end; "${literal.slice(0, 40)}" is none.`,
      );
    this.#begin(kind);
    if (kind !== 'null') this.#take(literal);
    this.#end();
    if (this.#isFile && kind === 'number' && this.#open[this.#open.length - 1] === ']')
      this.#takeNumbers();
    return true;
  }

  /** Reads the items that follow a number of a file in an array, as long as they are bytes. */
  #takeNumbers(): void {
    const handler = this.#handler;
    if (handler.takesNumbers?.() !== true) return;
    for (let count = shortNumbers.length; count === shortNumbers.length; ) {
      const from = this.#cursor.at;
      count = this.#cursor.shortItems(shortNumbers);
      if (count > 0) handler.numbers?.(shortNumbers.subarray(0, count), this.#cursor.at - from);
    }
  }

  #over(name: keyof Limits, subject: string, unit: string) {
    return this.#cursor.over(name, this.#limits[name], subject, unit);
  }
}
