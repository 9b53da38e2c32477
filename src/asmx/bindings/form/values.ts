import type { CompiledOperation } from '../../compiled.ts';
import type { Exchange } from '../../exchange.ts';
import { type FormContent, type FormHandler, FormReader } from '../../form.ts';
import { FileValues } from '../file-values.ts';

/** A file's text is never held, so only the body's size bounds it; a `+` in it is base64's, not a blank. */
const FILE_CONTENT: FormContent = { mode: 'text', maxChars: Number.POSITIVE_INFINITY, plus: 'plus' };

/**
 * Reads a form into values by parameter position. Names are case-insensitive, a repeated scalar is joined with commas
 * (both as in ASP.NET, asmx-wire section 7), a repeated file is what {@link FileValues} makes of it.
 */
export class FormValues implements FormHandler {
  readonly #exchange: Exchange;
  readonly #operation: CompiledOperation;
  readonly #reader: FormReader;
  readonly #values: unknown[];
  readonly #files = new Map<number, FileValues>();
  #current = -1;
  #file: FileValues | undefined;
  #text = '';

  constructor(exchange: Exchange, operation: CompiledOperation, charset?: string) {
    this.#exchange = exchange;
    this.#operation = operation;
    this.#values = new Array(operation.operation.parameters.length).fill(undefined);
    this.#reader = new FormReader(this, { limits: exchange.service.limits, charset });
  }

  push(chunk: Uint8Array): void | Promise<void> {
    this.#reader.push(chunk);
    return this.#file?.drained();
  }

  async finish(): Promise<readonly unknown[]> {
    this.#reader.end();
    for (const [index, file] of this.#files) this.#values[index] = await file.finish();
    return this.#values;
  }

  open(name: string): 'text' | 'skip' | FormContent {
    const index = this.#operation.indexByLowerName.get(name.toLowerCase());
    if (index === undefined) return 'skip';
    this.#current = index;
    this.#text = '';
    this.#file = undefined;
    if (this.#operation.operation.parameters[index]!.type !== 'base64Binary') return 'text';
    this.#file = this.#files.get(index) ?? new FileValues(this.#exchange);
    this.#files.set(index, this.#file);
    return FILE_CONTENT;
  }

  text(piece: string): void {
    if (this.#file !== undefined) this.#file.text(piece);
    else this.#text = this.#text === '' ? piece : this.#text + piece;
  }

  close(): void {
    if (this.#current < 0) return;
    if (this.#file !== undefined) this.#file.endValue();
    else {
      const earlier = this.#values[this.#current];
      this.#values[this.#current] = earlier === undefined ? this.#text : `${earlier},${this.#text}`;
    }
    this.#current = -1;
  }
}
