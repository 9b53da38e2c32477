import type { Limits } from '../contract/limits.ts';
import { ElementStack } from './elements/element-stack.ts';
import { overLimit, XmlError, type XmlPosition, XmlRefusal } from './errors.ts';
import type { XmlHandler } from './handler.ts';
import { type Leniency, XmlInput } from './input/xml-input.ts';
import { Scanner } from './scan/scanner.ts';

export { XmlError, type XmlErrorCode } from './errors.ts';
export type { Content, ContentMode, XmlAttribute, XmlElement, XmlHandler } from './handler.ts';

/** An incremental reader: bytes in, in any split; calls of the handler out. */
export interface XmlReader {
  /**
   * Reads more of the document. The bytes are not kept after the call. Not to be called by the
   * reader's own handler.
   * @throws {XmlError} when the document is malformed or breaks a limit; again at every later call.
   */
  push(chunk: Uint8Array): void;
  /** The document is complete. @throws {XmlError} when it is not. */
  end(): void;
  /**
   * The most bytes the document may have; from the limit `bodyBytes`, and may be raised while
   * reading.
   */
  maxBytes: number;
  /** 1-based position of the token being read, line ends counted after normalisation. */
  readonly line: number;
  readonly column: number;
  /**
   * Position of the token behind the tag just reported. For a tag it is the position of its name,
   * as in .NET's readers, once the name has arrived. Valid until the next call.
   */
  readonly nextToken: XmlPosition;
  /** The encoding in which invalid bytes were replaced; `undefined` for none so far. */
  readonly replacedIn: string | undefined;
  /**
   * Work done so far: code units looked at plus tokens, names and look-ups. Deterministic, for
   * tests of growth.
   */
  readonly steps: number;
  /**
   * What is kept right now: code units waiting for more, open elements, declarations, records. For
   * the same tests.
   */
  readonly held: number;
}

/** What a reader accepts. */
export interface XmlReaderOptions extends Leniency {
  readonly limits: Limits;
  /**
   * The charset of the Content-Type, when there was one. A BOM beats it; it beats the XML
   * declaration.
   */
  readonly charset?: string | undefined;
}

/** Creates a reader of one document, which calls the handler. */
export type CreateXmlReader = (handler: XmlHandler, options: XmlReaderOptions) => XmlReader;

/** Number of bytes decoded at once, which bounds the memory of a large push. */
const SLICE = 64 * 1024;

const NO_BYTES = new Uint8Array(0);

class IncrementalReader implements XmlReader {
  maxBytes: number;
  readonly #limits: Limits;
  readonly #input: XmlInput;
  readonly #scanner: Scanner;
  #bytes = 0;
  #failure: unknown;

  constructor(handler: XmlHandler, { limits, charset, ...leniency }: XmlReaderOptions) {
    this.maxBytes = limits.bodyBytes;
    this.#limits = limits;
    this.#input = new XmlInput(charset, limits.nameChars, leniency);
    this.#scanner = new Scanner(new ElementStack(handler, limits), this.#input, limits);
  }

  push(chunk: Uint8Array): void {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      for (let from = 0; from < chunk.length; ) {
        const size = Math.min(chunk.length - from, SLICE, this.#room());
        this.#bytes += size;
        this.#read(size === chunk.length ? chunk : chunk.subarray(from, from + size), false);
        from += size;
      }
    } catch (error) {
      throw this.#fail(error);
    }
  }

  end(): void {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      this.#read(NO_BYTES, true);
      this.#scanner.end();
    } catch (error) {
      throw this.#fail(error);
    }
  }

  get line(): number {
    return this.#scanner.position.line;
  }

  get column(): number {
    return this.#scanner.position.column;
  }

  get nextToken(): XmlPosition {
    return this.#scanner.nextToken;
  }

  get replacedIn(): string | undefined {
    return this.#input.replacedIn;
  }

  get steps(): number {
    return this.#scanner.steps;
  }

  get held(): number {
    return this.#scanner.held;
  }

  #read(bytes: Uint8Array, last: boolean): void {
    const text = this.#input.decode(bytes, last);
    this.#scanner.feed(text, this.#input.lineFeeds);
    const fault = this.#input.fault;
    if (fault !== undefined) this.#scanner.refuseHere(fault);
  }

  /** The number of bytes that the document may still have. @throws {XmlRefusal} when it is 0. */
  #room(): number {
    const room = this.maxBytes - this.#bytes;
    if (room > 0) return room;
    this.#scanner.refuseHere(
      overLimit(
        { ...this.#limits, bodyBytes: this.maxBytes },
        'bodyBytes',
        'The document',
        'bytes',
      ),
    );
  }

  #fail(error: unknown): unknown {
    this.#failure =
      error instanceof XmlRefusal
        ? new XmlError(error.code, error.reason, this.#scanner.position, error.breach)
        : error;
    return this.#failure;
  }
}

/** Creates a reader of one document. */
export const createXmlReader: CreateXmlReader = (handler, options) =>
  new IncrementalReader(handler, options);
