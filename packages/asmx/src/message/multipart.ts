import type { Limits } from '../contract/limits.ts';
import { asBuffer } from './charset.ts';
import { decodePercent } from './percent.ts';
import { limitError, ReadError } from './read-error.ts';

/** The values of a part's headers by lower-case name; the first of a repeated name. */
export type PartHeaders = ReadonlyMap<string, string>;

/**
 * A Content-ID as it is compared, from its header or the parameter `start`: without its angle
 * brackets, and decoded. Some clients encode it there as in the URL, such as CXF 3.5.3.
 */
export function contentId(written: string): string {
  return unescaped(written.replace(/^</, '').replace(/>$/, ''));
}

/** The Content-ID that a `cid:` URL names (RFC 2392); `undefined` for another URL. */
export function contentIdOf(url: string): string | undefined {
  return /^cid:/i.test(url) ? contentId(unescaped(url.slice(4))) : undefined;
}

function unescaped(text: string): string {
  return decodePercent(Buffer.from(text).toString('latin1'), { plus: 'plus' });
}

/**
 * What is met in a multipart message, in its order: a part's headers, pieces of its content, its
 * end.
 */
type PartEvent =
  | { readonly kind: 'begin'; readonly headers: PartHeaders }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'end' };

const CR = 0x0d;
const LF = 0x0a;
/** The end of a line and the empty line behind it. */
const BLANK_LINE = /\n\r?\n/;
const LONGEST_BLANK_LINE = 3;
const NOTHING = Buffer.alloc(0);

/** RFC 2046, 5.1.1. */
const MAX_BOUNDARY_CHARS = 70;

/** Where in the message the reader stands. */
type ReaderState = 'preamble' | 'delimiter' | 'headers' | 'content' | 'epilogue';

/**
 * Reads the parts of a multipart message incrementally (RFC 2046 section 5.1): bytes in, in any
 * split; events out. It buffers only the headers of a part and a possible beginning of a delimiter.
 * A line may end with a line feed alone, as ASP.NET has it.
 * Limits: `parts` and `partHeaderBytes`.
 */
export class PartReader {
  readonly #limits: Limits;
  readonly #delimiter: Buffer;
  #place: ReaderState = 'preamble';
  /**
   * What was read and is not understood yet. The first delimiter needs no line before it: one is
   * put there.
   */
  #held: Buffer = Buffer.from([LF]);
  #parts = 0;

  /**
   * @param boundary the parameter of the Content-Type.
   * @throws {ReadError} when it cannot be one.
   */
  constructor(boundary: string | undefined, limits: Limits) {
    if (boundary === undefined || boundary === '' || boundary.length > MAX_BOUNDARY_CHARS) {
      throw malformed(
        `The Content-Type must name a boundary of 1 to ${MAX_BOUNDARY_CHARS} characters.`,
      );
    }
    this.#delimiter = Buffer.from(`\n--${boundary}`, 'latin1');
    this.#limits = limits;
  }

  /**
   * Reads more of the message. The bytes are handed on as they are, so they must not change as long
   * as those who take the events need them.
   * @throws {ReadError}
   */
  *push(chunk: Uint8Array): Generator<PartEvent, void, undefined> {
    this.#held = this.#held.length === 0 ? asBuffer(chunk) : Buffer.concat([this.#held, chunk]);
    for (;;) {
      switch (this.#place) {
        case 'preamble':
        case 'content': {
          const inContent = this.#place === 'content';
          const { piece, found } = this.#untilDelimiter();
          if (inContent && piece.length > 0) yield { kind: 'bytes', bytes: piece };
          if (!found) return;
          if (inContent) yield { kind: 'end' };
          break;
        }
        case 'delimiter':
          if (!this.#afterDelimiter()) return;
          break;
        case 'headers': {
          const headers = this.#headers();
          if (headers === undefined) return;
          yield { kind: 'begin', headers };
          break;
        }
        case 'epilogue':
          this.#held = NOTHING;
          return;
      }
    }
  }

  /** The message is complete. @throws {ReadError} when it is not. */
  end(): void {
    if (this.#place !== 'epilogue') throw malformed('The message ends before its last boundary.');
  }

  /** @returns what stands before the delimiter, or before what could be its beginning. */
  #untilDelimiter(): { readonly piece: Buffer; readonly found: boolean } {
    const held = this.#held;
    const at = held.indexOf(this.#delimiter);
    const found = at >= 0;
    const end = lineEnd(held, found ? at : beginningAt(held, this.#delimiter));
    this.#held = held.subarray(found ? at + this.#delimiter.length : end);
    if (found) this.#place = 'delimiter';
    return { piece: held.subarray(0, end), found };
  }

  /**
   * Behind a delimiter `--` ends the message, blanks and a line break begin a part.
   * @returns whether that is known now.
   */
  #afterDelimiter(): boolean {
    const held = this.#held;
    if (held.length < 2) return false;
    if (held.toString('latin1', 0, 2) === '--') {
      this.#place = 'epilogue';
      return true;
    }
    const end = held.indexOf(LF);
    if (held.toString('latin1', 0, end < 0 ? held.length : end).trim() !== '') {
      throw malformed('A boundary must be followed by a line break.');
    }
    this.#bound(end < 0 ? held.length : end);
    if (end < 0) return false;
    if (++this.#parts > this.#limits.parts)
      throw this.#over('parts', 'The number of parts', 'parts');
    // The line break is kept: the headers end at an empty line, which comes at once where there are
    // none.
    this.#held = held.subarray(end);
    this.#place = 'headers';
    return true;
  }

  #headers(): PartHeaders | undefined {
    const held = this.#held;
    // Around them stand line ends of 6 bytes at most.
    const most = this.#limits.partHeaderBytes + 6;
    const blank = BLANK_LINE.exec(held.toString('latin1', 0, most));
    // What may be the beginning of the empty line is none of theirs yet.
    const end = blank === null ? held.length - LONGEST_BLANK_LINE : lineEnd(held, blank.index);
    this.#bound(end - 1);
    if (blank === null) return undefined;
    const headers = parseHeaders(held.toString('utf8', 0, end));
    this.#held = held.subarray(blank.index + blank[0].length);
    this.#place = 'content';
    return headers;
  }

  #bound(headerBytes: number): void {
    if (headerBytes > this.#limits.partHeaderBytes) {
      throw this.#over('partHeaderBytes', 'The headers of a part', 'bytes');
    }
  }

  #over(name: keyof Limits, subject: string, unit: string): ReadError {
    return limitError({ name, value: this.#limits[name] }, subject, unit);
  }
}

/**
 * Where the beginning of a possible delimiter starts, at the end of some bytes; their length when
 * there is none. That is nearly always so: then nothing is held, and the next bytes need not be
 * copied behind it.
 */
function beginningAt(bytes: Buffer, delimiter: Buffer): number {
  for (let at = Math.max(0, bytes.length - delimiter.length + 1); ; at++) {
    at = bytes.indexOf(LF, at);
    if (at < 0) return bytes.length;
    if (bytes.compare(delimiter, 0, bytes.length - at, at) === 0) return at;
  }
}

/** Where a line ends whose line feed is at an index, or would be there. */
const lineEnd = (bytes: Buffer, at: number): number => (bytes[at - 1] === CR ? at - 1 : at);

/** @param text header lines, which may be folded. */
function parseHeaders(text: string): PartHeaders {
  const headers = new Map<string, string>();
  for (const line of text.replaceAll(/\r?\n[\t ]/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    if (colon > 0 && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

function malformed(message: string): ReadError {
  return new ReadError('malformed', message);
}
