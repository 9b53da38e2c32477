import type { BinarySink } from '../../contract/binary.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { FileWriter } from '../../exchange/files/file-writer.ts';
import { Base64Decoder, Base64Error } from '../../message/base64.ts';
import type { FileText } from '../../values/reading/frames.ts';

/**
 * The file of one parameter of an envelope: its base64 is decoded as it arrives, and goes to its
 * sink.
 */
export class SoapFile implements FileText {
  readonly #exchange: Exchange;
  readonly #writer: FileWriter;
  /** `undefined` once the text was no base64: the rest of it is skipped. */
  #decoder: Base64Decoder | undefined = new Base64Decoder();
  #wrong: string | undefined;

  constructor(exchange: Exchange, parameter: string, sink?: BinarySink<unknown>) {
    this.#exchange = exchange;
    this.#writer = new FileWriter(exchange, parameter, sink);
  }

  /** Resolves when the sink has accepted the data; `undefined` when it already has. */
  get drained(): Promise<void> | undefined {
    return this.#writer.steps.done;
  }

  text(piece: string): void {
    this.#exchange.intake.passedOn(piece.length);
    this.#decode((decoder) => decoder.push(piece));
  }

  end(): string | undefined {
    this.#decode((decoder) => decoder.end());
    return this.#wrong;
  }

  /** @returns what the sink made of the bytes. */
  finish(): Promise<unknown> {
    return this.#writer.finish();
  }

  #decode(step: (decoder: Base64Decoder) => Uint8Array): void {
    if (this.#decoder === undefined) return;
    try {
      const bytes = step(this.#decoder);
      this.#writer.count(bytes.length);
      this.#writer.write(bytes);
    } catch (error) {
      if (!(error instanceof Base64Error)) throw error;
      this.#decoder = undefined;
      this.#wrong = `it is not base64. ${error.message}`;
    }
  }
}
