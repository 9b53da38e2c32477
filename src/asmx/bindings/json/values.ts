import type { CompiledOperation } from '../../compiled.ts';
import { ProtocolError } from '../../errors.ts';
import type { Exchange } from '../../exchange.ts';
import { type JsonContent, type JsonHandler, type JsonKind, JsonReader } from '../../json.ts';
import { FileValues } from '../file-values.ts';

const FILE_CONTENT: JsonContent = { mode: 'text', maxChars: Number.POSITIVE_INFINITY };

/**
 * Reads one JSON object into values by parameter position: names are exact, the first of a repeated one wins, `null`
 * is not given, unknown members are ignored. A file is a base64 string or an array of numbers, as ASP.NET writes it.
 */
export class JsonValues implements JsonHandler {
  readonly #exchange: Exchange;
  readonly #operation: CompiledOperation;
  readonly #reader: JsonReader;
  readonly #values: unknown[];
  readonly #files = new Map<number, FileValues>();
  #current = -1;
  #file: FileValues | undefined;
  #text = '';

  constructor(exchange: Exchange, operation: CompiledOperation) {
    this.#exchange = exchange;
    this.#operation = operation;
    this.#values = new Array(operation.operation.parameters.length).fill(undefined);
    const charset = exchange.contentType.parameters.get('charset');
    this.#reader = new JsonReader(this, { limits: exchange.service.limits, charset });
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

  open(name: string, kind: JsonKind): 'text' | 'skip' | JsonContent {
    const index = this.#operation.indexByName.get(name);
    this.#current = -1;
    this.#file = undefined;
    if (index === undefined || kind === 'null' || this.#values[index] !== undefined) return 'skip';
    const parameter = this.#operation.operation.parameters[index]!;
    if (kind === 'object' || kind === 'array') {
      const message = `${parameter.name} must be a string, a number, true, false or null, not an ${kind}.`;
      throw new ProtocolError('InvalidParameter', message, {}, { parameter: parameter.name });
    }
    this.#current = index;
    this.#text = '';
    if (parameter.type !== 'base64Binary') return 'text';
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
    else this.#values[this.#current] = this.#text;
    this.#current = -1;
  }
}
