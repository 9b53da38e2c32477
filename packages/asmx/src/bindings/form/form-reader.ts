import type { Limits } from '../../contract/limits.ts';
import { type NumberTaker, numberAt, shortNumbers } from '../../message/files/short-numbers.ts';
import { PercentDecoder } from '../../message/percent.ts';
import { limitError, type ReadError } from '../../message/read-error.ts';

/** How to read the value of a pair. */
export interface FormContent {
  readonly mode: 'text' | 'skip';
  /** The longest value, UTF-16 code units; the limit `textChars` when absent. */
  readonly maxChars?: number;
  /** The meaning of `+` in the value; `lost` leaves the decision to the receiver. */
  readonly plus?: 'blank' | 'lost';
  /** Whether it is a value of a file, which may have one pair for each byte. */
  readonly isFile?: boolean;
}

/**
 * Receives the pairs of a form in order. An error that it throws ends the reading and reaches the
 * caller unchanged.
 */
export interface FormHandler extends Partial<NumberTaker> {
  /**
   * A pair begins. A name without `=` is no pair and is not reported, as in ASP.NET.
   * @param name decoded.
   */
  open(name: string): 'text' | 'skip' | FormContent;
  /** A piece of the value, decoded; never empty. */
  text(piece: string): void;
  /** The end of the pair. */
  close(): void;
}

interface FormReaderOptions {
  readonly limits: Limits;
  /** The charset of the Content-Type; an unknown one is UTF-8. */
  readonly charset?: string | undefined;
}

const PLAIN: Readonly<Record<'text' | 'skip', FormContent>> = {
  text: { mode: 'text' },
  skip: { mode: 'skip' },
};

const AMPERSAND = 0x26;

/** Number of bytes decoded at once, which bounds the memory of a large push. */
const SLICE = 64 * 1024;

/**
 * Reads `application/x-www-form-urlencoded` in pieces of any size: bytes in, decoded names and
 * pieces of values out (wire 7). Only `&` divides pairs. Any bytes are a form.
 *
 * Limits: `nameChars`, `textChars`, `charsetSwitches`, and `formPairs`, which counts all that
 * stands between two `&`: also repeats, empty pairs and names without `=`. Of a file it does not
 * count digits behind the same name as in the pair before, and pairs that a piece of the body cuts.
 */
export class FormReader {
  readonly #handler: FormHandler;
  readonly #limits: Limits;
  readonly #name: PercentDecoder;
  /** Decodes the value being read; undefined inside a name. */
  #value: PercentDecoder | undefined;
  readonly #values: Record<'blank' | 'lost', PercentDecoder>;
  #skipping = false;
  #collected = '';
  #lastName = '';
  /** A name has begun in an earlier piece. */
  #inName = false;
  /**
   * The last name as it was written, with its `=`, because the next is often the same; `''` if it
   * came in pieces.
   */
  #lastWritten = '';
  /** Whether the pair that was begun last is a value of a file. */
  #isFile = false;
  /** Whether a piece of the body cuts the pair that is being read. */
  #cut = false;
  #pairs = 0;
  #chars = 0;
  #maxChars = 0;

  constructor(handler: FormHandler, { limits, charset }: FormReaderOptions) {
    this.#handler = handler;
    this.#limits = limits;
    this.#name = new PercentDecoder({ charset });
    this.#values = {
      blank: new PercentDecoder({ charset }),
      lost: new PercentDecoder({ charset, plus: 'lost' }),
    };
  }

  /** The charset in which invalid bytes were replaced; `undefined` for none so far. */
  get replacedIn(): string | undefined {
    const { blank, lost } = this.#values;
    return blank.replacedIn ?? lost.replacedIn ?? this.#name.replacedIn;
  }

  /** Reads more of the form. The bytes are not kept. @throws {ReadError} over a limit. */
  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; from += SLICE)
      this.#read(chunk.subarray(from, from + SLICE));
  }

  /** The form is complete. @throws {ReadError} over a limit. */
  end(): void {
    if (this.#value === undefined) return;
    this.#endPair();
  }

  #read(chunk: Uint8Array): void {
    const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
    for (let at = 0; at < text.length; ) {
      if (this.#isFile && this.#value === undefined && !this.#inName)
        at = this.#takeNumbers(text, at);
      const found = text.indexOf('&', at);
      const end = found < 0 ? text.length : found;
      this.#cut = found < 0 || this.#inName;
      at = this.#value === undefined && end > at ? this.#takeName(text, at, end) : at;
      if (this.#value !== undefined && end > at)
        this.#takeValue(this.#value.push(text.slice(at, end)));
      if (found >= 0) this.#endPair();
      at = end + 1;
    }
    this.#boundSwitches();
  }

  /**
   * Reads the pairs that repeat the name before them, each with a byte of the file.
   * @returns the index behind them.
   */
  #takeNumbers(text: string, from: number): number {
    const handler = this.#handler;
    const name = this.#lastWritten;
    if (name === '' || handler.takesNumbers?.() !== true) return from;
    let at = from;
    for (let count = shortNumbers.length; count === shortNumbers.length; ) {
      const first = at;
      for (count = 0; count < shortNumbers.length && text.startsWith(name, at); count++) {
        const number = numberAt(text, at + name.length);
        const end = at + name.length + (number >> 8);
        if (number === 0 || text.charCodeAt(end) !== AMPERSAND) break;
        shortNumbers[count] = number;
        at = end + 1;
      }
      if (count > 0) handler.numbers?.(shortNumbers.subarray(0, count), at - first);
    }
    return at;
  }

  #boundSwitches(): void {
    const { blank, lost } = this.#values;
    if (blank.switches + lost.switches + this.#name.switches <= this.#limits.charsetSwitches)
      return;
    throw this.#over(
      'charsetSwitches',
      'The number of changes between a charset and %u escapes',
      'changes',
    );
  }

  /** Reads a name up to `=`, or as much as there is. @returns the index behind it. */
  #takeName(text: string, from: number, end: number): number {
    if (this.#lastWritten !== '' && !this.#inName && text.startsWith(this.#lastWritten, from)) {
      this.#begin(this.#lastName);
      return from + this.#lastWritten.length;
    }
    const part = text.slice(from, end);
    const whole = !this.#inName;
    this.#inName = true;
    const equals = part.indexOf('=');
    this.#collected += this.#name.push(equals < 0 ? part : part.slice(0, equals));
    if (this.#collected.length > this.#limits.nameChars)
      throw this.#over('nameChars', 'The name of a pair', 'characters');
    if (equals < 0) return end;
    const name = this.#collected + this.#name.end();
    // A name that was cut is usually the same as the previous one.
    if (whole || name !== this.#lastName)
      this.#lastWritten = whole ? part.slice(0, equals + 1) : '';
    this.#begin(name);
    return from + equals + 1;
  }

  #begin(name: string): void {
    this.#inName = false;
    this.#collected = '';
    this.#lastName = name;
    const answer = this.#handler.open(name);
    const content = typeof answer === 'string' ? PLAIN[answer] : answer;
    this.#isFile = content.isFile === true;
    if (!this.#isFile || !this.#cut) this.#count();
    this.#skipping = content.mode === 'skip';
    this.#chars = 0;
    this.#maxChars = content.maxChars ?? this.#limits.textChars;
    this.#value = this.#values[content.plus ?? 'blank'];
  }

  #takeValue(piece: string): void {
    if (this.#skipping || piece === '') return;
    this.#chars += piece.length;
    if (this.#chars > this.#maxChars) {
      throw limitError(
        { name: 'textChars', value: this.#maxChars },
        `The value of ${this.#lastName}`,
        'characters',
      );
    }
    this.#handler.text(piece);
  }

  #endPair(): void {
    if (this.#value === undefined) {
      this.#count();
      this.#name.end();
      this.#inName = false;
      this.#collected = '';
      return;
    }
    this.#takeValue(this.#value.end());
    this.#value = undefined;
    this.#handler.close();
  }

  #count(): void {
    if (++this.#pairs > this.#limits.formPairs)
      throw this.#over('formPairs', 'The number of pairs', 'pairs');
  }

  #over(name: keyof Limits, subject: string, unit: string): ReadError {
    return limitError({ name, value: this.#limits[name] }, subject, unit);
  }
}
