import { Ws01Error } from '../../contract/errors.ts';

/** A client that has not read for so long is cut; ms. */
const SLOW_MS = 30_000;

/**
 * Returns the next piece, when there is one; `undefined` ends the stream.
 * @param signal aborts when the service stops.
 * @param isOver whether the client has left.
 */
export type NextPiece = (signal: AbortSignal, isOver: () => boolean) => Promise<string | undefined>;

/**
 * The live streams (server-sent events) of this process, of which there may be a limited number. A stream asks for its
 * next piece only after its client has received the one before, so nothing is buffered; a client that does not read is
 * disconnected. A stream ends when its credential becomes invalid.
 */
export class LiveStreams {
  readonly #most: number;
  readonly #slowMs: number;
  #open = 0;
  readonly #closing = new AbortController();

  /**
   * @param most streams of this process at once.
   * @param slowMs a client that has not read for so long is cut.
   */
  constructor(most: number, slowMs = SLOW_MS) {
    this.#most = most;
    this.#slowMs = slowMs;
  }

  /**
   * Opens a stream.
   * @param first is sent at once.
   * @param judge is asked before each piece; rejects when the client may be told no more, and the stream ends.
   * @throws {Ws01Error} `Busy` when there are too many streams, or the service stops.
   */
  open(first: string, next: NextPiece, judge: () => Promise<unknown>): ReadableStream<Uint8Array> {
    const { signal } = this.#closing;
    if (this.#open >= this.#most || signal.aborted) {
      throw new Ws01Error('Busy', `${this.#most} streams are open; try again later.`, { retryAfter: 5 });
    }
    this.#open++;
    let slow: NodeJS.Timeout | undefined;
    let over = false;
    const leave = () => {
      clearTimeout(slow);
      if (!over) this.#open--;
      over = true;
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(Buffer.from(first)),
        pull: async (controller) => {
          clearTimeout(slow);
          try {
            const piece = await next(signal, () => over);
            const isAllowed = await isAllowedBy(judge);
            if (over) return;
            if (piece === undefined || !isAllowed) {
              leave();
              controller.close();
              return;
            }
            controller.enqueue(Buffer.from(piece));
            slow = setTimeout(() => {
              leave();
              controller.error(new Error('The client does not read.'));
            }, this.#slowMs).unref();
          } catch (error) {
            leave();
            throw error;
          }
        },
        cancel: leave,
      },
      { highWaterMark: 1 },
    );
  }

  /** Ends every stream; clients connect again, to another process. */
  close(): void {
    this.#closing.abort();
  }
}

/** @throws what else fails than that the client may be told no more. */
async function isAllowedBy(judge: () => Promise<unknown>): Promise<boolean> {
  try {
    await judge();
    return true;
  } catch (error) {
    if (error instanceof Ws01Error) return false;
    throw error;
  }
}
