import { Ws01Error } from '../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import { eventsAfter, lastPosition, publicEvent } from './sequence.ts';

/** How often it is looked for new events while anybody waits; ms. */
const LOOK_EVERY_MS = 500;

/** How often a stream shows that it lives; ms. */
const HEARTBEAT_MS = 15_000;

/** A client that has not read for so long is cut; ms. */
const SLOW_MS = 30_000;

/** Events of one piece at most, so that a stream holds little. */
const PAGE = 50;

/** For how many ms a client waits before it connects again. */
const RETRY_MS = 2_000;

/**
 * Live streams of events (server-sent events), read from the table of events, so every process of every node streams
 * all of them. A stream reads more only after its client has received the previous events, so nothing is buffered; a
 * client that does not read is disconnected, and can resume. A stream ends when its credential becomes invalid.
 */
export class EventFeed {
  readonly #store: Store;
  readonly #most: number;
  readonly #slowMs: number;
  #streams = 0;
  readonly #closing = new AbortController();
  #look: Promise<void> | undefined;

  /**
   * @param most streams of this process at once.
   * @param slowMs a client that has not read for so long is cut.
   */
  constructor(store: Store, most: number, slowMs = SLOW_MS) {
    this.#store = store;
    this.#most = most;
    this.#slowMs = slowMs;
  }

  /**
   * @param lastEventId the place of the last event that the client knows; without one it begins with what comes next.
   * @param judge is asked before each piece; rejects when the client may be told no more, and the stream ends.
   * @throws {Ws01Error} `InvalidParameter`; `Busy` when there are too many streams.
   */
  async stream(lastEventId: string | undefined, judge: () => Promise<unknown>): Promise<ReadableStream<Uint8Array>> {
    if (lastEventId !== undefined && !/^\d{1,15}$/.test(lastEventId)) {
      const message = 'Last-Event-ID must be the id of an event of this stream.';
      throw new Ws01Error('InvalidParameter', message, { parameter: 'Last-Event-ID' });
    }
    if (this.#streams >= this.#most || this.#closing.signal.aborted) {
      throw new Ws01Error('Busy', `${this.#most} streams are open; try again later.`, { retryAfter: 5 });
    }
    const after = lastEventId === undefined ? await this.#newest() : Number(lastEventId);
    this.#streams++;
    return this.#open(after, judge);
  }

  /** Ends every stream; clients connect again, to another process. */
  close(): void {
    this.#closing.abort();
  }

  #open(from: number, judge: () => Promise<unknown>): ReadableStream<Uint8Array> {
    const { signal } = this.#closing;
    let after = from;
    let slow: NodeJS.Timeout | undefined;
    let over = false;
    const leave = () => {
      clearTimeout(slow);
      if (!over) this.#streams--;
      over = true;
    };
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(Buffer.from(`retry: ${RETRY_MS}\n\n`)),
        pull: async (controller) => {
          clearTimeout(slow);
          try {
            const next = await this.#next(after, signal, () => over);
            const isAllowed = await isAllowedBy(judge);
            if (over) return;
            if (next === undefined || !isAllowed) {
              leave();
              controller.close();
              return;
            }
            after = next.after;
            controller.enqueue(Buffer.from(next.text));
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

  /** What comes next: events, or a sign of life; `undefined` when the service stops. */
  async #next(after: number, signal: AbortSignal, isOver: () => boolean) {
    const until = performance.now() + HEARTBEAT_MS;
    while (!signal.aborted && !isOver()) {
      const events = await this.#store.read((db) => eventsAfter.all(db, { after, most: PAGE }));
      const last = events.at(-1);
      if (last !== undefined) {
        const texts = events.map((event) => {
          const data = JSON.stringify({ id: event.id, ...publicEvent(event) });
          return `id: ${event.seq}\nevent: ${event.type}\ndata: ${data}\n\n`;
        });
        return { after: Number(last.seq), text: texts.join('') };
      }
      if (performance.now() >= until) return { after, text: ': alive\n\n' };
      await this.#newer(after, until);
    }
    return undefined;
  }

  /** Waits until there may be events behind a place: all streams share one look at the table. */
  async #newer(after: number, until: number): Promise<void> {
    do {
      this.#look ??= new Promise<void>((looked) => setTimeout(looked, LOOK_EVERY_MS)).finally(() => {
        this.#look = undefined;
      });
      await this.#look;
      if (this.#closing.signal.aborted || performance.now() >= until) return;
    } while ((await this.#shared()) <= after);
  }

  #newestLook: Promise<number> | undefined;

  #shared(): Promise<number> {
    this.#newestLook ??= this.#newest().finally(() => {
      this.#newestLook = undefined;
    });
    return this.#newestLook;
  }

  async #newest(): Promise<number> {
    return Number((await this.#store.read((db) => lastPosition.first(db, {})))?.last ?? 0);
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
