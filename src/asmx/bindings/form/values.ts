import type { CompiledOperation } from '../../compiled.ts';
import type { Exchange } from '../../exchange.ts';
import { FileParameters } from '../../files/file-parameters.ts';
import type { FileValues } from '../../files/file-values.ts';
import type { FormContent } from '../../form.ts';
import type { MultipartFormHandler } from '../../multipart-form.ts';

/** A file's text is never held, so only the body's size bounds it; a `+` in it is base64's, not a blank. */
const FILE_CONTENT: FormContent = { mode: 'text', maxChars: Number.POSITIVE_INFINITY, plus: 'plus' };

/**
 * Makes the pairs of a form, or the parts of a multipart form, values by parameter position. Names are
 * case-insensitive, a repeated scalar is joined with commas (both as in ASP.NET, wire 7), a repeated file
 * is what {@link FileValues} makes of it.
 */
export class FormValues implements MultipartFormHandler {
  readonly #operation: CompiledOperation;
  readonly #values: unknown[];
  readonly #files: FileParameters;
  #current = -1;
  #file: FileValues | undefined;
  #text = '';

  constructor(exchange: Exchange, operation: CompiledOperation) {
    this.#operation = operation;
    this.#files = new FileParameters(exchange, operation);
    this.#values = new Array(operation.operation.parameters.length).fill(undefined);
  }

  /** `undefined` when what was read has reached the sinks of the files, otherwise a promise of it. */
  get drained(): Promise<unknown> | undefined {
    return this.#files.drained;
  }

  /** The form was read to its end. @returns values by parameter position. */
  async finish(): Promise<readonly unknown[]> {
    await this.#files.finish(this.#values);
    return this.#values;
  }

  open(name: string): 'text' | 'skip' | FormContent {
    const file = this.#begin(name);
    file?.begin('text');
    if (this.#current < 0) return 'skip';
    return file === undefined ? 'text' : FILE_CONTENT;
  }

  openFile(name: string): 'bytes' | 'text' | 'skip' {
    const file = this.#begin(name);
    file?.begin('bytes');
    if (this.#current < 0) return 'skip';
    return file === undefined ? 'text' : 'bytes';
  }

  text(piece: string): void {
    if (this.#file !== undefined) this.#file.text(piece);
    else this.#text = this.#text === '' ? piece : this.#text + piece;
  }

  bytes(piece: Uint8Array): void {
    this.#file!.bytes(piece);
  }

  close(): void {
    if (this.#current < 0) return;
    if (this.#file !== undefined) this.#file.end();
    else {
      const earlier = this.#values[this.#current];
      this.#values[this.#current] = earlier === undefined ? this.#text : `${earlier},${this.#text}`;
    }
    this.#current = -1;
  }

  /** @returns the values of the parameter when it is a file. */
  #begin(name: string): FileValues | undefined {
    this.#current = this.#operation.indexByLowerName.get(name.toLowerCase()) ?? -1;
    this.#file = this.#files.at(this.#current);
    this.#text = '';
    return this.#file;
  }
}
