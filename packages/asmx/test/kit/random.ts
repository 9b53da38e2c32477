import { BY_NIGHT } from './lane.ts';

/** A sequence of pseudo-random numbers that is the same for the same seed (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 up to and not including `bound`. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * bound);
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)]!;
  }
}

/** By day a test tries one of so many of its random cases. */
const BY_DAY = 10;

/** How many random cases a test tries: `RUNS`, else by night all, by day a tenth. */
export function runs(byNight: number): number {
  const { RUNS } = process.env;
  if (RUNS !== undefined) return Number(RUNS);
  return BY_NIGHT ? byNight : Math.ceil(byNight / BY_DAY);
}
