import type { ValueError } from '../../values/value-reading.ts';
import type { CompiledOperation } from '../compiled.ts';
import type { Exchange } from '../exchange.ts';
import { FileValues } from './file-values.ts';

/** The file parameters of one call outside SOAP, by position. */
export class FileParameters {
  readonly #exchange: Exchange;
  readonly #operation: CompiledOperation;
  readonly #files = new Map<number, FileValues>();
  readonly #outOfForm: boolean;

  /** @param form `form` where a blank in base64 may be a `+` that was not encoded. */
  constructor(exchange: Exchange, operation: CompiledOperation, form: 'form' | 'json') {
    this.#outOfForm = form === 'form';
    this.#exchange = exchange;
    this.#operation = operation;
  }

  /** The values of the parameter at a position, `undefined` when it is no file. */
  at(index: number): FileValues | undefined {
    let file = this.#files.get(index);
    if (file === undefined) {
      const element = this.#operation.message.request.elements[index];
      if (element?.streams !== true) return undefined;
      file = new FileValues(this.#exchange, element.property, this.#outOfForm);
      this.#files.set(index, file);
    }
    return file;
  }

  /** `undefined` when everything given so far has reached the sinks, otherwise a promise of it. */
  get drained(): Promise<unknown> | undefined {
    if (this.#files.size === 0) return undefined;
    const waiting = [...this.#files.values()].flatMap(({ drained }) => drained ?? []);
    return waiting.length === 0 ? undefined : Promise.all(waiting);
  }

  /**
   * The request was read to its end: puts what the sinks made of the files at their positions.
   * @returns what was wrong with them, by property; nothing when there are none.
   */
  async finish(values: unknown[]): Promise<ReadonlyMap<string, ValueError> | undefined> {
    if (this.#files.size === 0) return undefined;
    const failures = new Map<string, ValueError>();
    for (const [index, file] of this.#files) {
      const { failure } = file;
      if (failure === undefined) values[index] = await file.finish();
      else failures.set(failure.path, failure);
    }
    return failures;
  }
}
