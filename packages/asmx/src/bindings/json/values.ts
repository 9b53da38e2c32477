import type { CompiledOperation } from '../../contract/compiled.ts';
import type { Exchange } from '../../engine/exchange.ts';
import type { PartialValues } from '../../engine/intake/intake.ts';
import { UnreadableValue } from '../../engine/unreadable-value.ts';
import { FileParameters } from '../../message/files/file-parameters.ts';
import type { FileValues } from '../../message/files/file-values.ts';
import { TextCollector } from '../../message/text-collector.ts';
import type { JsonContent, JsonHandler, JsonKind } from './json-reader.ts';

const FILE_CONTENT: JsonContent = { mode: 'text', maxChars: Number.POSITIVE_INFINITY };
const FILE_BYTE: JsonContent = { mode: 'text', isFile: true };

/**
 * Turns the members of one JSON object into values by parameter position. Names are case-sensitive; of a repeated name
 * the first value counts; `null` counts as absent; unknown members are ignored. A file is a base64 string or an array
 * of numbers, as ASP.NET writes it.
 */
export class JsonValues implements JsonHandler, PartialValues {
  readonly #exchange: Exchange;
  readonly #operation: CompiledOperation;
  readonly #values: unknown[];
  readonly #files: FileParameters;
  #current = -1;
  /** The last name that was met, and the position of its parameter: an array has many values of one name. */
  #lastName: string | undefined;
  #lastIndex = -1;
  /** Of the parameter at {@link #fileIndex}. */
  #file: FileValues | undefined;
  #fileIndex = -1;
  #kind: JsonKind = 'null';
  readonly #text = new TextCollector();

  constructor(exchange: Exchange, operation: CompiledOperation) {
    this.#exchange = exchange;
    this.#operation = operation;
    this.#files = new FileParameters(exchange, operation, 'json');
    this.#values = new Array(operation.operation.parameters.length).fill(undefined);
  }

  textAt(index: number): string | undefined {
    const value = this.#values[index];
    return typeof value === 'string' ? value : undefined;
  }

  /** Resolves when the sinks of the files have accepted the data; `undefined` when they already have. */
  get drained(): Promise<unknown> | undefined {
    return this.#files.drained;
  }

  /** Called at the end of the object. @returns values by parameter position. */
  async finish(): Promise<readonly unknown[]> {
    await this.#files.finish(this.#values);
    return this.#values;
  }

  open(name: string, kind: JsonKind): 'text' | 'skip' | JsonContent {
    this.#current = -1;
    if (name !== this.#lastName) {
      this.#lastName = name;
      this.#lastIndex = this.#operation.indexByName.get(name) ?? -1;
    }
    const index = this.#lastIndex;
    if (index < 0 || kind === 'null' || this.#values[index] !== undefined) return 'skip';
    if (index !== this.#fileIndex) {
      this.#fileIndex = index;
      this.#file = this.#files.at(index);
    }
    this.#kind = kind;
    if (this.#file === undefined ? isNested(kind) : kind !== 'string' && kind !== 'number') {
      if (this.#file !== undefined) this.#file.refuse('it must be base64 in a string, or an array of numbers.');
      else this.#values[index] = new UnreadableValue('it must be a string, a number, true, false or null.');
      return 'skip';
    }
    this.#current = index;
    if (this.#file === undefined) return 'text';
    if (kind === 'number') return FILE_BYTE;
    this.#file.begin('text');
    return FILE_CONTENT;
  }

  text(piece: string): void {
    if (this.#file === undefined) {
      this.#text.add(piece);
      return;
    }
    this.#exchange.intake.passedOn(piece.length + 1);
    if (this.#kind === 'number') this.#file.number(piece);
    else this.#file.text(piece);
  }

  takesNumbers(): boolean {
    return this.#file?.takesNumbers === true;
  }

  numbers(numbers: Uint16Array, chars: number): void {
    this.#exchange.intake.passedOn(chars);
    this.#file!.numbers(numbers);
  }

  close(): void {
    if (this.#current < 0) return;
    if (this.#file === undefined) this.#values[this.#current] = this.#converted(this.#text.take());
    else if (this.#kind === 'string') this.#file.end();
    this.#current = -1;
  }

  /** The text of a scalar as ASP.NET converts it: `5.0` and `1e1` to an int, `true` to the string `True`. */
  #converted(text: string): string {
    const { type } = this.#operation.operation.parameters[this.#current]!;
    if (type === 'int' && this.#kind === 'number' && Number.isSafeInteger(Number(text))) return String(Number(text));
    if (type === 'string' && this.#kind === 'boolean') return text === 'true' ? 'True' : 'False';
    return text;
  }
}

const isNested = (kind: JsonKind): boolean => kind === 'object' || kind === 'array';
