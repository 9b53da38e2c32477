import type { CompiledOperation } from '../../contract/compiled.ts';
import type { Parameter } from '../../contract/service.ts';
import type { Exchange } from '../../engine/exchange.ts';
import type { PartialValues } from '../../engine/intake/intake.ts';
import { FileParameters } from '../../message/files/file-parameters.ts';
import type { FileValues } from '../../message/files/file-values.ts';
import { TextCollector } from '../../message/text-collector.ts';
import type { FormContent } from './form-reader.ts';
import type { MultipartFormHandler } from './multipart-form.ts';

/** The text of a file is never stored, so only the size of the body limits it. */
const FILE_CONTENT: FormContent = { mode: 'text', maxChars: Number.POSITIVE_INFINITY, plus: 'lost', isFile: true };

/** The characters of a pair besides name and value: a file may have one pair for each byte. */
const PAIR_CHARS = '=&'.length;

/**
 * Turns the pairs of a form, or the parts of a multipart form, into values by parameter position. Names are
 * case-insensitive, and the values of a repeated scalar are joined with commas, as in ASP.NET (wire 7).
 * {@link FileValues} decides about a repeated file.
 */
export class FormValues implements MultipartFormHandler, PartialValues {
  readonly #exchange: Exchange;
  readonly #operation: CompiledOperation;
  readonly #texts: (TextCollector | undefined)[];
  readonly #files: FileParameters;
  #current = -1;
  /** The last name, and the position of its parameter. */
  #lastName: string | undefined;
  #lastIndex = -1;
  #file: FileValues | undefined;
  #text: TextCollector | undefined;

  constructor(exchange: Exchange, operation: CompiledOperation) {
    this.#exchange = exchange;
    this.#operation = operation;
    this.#files = new FileParameters(exchange, operation, 'form');
    this.#texts = new Array(operation.operation.parameters.length).fill(undefined);
  }

  textAt(index: number): string | undefined {
    return index === this.#current ? undefined : this.#texts[index]?.text;
  }

  /** Resolves when the sinks of the files have accepted the data; `undefined` when they already have. */
  get drained(): Promise<unknown> | undefined {
    return this.#files.drained;
  }

  /** Called at the end of the form. @returns values by parameter position. */
  async finish(): Promise<readonly unknown[]> {
    const { parameters } = this.#operation.operation;
    const values: unknown[] = this.#texts.map((text, index) => restorePlus(text?.text, parameters[index]!));
    await this.#files.finish(values);
    return values;
  }

  open(name: string): 'text' | 'skip' | FormContent {
    const file = this.#begin(name);
    file?.begin('text');
    if (file !== undefined) this.#exchange.intake.passedOn(name.length);
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
    if (this.#file === undefined) this.#text!.add(piece);
    else {
      this.#exchange.intake.passedOn(piece.length);
      this.#file.text(piece);
    }
  }

  takesNumbers(): boolean {
    return this.#files.at(this.#lastIndex)?.takesNumbers === true;
  }

  numbers(numbers: Uint16Array, chars: number): void {
    this.#exchange.intake.passedOn(chars);
    this.#files.at(this.#lastIndex)!.numbers(numbers);
  }

  bytes(piece: Uint8Array): void {
    this.#exchange.intake.passedOn(piece.length);
    this.#file!.bytes(piece);
  }

  close(): void {
    if (this.#file !== undefined) {
      this.#exchange.intake.passedOn(PAIR_CHARS);
      this.#file.end();
    }
    this.#current = -1;
    this.#file = undefined;
  }

  /** @returns the values of the parameter when it is a file. */
  #begin(name: string): FileValues | undefined {
    if (name !== this.#lastName) {
      this.#lastName = name;
      this.#lastIndex = this.#operation.indexByLowerName.get(name.toLowerCase()) ?? -1;
    }
    const index = this.#lastIndex;
    this.#current = index;
    this.#file = this.#files.at(index);
    if (index >= 0 && this.#file === undefined) {
      const earlier = this.#texts[index];
      earlier?.add(',');
      this.#text = this.#texts[index] = earlier ?? new TextCollector();
    }
    return this.#file;
  }
}

/** Restores a `+` that a client did not encode, if the contract allows one. */
function restorePlus(text: string | undefined, { unencodedPlus }: Parameter): string | undefined {
  if (text === undefined || unencodedPlus === undefined) return text;
  return unencodedPlus === 'lone' && text === ' '
    ? '+'
    : unencodedPlus === 'leading'
      ? text.replace(LEADING, '+')
      : text;
}

const LEADING = /^ +(?=\p{Nd})/u;
