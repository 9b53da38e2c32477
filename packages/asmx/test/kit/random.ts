import fc from 'fast-check';
import { BY_NIGHT } from './lane.ts';

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any character, as the unit of `fc.string`. `unit: 'binary'` has the same ones, but first fills a table of all 1,112,064,
 * which takes each process 1.6 s and 130 MB.
 */
export const CHARACTER = fc.nat({ max: 0x10ffff - SURROGATES.count }).map(
  (n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count),
  (text) => {
    const code = typeof text === 'string' ? (text.codePointAt(0) ?? -1) : -1;
    if (code < 0 || String.fromCodePoint(code) !== text) throw new Error('not one character');
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);

const URL_UNIT = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(..."abcXYZ019-._~!$&'()*+,;=:@") },
  CHARACTER.map(encodeURIComponent),
);
const URL_PART = fc.string({ unit: URL_UNIT, maxLength: 20 });

/** An address of the web, with any path, query and fragment. `fc.webUrl` fills the table of `unit: 'binary'`. */
export const WEB_URL = fc
  .record({
    scheme: fc.constantFrom('http', 'https'),
    host: fc.webAuthority(),
    path: fc.array(URL_PART, { maxLength: 4 }),
    query: fc.option(URL_PART, { nil: undefined }),
    fragment: fc.option(URL_PART, { nil: undefined }),
  })
  .map(({ scheme, host, path, query, fragment }) => {
    const file = path.map((segment) => `/${segment}`).join('');
    const behind = query === undefined ? '' : `?${query}`;
    return `${scheme}://${host}${file}${behind}${fragment === undefined ? '' : `#${fragment}`}`;
  });

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
