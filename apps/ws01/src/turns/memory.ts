/** What is remembered for a while, and what several who ask at once wait for together. */

import { LRUCache } from 'lru-cache';

/**
 * The values that were used last. Bounded by size, so that it grows with its content; `max` would
 * allocate all of it at the start.
 * @param most the sum of the sizes.
 * @param sizeOf above 0; 1 for each when absent.
 * @param dropped called with a value that goes, or that another replaces.
 */
export function recentlyUsed<V extends NonNullable<unknown>>(
  most: number,
  sizeOf: (value: V) => number = () => 1,
  dropped?: (value: V) => void,
): LRUCache<string, V> {
  const dispose = dropped && { dispose: dropped };
  return new LRUCache({ maxSize: most, sizeCalculation: sizeOf, ...dispose });
}

/** A function of a text that keeps the results of the texts it was asked for last. */
export function remembering<V extends NonNullable<unknown>>(
  most: number,
  read: (text: string) => V,
): (text: string) => V {
  const known = recentlyUsed<V>(most);
  return (text) => {
    let value = known.get(text);
    if (value === undefined) {
      value = read(text);
      known.set(text, value);
    }
    return value;
  };
}

/** Work that is done once for all who ask for it while it is in progress. */
export class SingleFlight<T> {
  readonly #underWay = new Map<string, Promise<T>>();

  /** The work of a key that is in progress. */
  get(key: string): Promise<T> | undefined {
    return this.#underWay.get(key);
  }

  /** Joins the work of a key, or begins it. */
  run(key: string, work: () => Promise<T>): Promise<T> {
    let running = this.#underWay.get(key);
    if (running === undefined) {
      running = work().finally(() => this.#underWay.delete(key));
      this.#underWay.set(key, running);
    }
    return running;
  }
}

/** How often something was looked for in a cache, and found. */
export class CacheUse {
  hits = 0;
  misses = 0;

  /** Notes what a look at the cache has come to, and returns it. */
  note<T>(found: T | undefined): T | undefined {
    if (found === undefined) this.misses++;
    else this.hits++;
    return found;
  }
}

interface MemoryOptions<V> {
  /** How old a value may be; ms. */
  readonly ageMs: number;
  /** ms; that of the process when absent. */
  readonly clock?: () => number;
  /** The largest sum of the sizes of values. */
  readonly most: number;
  /** 1 when absent; 0 for a value that is not remembered. */
  readonly sizeOf?: (value: V) => number;
}

interface Remembered<V> {
  readonly value: V;
  readonly readAt: number;
}

/**
 * Values that are read again when they are older than a few moments. Several who ask for one at
 * once wait for one reading. An absent value (`undefined`) is not remembered.
 */
export class ShortMemory<V extends NonNullable<unknown>> {
  readonly use = new CacheUse();
  readonly #ageMs: number;
  readonly #clock: () => number;
  readonly #sizeOf: (value: V) => number;
  readonly #values: LRUCache<string, Remembered<V>>;
  #readings = new SingleFlight<V | undefined>();

  constructor({
    ageMs,
    clock = () => performance.now(),
    most,
    sizeOf = () => 1,
  }: MemoryOptions<V>) {
    this.#ageMs = ageMs;
    this.#clock = clock;
    this.#sizeOf = sizeOf;
    this.#values = recentlyUsed(most, ({ value }) => sizeOf(value));
  }

  /** Returns the value of a key; a promise only when it is read. */
  find(key: string, read: () => Promise<V | undefined>): V | Promise<V | undefined> {
    const kept = this.#values.get(key);
    const age = kept === undefined ? undefined : this.#clock() - kept.readAt;
    const isFresh = age !== undefined && age >= 0 && age < this.#ageMs;
    const found = this.use.note(isFresh ? kept?.value : undefined);
    return found ?? this.#readings.run(key, () => this.#read(key, read));
  }

  /** Forgets one value, or all; what is being read now is not remembered either. */
  forget(key?: string): void {
    this.#readings = new SingleFlight();
    if (key === undefined) this.#values.clear();
    else this.#values.delete(key);
  }

  async #read(key: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
    const readings = this.#readings;
    const readAt = this.#clock();
    const value = await read();
    const isKept = value !== undefined && this.#sizeOf(value) > 0;
    if (isKept && readings === this.#readings) this.#values.set(key, { value, readAt });
    return value;
  }
}
