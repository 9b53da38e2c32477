import { inLockstep } from '../lockstep.ts';

// Not by `import`, which reads every export of the module, and with `WebSocket` loads all of fetch: 16 MB, 60 ms.
const { IncomingMessage } = process.getBuiltinModule('node:http');

/**
 * A request of `node:http` that can hand its body over in one piece, past the machinery of streams, which costs more
 * than everything else that is done with a small body. Given to `createServer({ IncomingMessage: WholeMessage })`; as
 * long as nobody asks for the whole, it is what it was.
 */
export class WholeMessage extends IncomingMessage {
  #pieces: Buffer[] | undefined;
  #resolve: (body: Buffer) => void = nothing;
  #reject: (error: unknown) => void = nothing;

  /** Whether the body can still be had in one piece: nothing of it has come yet. */
  get untouched(): boolean {
    return !this.readableDidRead && !this.complete && this.readableLength === 0;
  }

  /**
   * The body, held in memory; of a message that is {@link untouched}, and once.
   * @throws what the connection failed with, or `undefined`, when it ended before the body did.
   */
  whole(): Promise<Buffer> {
    this.#pieces = [];
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Called by the parser with each piece, and with `null` at the end. */
  override push(chunk: Buffer | null, encoding?: BufferEncoding): boolean {
    const pieces = this.#pieces;
    if (pieces === undefined) return super.push(chunk, encoding);
    if (chunk !== null) pieces.push(chunk);
    else this.#deliver(pieces);
    return true;
  }

  /** Lets go of the body as well: an idle connection keeps its last message. */
  #deliver(pieces: readonly Buffer[]): void {
    const resolve = this.#resolve;
    this.#pieces = [];
    this.#resolve = nothing;
    this.#reject = nothing;
    const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    inLockstep(() => resolve(body));
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#reject(error ?? undefined);
    super._destroy(error, callback);
  }
}

function nothing(): void {}
