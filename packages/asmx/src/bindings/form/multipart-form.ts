import type { Limits } from '../../contract/limits.ts';
import { type CharsetDecoder, charsetDecoder, Utf8Decoder } from '../../message/charset.ts';
import { refuseUnreadCharset } from '../../message/charsets/unread.ts';
import { parseContentType } from '../../message/http.ts';
import { type PartHeaders, PartReader } from '../../message/multipart.ts';
import { limitError, ReadError } from '../../message/read-error.ts';
import type { FormContent, FormHandler } from './form-reader.ts';

/** Receives the parts of a multipart form in order: pairs as in other forms, and files as bytes. */
export interface MultipartFormHandler extends FormHandler {
  /** As `open`, for a part that is a file. In mode `text` it is decoded and reported by `text`. */
  openFile(name: string): 'bytes' | 'text' | 'skip';
  /** A piece of a file's bytes; never empty. The reader does not change it afterwards. */
  bytes(piece: Uint8Array): void;
}

interface MultipartFormOptions {
  readonly limits: Limits;
  /** The parameter of the Content-Type. */
  readonly boundary: string | undefined;
  /** The charset of parts without one; UTF-8 when absent or unknown. */
  readonly charset?: string | undefined;
}

/**
 * Reads `multipart/form-data` in pieces of any size (RFC 7578): bytes in, names and pieces of
 * contents out. A part is a file if it has a file name, or a media type other than text. Limits:
 * those of {@link PartReader}, `nameChars` and `textChars`.
 */
export class MultipartFormReader {
  readonly #handler: MultipartFormHandler;
  readonly #limits: Limits;
  readonly #charset: string | undefined;
  readonly #parts: PartReader;
  #name = '';
  #taking: 'bytes' | 'text' | 'skip' = 'skip';
  #decoder: CharsetDecoder = new Utf8Decoder(false);
  #chars = 0;
  #maxChars = 0;
  /** The charset in which invalid bytes were replaced; `undefined` for none so far. */
  replacedIn: string | undefined = undefined;

  /** @throws {ReadError} when there is no boundary. */
  constructor(handler: MultipartFormHandler, { limits, boundary, charset }: MultipartFormOptions) {
    this.#handler = handler;
    this.#limits = limits;
    this.#charset = charset;
    this.#parts = new PartReader(boundary, limits);
  }

  /** Reads more of the form. The bytes of files are handed on as they are. @throws {ReadError} */
  push(chunk: Uint8Array): void {
    for (const event of this.#parts.push(chunk)) {
      if (event.kind === 'begin') this.#begin(event.headers);
      else if (event.kind === 'bytes') this.#content(event.bytes);
      else this.#end();
    }
  }

  /** The form is complete. @throws {ReadError} when it is not. */
  end(): void {
    this.#parts.end();
  }

  #begin(headers: PartHeaders): void {
    const { parameters } = parseContentType(headers.get('content-disposition'));
    const type = parseContentType(headers.get('content-type'));
    const name = parameters.get('name');
    if (name === undefined) throw new ReadError('malformed', 'A part of the form has no name.');
    if (name.length > this.#limits.nameChars)
      throw this.#over('nameChars', this.#limits.nameChars, 'The name of a part');
    const isText = type.base === '' || type.base.startsWith('text/');
    const isFile = parameters.has('filename') || parameters.has('filename*') || !isText;
    const answer = isFile ? this.#handler.openFile(name) : this.#handler.open(name);
    const content: FormContent | { mode: 'bytes' } =
      typeof answer === 'string' ? { mode: answer } : answer;
    this.#name = name;
    this.#taking = content.mode;
    this.#chars = 0;
    this.#maxChars =
      (content.mode === 'bytes' ? undefined : content.maxChars) ?? this.#limits.textChars;
    const charset = type.parameters.get('charset') ?? this.#charset ?? 'utf-8';
    refuseUnreadCharset(charset);
    this.#decoder = charsetDecoder(charset, false) ?? new Utf8Decoder(false);
  }

  #content(piece: Buffer): void {
    if (this.#taking === 'bytes') this.#handler.bytes(piece);
    else if (this.#taking === 'text') this.#text(this.#decoder.decode(piece, false));
  }

  #end(): void {
    if (this.#taking === 'text') this.#text(this.#decoder.decode(new Uint8Array(0), true));
    if (this.#decoder.replaced) this.replacedIn ??= this.#decoder.encoding;
    this.#handler.close();
  }

  #text(piece: string): void {
    if (piece === '') return;
    this.#chars += piece.length;
    if (this.#chars > this.#maxChars)
      throw this.#over('textChars', this.#maxChars, `The value of ${this.#name}`);
    this.#handler.text(piece);
  }

  #over(name: 'nameChars' | 'textChars', value: number, subject: string): ReadError {
    return limitError({ name, value }, subject, 'characters');
  }
}
