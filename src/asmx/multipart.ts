import { asBuffer, type CharsetDecoder, charsetDecoder, Utf8Decoder } from './charset.ts';
import type { FormContent, FormHandler } from './form.ts';
import { parseContentType } from './http.ts';
import type { Limits } from './limits.ts';
import { breachSentence, ReadError } from './read-error.ts';

/** A part's own headers, as far as they matter. */
export interface PartHeaders {
  readonly name: string;
  /** Whether the part is a file: it says a file name, or a media type that is no text. */
  readonly isFile: boolean;
}

/** Receives the parts of a multipart form in their order: pairs as of other forms, and files as bytes. */
export interface MultipartHandler extends FormHandler {
  /** A part that is a file, in place of `open`: `text` when it is to be decoded and come by `text` all the same. */
  openFile(name: string): 'bytes' | 'text' | 'skip' | FormContent;
  /** A piece of a file's bytes; never empty, not used by the reader afterwards. */
  bytes(piece: Uint8Array): void;
}

export interface MultipartReaderOptions {
  readonly limits: Limits;
  /** The parameter of the Content-Type. */
  readonly boundary: string;
  /** The charset of parts that name none; UTF-8 when absent or unknown. */
  readonly charset?: string | undefined;
}

const CRLF = Buffer.from('\r\n');
const BLANK_LINE = Buffer.from('\r\n\r\n');
const HYPHEN = 0x2d;
const NOTHING = Buffer.alloc(0);

/** Where in the form the reader stands. */
type Place = 'preamble' | 'delimiter' | 'headers' | 'content' | 'epilogue';

/**
 * Reads `multipart/form-data` incrementally (RFC 7578, RFC 2046 section 5.1): bytes in, in any split; names and pieces
 * of contents out. Nothing is held but the headers of a part and what could be the beginning of a delimiter.
 * Limits: `formPairs` (parts), `partHeaderBytes`, `nameChars` and `textChars`.
 */
export class MultipartReader {
  readonly #handler: MultipartHandler;
  readonly #limits: Limits;
  readonly #charset: string | undefined;
  readonly #delimiter: Buffer;
  #place: Place = 'preamble';
  /** What was read and is not understood yet. The first delimiter needs no line before it: one is put there. */
  #held: Buffer = CRLF;
  #parts = 0;
  #name = '';
  #taking: 'bytes' | 'text' | 'skip' = 'skip';
  #decoder: CharsetDecoder = new Utf8Decoder(false);
  #chars = 0;
  #maxChars = 0;

  /** @throws {ReadError} when there is no boundary. */
  constructor(handler: MultipartHandler, { limits, boundary, charset }: MultipartReaderOptions) {
    if (boundary === '') throw malformed('The Content-Type multipart/form-data must name its boundary.');
    this.#handler = handler;
    this.#limits = limits;
    this.#charset = charset;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  }

  /** Reads more of the form. The bytes may be handed on, so they must not change. @throws {ReadError} */
  push(chunk: Uint8Array): void {
    this.#held = this.#held.length === 0 ? asBuffer(chunk) : Buffer.concat([this.#held, chunk]);
    while (this.#step());
  }

  /** The form is complete. @throws {ReadError} when it is not. */
  end(): void {
    if (this.#place !== 'epilogue') throw malformed('The form ends before its last boundary.');
  }

  /** Takes what can be taken. False when more bytes are needed. */
  #step(): boolean {
    switch (this.#place) {
      case 'preamble':
      case 'content':
        return this.#untilDelimiter();
      case 'delimiter':
        return this.#afterDelimiter();
      case 'headers':
        return this.#headers();
      case 'epilogue':
        this.#held = NOTHING;
        return false;
    }
  }

  #untilDelimiter(): boolean {
    const held = this.#held;
    const found = held.indexOf(this.#delimiter);
    const end = found < 0 ? Math.max(0, held.length - this.#delimiter.length + 1) : found;
    if (this.#place === 'content') this.#content(held.subarray(0, end), found >= 0);
    this.#held = held.subarray(found < 0 ? end : found + this.#delimiter.length);
    if (found >= 0) this.#place = 'delimiter';
    return found >= 0;
  }

  /** Behind a delimiter: `--` ends the form; blanks and a line break begin a part. */
  #afterDelimiter(): boolean {
    const held = this.#held;
    if (held.length < 2) return false;
    if (held[0] === HYPHEN && held[1] === HYPHEN) {
      this.#place = 'epilogue';
      return true;
    }
    const end = held.indexOf(CRLF);
    if (!isBlank(held.subarray(0, end < 0 ? held.length - 1 : end))) {
      throw malformed('A boundary must be followed by a line break.');
    }
    if (end < 0) {
      this.#boundHeaders(held.length);
      return false;
    }
    // The line break is kept: the headers end at an empty line, which comes at once where there are none.
    this.#held = held.subarray(end);
    this.#place = 'headers';
    return true;
  }

  #headers(): boolean {
    const end = this.#held.indexOf(BLANK_LINE);
    this.#boundHeaders(end < 0 ? this.#held.length : end);
    if (end < 0) return false;
    const headers = this.#held.toString('utf8', 0, end);
    this.#held = this.#held.subarray(end + BLANK_LINE.length);
    this.#place = 'content';
    this.#begin(headers);
    return true;
  }

  #begin(headers: string): void {
    if (++this.#parts > this.#limits.formPairs) throw this.#over('formPairs', 'The number of parts', 'parts');
    const disposition = parseContentType(headerOf(headers, 'content-disposition'));
    const type = parseContentType(headerOf(headers, 'content-type'));
    const { parameters } = disposition;
    const name = parameters.get('name');
    if (name === undefined) throw malformed('A part of the form has no name in its Content-Disposition.');
    if (name.length > this.#limits.nameChars) throw this.#over('nameChars', 'The name of a part', 'characters');
    this.#name = name;
    const isText = type.base === '' || type.base.startsWith('text/');
    const isFile = parameters.has('filename') || parameters.has('filename*') || !isText;
    const answer = isFile ? this.#handler.openFile(name) : this.#handler.open(name);
    const content = typeof answer === 'string' ? { mode: answer } : answer;
    this.#taking = content.mode;
    this.#chars = 0;
    this.#maxChars = ('maxChars' in content ? content.maxChars : undefined) ?? this.#limits.textChars;
    const charset = type.parameters.get('charset') ?? this.#charset ?? 'utf-8';
    this.#decoder = charsetDecoder(charset, false) ?? new Utf8Decoder(false);
  }

  #content(piece: Buffer, last: boolean): void {
    if (this.#taking === 'bytes' && piece.length > 0) this.#handler.bytes(piece);
    if (this.#taking === 'text') this.#text(this.#decoder.decode(piece, last));
    if (last) this.#handler.close();
  }

  #text(piece: string): void {
    if (piece === '') return;
    this.#chars += piece.length;
    if (this.#chars > this.#maxChars) {
      const breach = { name: 'textChars', value: this.#maxChars } as const;
      throw new ReadError('limit', breachSentence(breach, `The value of ${this.#name}`, 'characters'), breach);
    }
    this.#handler.text(piece);
  }

  #boundHeaders(length: number): void {
    if (length > this.#limits.partHeaderBytes) throw this.#over('partHeaderBytes', 'The headers of a part', 'bytes');
  }

  #over(name: keyof Limits, subject: string, unit: string): ReadError {
    const breach = { name, value: this.#limits[name] };
    return new ReadError('limit', breachSentence(breach, subject, unit), breach);
  }
}

/** The value of the first header of a name, in lower case. @param headers each behind a line break. */
function headerOf(headers: string, name: string): string | undefined {
  for (const line of headers.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0 && line.slice(0, colon).trim().toLowerCase() === name) return line.slice(colon + 1).trim();
  }
  return undefined;
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09);
}

function malformed(message: string): ReadError {
  return new ReadError('malformed', message);
}
