import { ProtocolError } from '../../contract/errors.ts';
import type { Endpoint } from '../../engine/endpoint-options.ts';
import type { Arrival } from '../../exchange/intake/arrivals.ts';
import { bytesBody, GatheredBytes, type WireBody } from '../../message/http.ts';

/**
 * A body that is read for another server, in the account of the endpoint. What has come of it
 * counts among the requests whose credential is not known; a body that comes too slowly ends.
 */
export class PassedBody {
  readonly #body: WireBody;
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #mostBytes: number;
  readonly #arrival: Arrival | undefined;
  readonly #read = new GatheredBytes();
  #bytes = 0;
  #done = false;

  /** @param mostBytes how long it may be. */
  constructor(body: WireBody, endpoint: Pick<Endpoint, 'arriving'>, mostBytes: number) {
    this.#body = body;
    this.#pieces = body[Symbol.asyncIterator]();
    this.#mostBytes = mostBytes;
    if (body.stop !== undefined) this.#arrival = endpoint.arriving((error) => body.stop?.(error));
  }

  /**
   * Its first bytes: so many, if it has them, and what came with them.
   * @throws {ProtocolError} as {@link whole}
   */
  async beginning(bytes: number): Promise<Uint8Array> {
    while (!this.#done && this.#bytes < bytes) await this.#readOn();
    return this.#read.joined();
  }

  /**
   * All of it.
   * @throws {ProtocolError} Busy, TooLarge, MalformedRequest for one that is cut off or too slow.
   */
  async whole(): Promise<Uint8Array> {
    while (!this.#done) await this.#readOn();
    return this.#read.joined();
  }

  /** The body as if nothing had been read, for a reader with an account of its own. */
  handedBack(): WireBody {
    this.end();
    const start = this.#read.joined();
    if (this.#done) return bytesBody(start);
    const { stop, chunks } = this.#body;
    const pieces = this.#pieces;
    const rest = async function* () {
      yield start;
      yield* { [Symbol.asyncIterator]: () => pieces };
    };
    return { ...(stop === undefined ? {} : { stop }), chunks, [Symbol.asyncIterator]: rest };
  }

  /** It is complete, or nobody wants more of it. */
  end(): void {
    this.#arrival?.end();
  }

  async #readOn(): Promise<void> {
    this.#arrival?.waits();
    const next = await this.#pieces.next();
    if (next.done) {
      this.#done = true;
      this.#arrival?.complete();
      return;
    }
    const { length } = next.value;
    this.#bytes += length;
    this.#arrival?.came(length, this.#body.chunks);
    this.#arrival?.carry(this.#bytes);
    if (this.#bytes > this.#mostBytes) {
      throw new ProtocolError('TooLarge', `The request has more than ${this.#mostBytes} bytes.`);
    }
    this.#read.add(Buffer.from(next.value));
  }
}
