import { Base64Decoder, Base64Error } from '../base64.ts';
import type { Exchange } from '../exchange.ts';

/**
 * The values of a file parameter that arrive as text outside SOAP: one byte a value where every value is a decimal
 * number up to 255 (ASP.NET's meaning over GET and POST), base64 otherwise; identical repeats of base64 count once,
 * different ones are concatenated (semantics 5, operation 5).
 */
export class FileValues {
  readonly #exchange: Exchange;
  readonly #values: string[] = [];
  #text = '';

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  text(piece: string): void {
    this.#text += piece;
  }

  endValue(): void {
    this.#values.push(this.#text);
    this.#text = '';
  }

  /** Resolves when what was given has reached the sink. */
  drained(): void | Promise<void> {}

  /** @returns what the service's sink made of the bytes, or the `Base64Error` of what is not base64. */
  async finish(): Promise<unknown> {
    const sink = this.#exchange.service.createBinarySink();
    this.#exchange.sinks.push(sink);
    try {
      for (const bytes of this.#pieces()) await sink.write(bytes);
    } catch (error) {
      if (error instanceof Base64Error) return error;
      throw error;
    }
    return sink.finish();
  }

  *#pieces(): Iterable<Uint8Array> {
    if (this.#values.every(isByte)) {
      yield Uint8Array.from(this.#values, Number);
      return;
    }
    for (const value of new Set(this.#values)) {
      const decoder = new Base64Decoder();
      yield decoder.push(value);
      yield decoder.end();
    }
  }
}

function isByte(value: string): boolean {
  return /^[0-9]{1,3}$/.test(value) && Number(value) <= 255;
}
