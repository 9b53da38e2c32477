import type { AccessRecord } from './access-log.ts';
import { MOST_ID_CHARACTERS } from './request-ids.ts';

/** Number of single calls that are kept. */
const KEPT = 5_000;

/** The logged data of one call. */
export interface KeptCall
  extends Pick<
    AccessRecord,
    | 'requestId'
    | 'operation'
    | 'binding'
    | 'method'
    | 'status'
    | 'durationMs'
    | 'address'
    | 'tokenId'
    | 'user'
    | 'error'
    | 'parameter'
    | 'reason'
  > {
  /** When it was answered; ms since 1970. */
  readonly at: number;
}

/** What a call shares with others: names, codes, what its token says. */
type Shared = Omit<KeptCall, 'requestId' | 'address' | 'durationMs' | 'at'>;

/** Length of the longest address: IPv6 with an IPv4 part, and the name of an interface. */
const MOST_ADDRESS_CHARACTERS = 64;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * The last {@link KEPT} calls of this process. Each is copied over the oldest. What differs from
 * call to call is kept as numbers and bytes: a text or an object that is kept for seconds moves to
 * V8's old space, and whenever that is full, all of the heap is marked.
 */
export class RecentCalls {
  readonly #shared: Writable<Shared>[] = [];
  readonly #ids = new ShortTexts(KEPT, MOST_ID_CHARACTERS);
  readonly #addresses = new ShortTexts(KEPT, MOST_ADDRESS_CHARACTERS);
  readonly #durations = new Float64Array(KEPT);
  readonly #times = new Float64Array(KEPT);
  #next = 0;

  /** Keeps the logged data of a call until {@link KEPT} later ones. */
  keep(call: Omit<KeptCall, 'at'>, at: number): void {
    const place = this.#next;
    this.#shared[place] ??= {} as Shared;
    fill(this.#shared[place], call);
    this.#ids.set(place, call.requestId);
    this.#addresses.set(place, call.address);
    this.#durations[place] = call.durationMs;
    this.#times[place] = at;
    this.#next = (place + 1) % KEPT;
  }

  /** Returns the kept calls with a request id. */
  find(requestId: string): readonly KeptCall[] {
    const found: KeptCall[] = [];
    for (const [place, shared] of this.#shared.entries()) {
      if (this.#ids.at(place) !== requestId) continue;
      const [durationMs, at] = [this.#durations[place]!, this.#times[place]!];
      found.push({ ...shared, requestId, address: this.#addresses.at(place), durationMs, at });
    }
    return found;
  }
}

/** A fixed number of short texts in Latin-1, as bytes: V8 neither moves nor marks them. */
class ShortTexts {
  readonly #most: number;
  readonly #bytes: Buffer;
  readonly #lengths: Uint8Array;

  /** @param most characters of the longest text, at most 255; what is longer is cut. */
  constructor(count: number, most: number) {
    this.#most = most;
    this.#bytes = Buffer.alloc(count * most);
    this.#lengths = new Uint8Array(count);
  }

  set(place: number, text: string): void {
    this.#lengths[place] = this.#bytes.write(text, place * this.#most, this.#most, 'latin1');
  }

  at(place: number): string {
    const from = place * this.#most;
    return this.#bytes.toString('latin1', from, from + this.#lengths[place]!);
  }
}

/** Copies the fields one by one: a record of the log has more, and they are large. */
function fill(place: Writable<Shared>, call: Shared): void {
  place.operation = call.operation;
  place.binding = call.binding;
  place.method = call.method;
  place.status = call.status;
  place.tokenId = call.tokenId;
  place.user = call.user;
  place.error = call.error;
  place.parameter = call.parameter;
  place.reason = call.reason;
}
