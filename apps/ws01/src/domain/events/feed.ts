import { Ws01Error } from '../../contract/errors.ts';
import { publicEvent } from '../../records/events.ts';
import type { Store } from '../../store/store.ts';
import type { LiveStream, LiveStreams } from './live-streams.ts';
import { eventsAfter, lastPosition } from './sequence.ts';

/** Interval at which streams read events that other nodes have numbered; ms. */
const LOOK_EVERY_MS = 500;

/** Interval of heartbeats of a stream; ms. */
const HEARTBEAT_MS = 15_000;

/** Maximum number of events per chunk, to bound memory. */
const PAGE = 50;

/** Reconnection delay of clients; ms. */
const RETRY_MS = 2_000;

/**
 * Live streams of events (server-sent events), read from the table of events, so every process of
 * every node streams all of them. A client that was disconnected can resume.
 */
export class EventFeed {
  readonly #store: Store;
  readonly #streams: LiveStreams;
  readonly #lookEvery: number;
  /** Begins the next look. */
  #woken = Promise.withResolvers<void>();
  /** The look that all streams wait for. */
  #look: Promise<void> | undefined;
  /** The position that the last look found. */
  #last = 0;

  /** @param lookEvery how often streams look without being woken; ms. */
  constructor(store: Store, streams: LiveStreams, lookEvery = LOOK_EVERY_MS) {
    this.#store = store;
    this.#streams = streams;
    this.#lookEvery = lookEvery;
  }

  /** Lets all streams read at once: events were numbered. */
  wake(): void {
    this.#woken.resolve();
  }

  /**
   * @param lastEventId the place of the last event that the client knows; without one it begins
   *   with what comes next.
   * @throws {Ws01Error} `InvalidParameter`; `RateLimited` and `Busy` when there are too many
   *   streams.
   */
  async stream(
    lastEventId: string | undefined,
    watcher: Pick<LiveStream, 'judge' | 'person'>,
  ): Promise<ReadableStream<Uint8Array>> {
    if (lastEventId !== undefined && !/^\d{1,15}$/.test(lastEventId)) {
      const message = 'Last-Event-ID must be the id of an event of this stream.';
      throw new Ws01Error('InvalidParameter', message, { parameter: 'Last-Event-ID' });
    }
    let after = lastEventId === undefined ? await this.#newest() : Number(lastEventId);
    const next = async (signal: AbortSignal, isOver: () => boolean) => {
      const piece = await this.#next(after, signal, isOver);
      after = piece?.after ?? after;
      return piece?.text;
    };
    return this.#streams.open({ first: `retry: ${RETRY_MS}\n\n`, next, ...watcher });
  }

  /** What comes next: events, or a sign of life; `undefined` when the service stops. */
  async #next(after: number, signal: AbortSignal, isOver: () => boolean) {
    const until = performance.now() + HEARTBEAT_MS;
    while (!signal.aborted && !isOver()) {
      const known = this.#last;
      const events = await this.#store.read((db) => eventsAfter.all(db, { after, most: PAGE }));
      const last = events.at(-1);
      if (last !== undefined) {
        const texts = events.map((event) => {
          const data = JSON.stringify({ id: event.id, ...publicEvent(event) });
          return `id: ${event.seq}\nevent: ${event.type}\ndata: ${data}\n\n`;
        });
        return { after: Number(last.seq), text: texts.join('') };
      }
      // The look of another stream may have found something since the events were read.
      while (this.#last <= Math.max(after, known) && !signal.aborted) {
        if (performance.now() >= until) return { after, text: ': alive\n\n' };
        await this.#nextLook(signal);
      }
    }
    return undefined;
  }

  /** Waits for the next look at the table, which all streams share. */
  #nextLook(signal: AbortSignal): Promise<void> {
    this.#look ??= this.#lookOnce(signal).finally(() => {
      this.#look = undefined;
    });
    return this.#look;
  }

  /** @param signal of the stream that asks for the look. */
  async #lookOnce(signal: AbortSignal): Promise<void> {
    const timer = setTimeout(this.#woken.resolve, this.#lookEvery).unref();
    await this.#woken.promise;
    clearTimeout(timer);
    // At a stop the database may be closed; the look of another stream begins at once.
    if (signal.aborted) return;
    // Before the table is read: a wake in between begins another look.
    this.#woken = Promise.withResolvers();
    this.#last = await this.#newest();
  }

  async #newest(): Promise<number> {
    return Number((await this.#store.read((db) => lastPosition.first(db, {})))?.last ?? 0);
  }
}
