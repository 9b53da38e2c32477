import { ProtocolError } from '../../errors.ts';
import { type ContentType, parseContentType } from '../../http.ts';
import type { Limits } from '../../limits.ts';

/** The headers of a part that matter here. */
export interface PartHeaders {
  /** Without its angle brackets; `undefined` when the part has none. */
  readonly contentId: string | undefined;
  readonly contentType: ContentType;
  /** Lower case; `binary` when the part says nothing. */
  readonly transferEncoding: string;
}

/** What is met in a message, in its order: a part's headers, pieces of its content, its end. */
export type PartEvent =
  | { readonly kind: 'begin'; readonly headers: PartHeaders }
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'end' };

const CRLF = '\r\n';
const BLANK_LINE = '\r\n\r\n';
const NOTHING = Buffer.alloc(0);

/** Parts of one message at most. */
const MAX_PARTS = 100;
/** RFC 2046, 5.1.1. */
const MAX_BOUNDARY_CHARS = 70;

/** Where in the message the reader stands. */
type Place = 'preamble' | 'delimiter' | 'headers' | 'content' | 'epilogue';

/**
 * Reads multipart/related incrementally (RFC 2387, RFC 2046 section 5.1): bytes in, in any split; events out. Nothing
 * is held but the headers of a part and what could be the beginning of a delimiter.
 */
export class PartReader {
  readonly #delimiter: Buffer;
  readonly #maxHeaderBytes: number;
  #place: Place = 'preamble';
  /** What was read and is not understood yet. The first delimiter needs no line before it: one is put there. */
  #held: Buffer = Buffer.from(CRLF);
  #parts = 0;

  /** @throws {ProtocolError} when the boundary cannot be one. */
  constructor(boundary: string | undefined, limits: Limits) {
    if (boundary === undefined || boundary === '' || boundary.length > MAX_BOUNDARY_CHARS) {
      throw malformed(`The Content-Type must name a boundary of 1 to ${MAX_BOUNDARY_CHARS} characters.`);
    }
    this.#delimiter = Buffer.from(`${CRLF}--${boundary}`, 'latin1');
    this.#maxHeaderBytes = limits.headerBytes;
  }

  /** Reads more of the message. A piece of content holds until the next event is asked for. @throws {ProtocolError} */
  *push(chunk: Uint8Array): Generator<PartEvent> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
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

  /** The message is complete. @throws {ProtocolError} when it is not. */
  end(): void {
    if (this.#place !== 'epilogue') throw malformed('The message ends before its last boundary.');
  }

  /** @returns what stands before the delimiter, or before what could be its beginning. */
  #untilDelimiter(): { readonly piece: Buffer; readonly found: boolean } {
    const held = this.#held;
    const at = held.indexOf(this.#delimiter);
    const found = at >= 0;
    const end = found ? at : Math.max(0, held.length - this.#delimiter.length + 1);
    this.#held = held.subarray(found ? at + this.#delimiter.length : end);
    if (found) this.#place = 'delimiter';
    return { piece: held.subarray(0, end), found };
  }

  /** Behind a delimiter `--` ends the message, a line break begins a part. @returns whether that is known now. */
  #afterDelimiter(): boolean {
    const held = this.#held;
    if (held.length < 2) return false;
    if (held.toString('latin1', 0, 2) === '--') {
      this.#place = 'epilogue';
      return true;
    }
    const end = held.indexOf(CRLF);
    if (held.toString('latin1', 0, end < 0 ? held.length - 1 : end).trim() !== '') {
      throw malformed('A boundary must be followed by a line break.');
    }
    if (end < 0) return this.#wait();
    if (++this.#parts > MAX_PARTS) throw malformed(`The message has more than ${MAX_PARTS} parts.`);
    // The line break is kept: the headers end at an empty line, which comes at once where there are none.
    this.#held = held.subarray(end);
    this.#place = 'headers';
    return true;
  }

  #headers(): PartHeaders | undefined {
    const end = this.#held.indexOf(BLANK_LINE);
    if (end < 0) {
      this.#wait();
      return undefined;
    }
    const lines = unfolded(this.#held.toString('latin1', 0, end));
    this.#held = this.#held.subarray(end + BLANK_LINE.length);
    this.#place = 'content';
    return {
      contentId: headerOf(lines, 'content-id')?.replace(/^</, '').replace(/>$/, ''),
      contentType: parseContentType(headerOf(lines, 'content-type')),
      transferEncoding: headerOf(lines, 'content-transfer-encoding')?.toLowerCase() ?? 'binary',
    };
  }

  /** More bytes are needed, within bounds. */
  #wait(): false {
    if (this.#held.length <= this.#maxHeaderBytes) return false;
    throw new ProtocolError('TooLarge', `The headers of a part are over the limit of ${this.#maxHeaderBytes} bytes.`);
  }
}

/** Header lines, each in one piece. */
function unfolded(headers: string): readonly string[] {
  return headers.replaceAll('\r\n\t', ' ').replaceAll('\r\n ', ' ').split(CRLF);
}

/** The value of the first header of a name, in lower case. */
function headerOf(lines: readonly string[], name: string): string | undefined {
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0 && line.slice(0, colon).trim().toLowerCase() === name) return line.slice(colon + 1).trim();
  }
  return undefined;
}

function malformed(message: string): ProtocolError {
  return new ProtocolError('MalformedRequest', message, { status: 400 });
}
