import { GatheredBytes, type WireBody } from '@ws01/asmx/internal/message/http';

/** Who reads the body. */
interface Reader {
  readonly came: (bytes: number) => void;
  readonly resolve: (body: Uint8Array) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The body of a request with `Expect: 100-continue` (RFC 9110 10.1.1): the client sends it when it
 * is asked to, or has waited long enough.
 */
export class ExpectedBody implements WireBody {
  readonly #length: number;
  readonly #onWanted: (hasBegun: boolean) => void;
  readonly #pieces = new GatheredBytes();
  #arrived = 0;
  #reader: Reader | undefined;
  #stopped: Error | undefined;

  /**
   * @param length what Content-Length says; bytes, more than 0.
   * @param onWanted called when more of the body is waited for; `hasBegun` says whether some of it
   *   has come.
   */
  constructor(length: number, onWanted: (hasBegun: boolean) => void) {
    this.#length = length;
    this.#onWanted = onWanted;
  }

  /** Whether somebody waits for it. */
  get isWanted(): boolean {
    return this.#reader !== undefined;
  }

  readonly whole = (came: (bytes: number) => void): Promise<Uint8Array> =>
    new Promise((resolve, reject) => this.#read({ came, resolve, reject }, 0));

  /** Yields what has come since the piece before, so that its reader sees it come. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (let given = 0; given < this.#length; ) {
      await new Promise<unknown>((resolve, reject) =>
        this.#read({ came: resolve, resolve, reject }, given),
      );
      const piece = this.#pieces.joined();
      this.#pieces.clear();
      given += piece.length;
      yield piece;
    }
  }

  /** @param given what the reader has had already; bytes. */
  #read(reader: Reader, given: number): void {
    if (this.#stopped !== undefined) throw this.#stopped;
    this.#reader = reader;
    if (this.#arrived > given) reader.came(this.#arrived - given);
    if (this.#arrived === this.#length) this.#settle();
    else this.#onWanted(this.#arrived > 0);
  }

  /** Has its reader fail, and nothing more of it kept. */
  readonly stop = (error: Error): void => {
    this.#stopped ??= error;
    this.#pieces.clear();
    this.#reader?.reject(this.#stopped);
  };

  /**
   * Takes what has arrived on the connection.
   * @returns what follows the body; `undefined` while the body is not whole.
   */
  take(chunk: Buffer): Buffer | undefined {
    const missing = this.#length - this.#arrived;
    const own = chunk.subarray(0, missing);
    this.#arrived += own.length;
    this.#keep(own);
    if (this.#arrived < this.#length) return undefined;
    this.#settle();
    return chunk.subarray(missing);
  }

  #keep(piece: Buffer): void {
    if (this.#stopped !== undefined) return;
    try {
      this.#pieces.add(piece);
      this.#reader?.came(piece.length);
    } catch (error) {
      this.stop(error as Error);
    }
  }

  #settle(): void {
    this.#reader?.resolve(this.#pieces.joined());
  }
}
