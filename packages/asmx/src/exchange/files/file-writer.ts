import type { BinarySink } from '../../contract/binary.ts';
import { ProtocolError } from '../../contract/errors.ts';
import type { ContentBuffer } from '../../message/files/content-buffer.ts';
import { Steps } from '../../message/files/steps.ts';
import type { Exchange } from '../exchange.ts';
import { ExchangeSink } from './exchange-sink.ts';

/**
 * The way of one file parameter's bytes into the service's sink: in order, bounded, released when
 * the exchange ends.
 */
export class FileWriter {
  /** Whatever must happen in the order of the bytes. */
  readonly steps = new Steps();
  readonly #exchange: Exchange;
  readonly #sink: BinarySink<unknown>;
  readonly #limit: number;
  readonly #parameter: string;
  #bytes = 0;

  /**
   * @param parameter its name, for the error.
   * @param sink where the bytes go; the service's own sink by default.
   */
  constructor(
    exchange: Exchange,
    parameter: string,
    sink: BinarySink<unknown> = new ExchangeSink(exchange),
  ) {
    this.#exchange = exchange;
    this.#sink = sink;
    this.#limit = exchange.service.limits.binaryBytes;
    this.#parameter = parameter;
    exchange.held.add({
      abandon: () => this.#sink.abandon?.(),
      release: async () => {
        await this.steps.settled();
        await this.#sink.release();
      },
    });
  }

  /**
   * Counts bytes that are written, or will be.
   * @throws {ProtocolError} TooLarge over the limit `binaryBytes`.
   */
  count(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= this.#limit) return;
    const message = `${this.#parameter} is over the limit binaryBytes of ${this.#limit} bytes.`;
    throw new ProtocolError('TooLarge', message, {}, { parameter: this.#parameter });
  }

  /** Writes bytes that were counted. @param piece not changed until it is written. */
  write(piece: Uint8Array): void {
    if (piece.length > 0) this.steps.add(() => this.#sink.write(piece));
  }

  /** Has bytes wait that may be written later. @param piece not changed afterwards. */
  wait(spool: ContentBuffer, piece: Uint8Array): void {
    this.steps.add(() => {
      const checking = this.#exchange.intake.fileComes(piece.length);
      return checking === undefined ? spool.write(piece) : checking.then(() => spool.write(piece));
    });
  }

  /** Writes bytes that were counted and have waited. */
  copy(spool: ContentBuffer): void {
    this.steps.add(async () => {
      for await (const piece of spool.read()) await this.#sink.write(piece);
    });
  }

  /** Writes what the bytes of a text that has waited are decoded to; they were counted. */
  decode(
    spool: ContentBuffer,
    decode: (text: Uint8Array) => Uint8Array,
    end: () => Uint8Array,
  ): void {
    this.steps.add(async () => {
      for await (const piece of spool.read()) await this.#sink.write(decode(piece));
      const rest = end();
      if (rest.length > 0) await this.#sink.write(rest);
    });
  }

  /** @returns what the service's sink made of the bytes. */
  async finish(): Promise<unknown> {
    await this.steps.done;
    return this.#sink.finish();
  }
}
