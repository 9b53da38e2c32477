import type { Clock } from '../domain/context.ts';
import type { AccessRecord } from './access-log.ts';
import type { MeasuredCall } from './metrics/metrics.ts';
import { MOST_ID_CHARACTERS } from './request-ids.ts';

/** Length of an interval; ms. */
const STEP_MS = 60_000;
/** Number of intervals: an hour. */
const STEPS = 60;

/** Upper bounds of latencies; ms. Percentiles are one of these. */
const BOUNDS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  1_000,
  2_000,
  5_000,
  10_000,
  Number.POSITIVE_INFINITY,
] as const;

/** The calls of one operation over one binding in one minute. */
interface Count {
  calls: number;
  clientErrors: number;
  serverErrors: number;
  ms: number;
  readonly within: number[];
}

/** A ring of sixty minutes. */
export interface CallCounts {
  readonly operation: string;
  readonly binding: string;
  readonly ring: (Count & { readonly minute: number })[];
}

/** The calls of one operation over one binding in the last hour. */
interface CallSummary {
  readonly operation: string;
  readonly binding: string;
  readonly calls: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  /** ms. */
  readonly mean: number;
  /** 95 of 100 calls took at most this long; ms. */
  readonly p95: number;
}

/** The last hour. */
export interface CallReport {
  /** Starts of the minutes, oldest first; s since 1970. */
  readonly times: readonly number[];
  readonly calls: readonly number[];
  readonly errors: readonly number[];
  readonly summaries: readonly CallSummary[];
}

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

/**
 * Merges the last hour of one or several processes.
 * @param now ms since 1970.
 */
export function reportOf(all: readonly CallCounts[], now: number): CallReport {
  const last = Math.floor(now / STEP_MS);
  const first = last - STEPS + 1;
  const calls = new Array<number>(STEPS).fill(0);
  const errors = new Array<number>(STEPS).fill(0);
  const summaries: CallSummary[] = [];
  for (const same of Map.groupBy(
    all,
    ({ operation, binding }) => `${operation} ${binding}`,
  ).values()) {
    const counts = same.flatMap(({ ring }) =>
      ring.filter(({ minute }) => minute >= first && minute <= last),
    );
    for (const count of counts) {
      calls[count.minute - first]! += count.calls;
      errors[count.minute - first]! += count.clientErrors + count.serverErrors;
    }
    const { operation, binding } = same[0]!;
    if (counts.length > 0) summaries.push(summaryOf(operation, binding, counts));
  }
  const times = calls.map((_, step) => ((first + step) * STEP_MS) / 1000);
  return {
    times,
    calls,
    errors,
    summaries: summaries.sort((one, other) => other.calls - one.calls),
  };
}

/** Counts the calls of this process per minute, for an hour, and keeps nothing from clients. */
export class RecentCalls {
  readonly #clock: Clock;
  /** A ring of minutes by operation and binding. */
  readonly #rings = new Map<string, CallCounts>();
  readonly #kept = new CallRing();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note({
    operation = '-',
    binding,
    side,
    durationMs,
  }: Omit<MeasuredCall, 'lossy' | 'error'>): void {
    const count = this.#countOf(operation, binding, Math.floor(this.#clock() / STEP_MS));
    count.calls++;
    count.ms += durationMs;
    if (side === 'client') count.clientErrors++;
    if (side === 'server') count.serverErrors++;
    count.within[BOUNDS.findIndex((bound) => durationMs <= bound)]!++;
  }

  /** Returns the counts, to be merged with those of other processes. */
  counts(): readonly CallCounts[] {
    // Minutes of a ring without any call are holes.
    return [...this.#rings.values()].map((counts) => ({
      ...counts,
      ring: counts.ring.filter(() => true),
    }));
  }

  report(): CallReport {
    return reportOf(this.counts(), this.#clock());
  }

  /** Keeps the logged data of a call until {@link KEPT} later ones. */
  keep(call: Omit<KeptCall, 'at'>, at: number): void {
    this.#kept.keep(call, at);
  }

  /** Returns the kept calls with a request id. */
  find(requestId: string): readonly KeptCall[] {
    return this.#kept.find(requestId);
  }

  #countOf(operation: string, binding: string, minute: number): Count {
    const name = `${operation} ${binding}`;
    const { ring } = this.#rings.get(name) ?? this.#begin(name, operation, binding);
    const found = ring[minute % STEPS];
    if (found?.minute === minute) return found;
    const count = {
      minute,
      calls: 0,
      clientErrors: 0,
      serverErrors: 0,
      ms: 0,
      within: BOUNDS.map(() => 0),
    };
    ring[minute % STEPS] = count;
    return count;
  }

  #begin(name: string, operation: string, binding: string): CallCounts {
    const begun = { operation, binding, ring: [] };
    this.#rings.set(name, begun);
    return begun;
  }
}

/** What a call shares with others: names, codes, what its token says. */
type Shared = Omit<KeptCall, 'requestId' | 'address' | 'durationMs' | 'at'>;

/** Length of the longest address: IPv6 with an IPv4 part, and the name of an interface. */
const MOST_ADDRESS_CHARACTERS = 64;

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * The last {@link KEPT} calls. Each is copied over the oldest, and what is a call's own is kept as numbers and bytes: a text or
 * an object that is kept for seconds moves to V8's old space, and all of the heap is marked each time that has filled.
 */
class CallRing {
  readonly #shared: Writable<Shared>[] = [];
  readonly #ids = new ShortTexts(KEPT, MOST_ID_CHARACTERS);
  readonly #addresses = new ShortTexts(KEPT, MOST_ADDRESS_CHARACTERS);
  readonly #durations = new Float64Array(KEPT);
  readonly #times = new Float64Array(KEPT);
  #next = 0;

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

function summaryOf(operation: string, binding: string, counts: readonly Count[]): CallSummary {
  const sum = (of: (count: Count) => number) =>
    counts.reduce((total, count) => total + of(count), 0);
  const calls = sum((count) => count.calls);
  let seen = 0;
  const at = BOUNDS.findIndex((_, bound) => {
    seen += sum((count) => count.within[bound]!);
    return seen >= calls * 0.95;
  });
  return {
    operation,
    binding,
    calls,
    clientErrors: sum((count) => count.clientErrors),
    serverErrors: sum((count) => count.serverErrors),
    mean: sum((count) => count.ms) / calls,
    p95: Math.min(BOUNDS[at]!, 60_000),
  };
}
