import { ProtocolError } from '../../contract/errors.ts';
import type { Parameter } from '../../contract/service.ts';
import type { CompiledOperation } from '../../exchange/compiled.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { FileParameters } from '../../exchange/files/file-parameters.ts';
import type { FileValues } from '../../exchange/files/file-values.ts';
import type { PartialValues } from '../../exchange/intake/intake.ts';
import { IgnoredMembers } from '../../message/ignored-members.ts';
import { TextCollector } from '../../message/text-collector.ts';
import { ElementInput, type Input, RawText } from '../../values/input.ts';
import type { FormContent } from './form-reader.ts';
import type { MultipartFormHandler } from './multipart-form.ts';

/** The text of a file is never stored, so only the size of the body limits it. */
const FILE_CONTENT: FormContent = {
  mode: 'text',
  maxChars: Number.POSITIVE_INFINITY,
  plus: 'lost',
  isFile: true,
};

/** The characters of a pair besides name and value: a file may have one pair for each byte. */
const PAIR_CHARS = '=&'.length;

/**
 * Turns the pairs of a form, or the parts of a multipart form, into parameters: scalars, lists of
 * scalars, and files. Names are case-insensitive. The items of a list are pairs with one name; the
 * values of a repeated scalar are joined with commas, as in ASP.NET (wire 7). {@link FileValues}
 * decides about a repeated file.
 */
export class FormValues implements MultipartFormHandler, PartialValues {
  readonly #exchange: Exchange;
  readonly #operation: CompiledOperation;
  /** Of each parameter its texts: those of a list, or the only one of a scalar. */
  readonly #texts: TextCollector[][];
  readonly #files: FileParameters;
  #current = -1;
  /** The last name, and the position of its parameter. */
  #lastName: string | undefined;
  #lastIndex = -1;
  #file: FileValues | undefined;
  #text: TextCollector | undefined;
  /** Names that no parameter has. */
  readonly ignored = new IgnoredMembers();

  /** @throws {ProtocolError} UnknownOperation when forms cannot carry its parameters. */
  constructor(exchange: Exchange, operation: CompiledOperation) {
    if (!operation.message.isForm) throw noForm(operation);
    this.#exchange = exchange;
    this.#operation = operation;
    this.#files = new FileParameters(exchange, operation, 'form');
    this.#texts = operation.message.request.elements.map(() => []);
  }

  textAt(index: number): string | undefined {
    return index === this.#current ? undefined : this.#texts[index]?.[0]?.text;
  }

  /**
   * Resolves when the sinks of the files have accepted the data; `undefined` when they already
   * have.
   */
  get drained(): Promise<unknown> | undefined {
    return this.#files.drained;
  }

  /** Called at the end of the form. */
  async finish(): Promise<Input> {
    const { elements } = this.#operation.message.request;
    const { timeZone, now } = this.#exchange.service;
    const given: unknown[] = this.#texts.map((texts, index) => this.#given(texts, index));
    const failures = await this.#files.finish(given);
    const context = { form: 'text', timeZone, now } as const;
    return new ElementInput(elements, (index) => given[index], {
      context,
      check: 'characters',
      failures,
    });
  }

  /** The text of a scalar, or the texts of a list; `undefined` for none. */
  #given(texts: readonly TextCollector[], index: number): RawText | readonly RawText[] | undefined {
    const [first] = texts;
    if (first === undefined) return undefined;
    if (this.#isList(index)) return texts.map(({ text }) => new RawText(text));
    return new RawText(restorePlus(first.text, this.#operation.operation.parameters[index]!));
  }

  #isList(index: number): boolean {
    const element = this.#operation.message.request.elements[index]!;
    return element.repeated || element.plan.kind === 'array';
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
    if (index < 0) this.ignored.add(name);
    this.#current = index;
    this.#file = this.#files.at(index);
    if (index >= 0 && this.#file === undefined) {
      const texts = this.#texts[index]!;
      const earlier = this.#isList(index) ? undefined : texts[0];
      earlier?.add(',');
      this.#text = earlier ?? new TextCollector();
      if (earlier === undefined) texts.push(this.#text);
    }
    return this.#file;
  }
}

function noForm({ name }: CompiledOperation): ProtocolError {
  const message = `${name} cannot be called by GET and POST: its parameters are more than scalars and lists of them. Use SOAP or JSON.`;
  return new ProtocolError('UnknownOperation', message);
}

/** Restores a `+` that a client did not encode, if the contract allows one. */
function restorePlus(text: string, { unencodedPlus }: Parameter): string {
  if (unencodedPlus === 'leading') return text.replace(LEADING, '+');
  return unencodedPlus === 'lone' && text === ' ' ? '+' : text;
}

const LEADING = /^ +(?=\p{Nd})/u;
