import { Base64Error } from '../../message/base64.ts';
import { limitError } from '../../message/read-error.ts';
import { ValueError } from '../../values/value-reading.ts';
import type { Exchange } from '../exchange.ts';
import { ByteSeries } from './byte-series.ts';
import { FileWriter } from './file-writer.ts';
import { RepeatedContents } from './repeated-contents.ts';

/**
 * The values of one file parameter outside SOAP, streamed into the service's sink (semantics 5.5):
 * one byte a value where every value is a decimal number up to 255 (what ASP.NET means over GET and
 * POST); otherwise each is a content, as base64 or as it is, where identical repeats count once and
 * different ones are put together. Empty values are nothing.
 */
export class FileValues {
  readonly #exchange: Exchange;
  readonly #parameter: string;
  readonly #outOfForm: boolean;
  #writer: FileWriter;
  readonly #series: ByteSeries;
  /** As soon as a value is no number of a byte. */
  #contents: RepeatedContents | undefined;
  /** Why the parameter cannot be read. */
  failure: ValueError | undefined;
  /** Values so far that are no byte. */
  #contentCount = 0;

  /**
   * @param parameter its name.
   * @param outOfForm whether a blank in its base64 may be a `+` that was not encoded.
   */
  constructor(exchange: Exchange, parameter: string, outOfForm: boolean) {
    this.#exchange = exchange;
    this.#parameter = parameter;
    this.#outOfForm = outOfForm;
    this.#writer = new FileWriter(exchange, parameter);
    this.#series = new ByteSeries(this.#writer);
  }

  /**
   * A value begins.
   * @param form `text`, or the content's own bytes in a part of a multipart form.
   */
  begin(form: 'text' | 'bytes'): void {
    if (this.failure !== undefined) return;
    if (form === 'text') this.#contents?.begin('base64');
    else this.#attempt(() => (this.#contents ?? this.#seriesAsContents()).begin('bytes'));
  }

  /** A piece of a value begun as text. */
  text(piece: string): void {
    this.#attempt(() => {
      if (this.#contents === undefined && this.#series.text(piece)) return;
      (this.#contents ?? this.#seriesAndValueAsContents()).text(piece);
    });
  }

  /** A whole value that is a number and cannot be anything else, as in JSON. */
  number(text: string): void {
    if (this.#contents === undefined && this.#series.text(text) && this.#series.end()) return;
    this.refuse(
      'each of its numbers must be one byte, 0 to 255, and nothing else may stand beside them.',
    );
  }

  /**
   * Whether {@link numbers} takes values, as long as all that came were bytes; of a file that
   * cannot be read it drops them.
   */
  get takesNumbers(): boolean {
    return this.#contents === undefined || this.failure !== undefined;
  }

  /** Whole values that are bytes. @param numbers as `numberAt` says them. */
  numbers(numbers: Uint16Array): void {
    if (this.failure === undefined) this.#series.numbers(numbers);
  }

  /** A piece of a value begun as bytes; not changed afterwards. */
  bytes(piece: Uint8Array): void {
    this.#attempt(() => this.#contents!.bytes(piece));
  }

  /** The value is complete. @throws {ReadError} over the limit `fileContents`. */
  end(): void {
    const mayBeByte =
      this.failure === undefined && this.#contents === undefined && this.#series.value !== '';
    if (mayBeByte && this.#series.end()) return;
    this.#countContent();
    this.#attempt(() => {
      if (this.#contents === undefined && !mayBeByte) return;
      (this.#contents ?? this.#seriesAndValueAsContents()).end();
    });
  }

  /**
   * The parameter cannot be read, whatever else is given of it.
   * @param reason to follow its name.
   */
  refuse(reason: string): void {
    this.failure ??= new ValueError(this.#parameter, reason);
  }

  /** `undefined` when everything given so far has reached the sink, otherwise a promise of it. */
  get drained(): Promise<void> | undefined {
    return this.#writer.steps.done;
  }

  /** @returns what the service's sink made of the bytes of a file that can be read. */
  async finish(): Promise<unknown> {
    if (this.#contents === undefined) this.#series.flush();
    return this.#writer.finish();
  }

  #countContent(): void {
    const { fileContents } = this.#exchange.service.limits;
    if (++this.#contentCount <= fileContents) return;
    throw limitError(
      { name: 'fileContents', value: fileContents },
      `The number of values of ${this.#parameter}`,
      'values',
    );
  }

  /** What came as single bytes was base64 after all: it is written again. */
  #seriesAsContents(): RepeatedContents {
    const { texts } = this.#series;
    if (texts.length > 0) this.#writer = new FileWriter(this.#exchange, this.#parameter);
    const contents = new RepeatedContents(this.#exchange, this.#writer, this.#outOfForm);
    for (const text of texts) {
      contents.begin('base64');
      contents.text(text);
      contents.end();
    }
    this.#contents = contents;
    return contents;
  }

  #seriesAndValueAsContents(): RepeatedContents {
    const contents = this.#seriesAsContents();
    contents.begin('base64');
    contents.text(this.#series.value);
    return contents;
  }

  /** Text that is no base64 is the parameter's error; what else is given of it is read over. */
  #attempt(step: () => void): void {
    if (this.failure !== undefined) return;
    try {
      step();
    } catch (error) {
      if (!(error instanceof Base64Error)) throw error;
      this.refuse(`it is not base64. ${error.message}`);
    }
  }
}
