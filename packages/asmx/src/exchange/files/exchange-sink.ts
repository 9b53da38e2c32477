import type { BinarySink } from '../../contract/binary.ts';
import type { Exchange } from '../exchange.ts';

/**
 * A sink of the service's for one file of a call. The service's own is made with the first byte, so
 * that a parameter or part without any costs nothing; and when the credential has been read by
 * then, after it was found good.
 */
export class ExchangeSink implements BinarySink<unknown> {
  readonly #exchange: Exchange;
  #sink: BinarySink<unknown> | undefined;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  write(piece: Uint8Array): void | Promise<void> {
    const checking = this.#exchange.intake.fileComes(piece.length);
    return checking === undefined
      ? this.#open().write(piece)
      : checking.then(() => this.#open().write(piece));
  }

  finish(): unknown {
    return this.#open().finish();
  }

  abandon(): void {
    this.#sink?.abandon?.();
  }

  release(): void | Promise<void> {
    return this.#sink?.release();
  }

  #open(): BinarySink<unknown> {
    this.#sink ??= this.#exchange.service.createBinarySink();
    return this.#sink;
  }
}
