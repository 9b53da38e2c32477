import { type TimeLimit, time } from '@ws01/asmx/time';
import { RETRY_AFTER_S, Ws01Error } from '../../contract/errors.ts';
import { say } from '../../contract/sentence.ts';
import { translateFailure } from '../../failure/translate.ts';

/** A client that has not read for so long is cut; ms. */
const SLOW_MS = 30_000;

/** How many streams a process may have open at once. */
export interface StreamLimits {
  /** Of all. */
  readonly most: number;
  /** Of one person or token. */
  readonly perPerson: number;
}

/** What a stream is, and whose. */
export interface LiveStream {
  /** Is sent at once. */
  readonly first: string;
  readonly next: NextPiece;
  /**
   * Is asked before each piece. If it rejects, the client may get no further events, and the stream
   * ends.
   */
  readonly judge: () => Promise<unknown>;
  /** The person or token that watches. */
  readonly person: string;
}

/**
 * Returns the next piece, when there is one; `undefined` ends the stream.
 * @param signal aborts when the service stops.
 * @param isOver whether the client has left.
 */
export type NextPiece = (signal: AbortSignal, isOver: () => boolean) => Promise<string | undefined>;

/**
 * The live streams (server-sent events) of this process. There may be a limited number of them, and
 * of those of each person, so that nobody takes all. A stream asks for its next piece only after
 * its client has received the one before, so nothing is buffered; a client that does not read is
 * disconnected. A stream ends when its credential becomes invalid, and when what it is read from is
 * away or busy.
 */
export class LiveStreams {
  readonly #limits: StreamLimits;
  readonly #slowMs: number;
  #open = 0;
  readonly #openByPerson = new Map<string, number>();
  readonly #closing = new AbortController();

  /** @param slowMs a client that has not read for so long is cut. */
  constructor(limits: StreamLimits, slowMs = SLOW_MS) {
    this.#limits = limits;
    this.#slowMs = slowMs;
  }

  /**
   * Opens a stream.
   * @throws {Ws01Error} `RateLimited` when the person has too many streams; `Busy` when all have,
   *   or the service stops.
   */
  open({ first, next, judge, person }: LiveStream): ReadableStream<Uint8Array> {
    const { signal } = this.#closing;
    const giveBack = this.#take(person);
    let slow: TimeLimit | undefined;
    let over = false;
    const leave = () => {
      if (over) return;
      over = true;
      slow?.end();
      giveBack();
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(Buffer.from(first)),
        pull: async (controller) => {
          slow?.end();
          try {
            const piece = await next(signal, () => over);
            await judge();
            if (over) return;
            if (piece === undefined) {
              leave();
              controller.close();
              return;
            }
            controller.enqueue(Buffer.from(piece));
            const giveUp = () => {
              leave();
              controller.error(new Error('The client does not read.'));
            };
            slow = time.limit(this.#slowMs, giveUp).unref();
          } catch (error) {
            if (over) return;
            leave();
            if (!isTold(error)) throw error;
            controller.close();
          }
        },
        cancel: leave,
      },
      { highWaterMark: 1 },
    );
  }

  /**
   * Takes a place for a stream.
   * @returns gives it back; to be called once.
   * @throws {Ws01Error} as {@link open}.
   */
  #take(person: string): () => void {
    const { most, perPerson } = this.#limits;
    const own = this.#openByPerson.get(person) ?? 0;
    if (own >= perPerson) {
      const message = say`You have ${{ own }} live streams open, and may have no more; close one, such as a window of the console.`;
      throw new Ws01Error('RateLimited', message, { retryAfter: RETRY_AFTER_S });
    }
    if (this.#open >= most || this.#closing.signal.aborted) {
      throw new Ws01Error('Busy', say`${{ most }} streams are open; try again later.`, {
        retryAfter: RETRY_AFTER_S,
      });
    }
    this.#open++;
    this.#openByPerson.set(person, own + 1);
    return () => {
      this.#open--;
      const left = this.#openByPerson.get(person)! - 1;
      if (left === 0) this.#openByPerson.delete(person);
      else this.#openByPerson.set(person, left);
    };
  }

  /** Ends every stream; clients connect again, to another process. */
  close(): void {
    this.#closing.abort();
  }
}

/** Whether the client, which connects again when its stream has ended, is then told the reason. */
function isTold(error: unknown): boolean {
  return error instanceof Ws01Error || translateFailure(error) !== undefined;
}
