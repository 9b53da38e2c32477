import { LRUCache } from 'lru-cache';
import { Ws01Error } from '../../contract/errors.ts';
import type { Clock } from '../context.ts';
import { networkOf } from '../values/internet-address.ts';

/** Failing attempts that one address has within {@link WINDOW_MS} (semantics 3). */
const FAILURES = 20;
const WINDOW_MS = 60_000;

/** Addresses remembered at most; beyond that the one that failed longest ago is forgotten. */
const ADDRESSES = 20_000;

/** Slows down guessing. Only failures are counted and refused: whole sites share one address. */
interface FailureLimiter {
  /**
   * Counts one failing attempt.
   * @param address canonical; an IPv6 address counts as its /64, which is one customer.
   * @throws {Ws01Error} `RateLimited` with the seconds to wait, when the address has used up its failures.
   */
  count(address: string): void;

  /** Counts one that another process has counted. */
  hear(network: string): void;
}

/**
 * Counts in windows of a minute that begin with an address's first failure. Bounded memory, no timers.
 * @param tell told of each failure that is let pass, so that other processes on this machine count it, too.
 */
export function createFailureLimiter(clock: Clock, tell: (network: string) => void = () => {}): FailureLimiter {
  const windows = new LRUCache<string, { readonly began: number; failures: number }>({
    // By size, so that it grows with its content: `max` would take the memory and the time for all of them at start.
    maxSize: ADDRESSES,
    sizeCalculation: () => 1,
  });

  /** @returns the present window of a network, with one failure more in it. */
  function add(network: string): { readonly failures: number; readonly age: number } {
    const now = clock();
    const window = windows.get(network);
    const age = window === undefined ? Number.POSITIVE_INFINITY : now - window.began;
    // A clock that was set back begins a new window rather than a long wait.
    if (window === undefined || age >= WINDOW_MS || age < 0) {
      windows.set(network, { began: now, failures: 1 });
      return { failures: 1, age: 0 };
    }
    window.failures += 1;
    return { failures: window.failures, age };
  }

  return {
    count(address) {
      const network = networkOf(address);
      const { failures, age } = add(network);
      if (failures > FAILURES) {
        throw new Ws01Error(
          'RateLimited',
          'Too many unusable credentials came from this address; wait, and send a valid one.',
          { retryAfter: Math.ceil((WINDOW_MS - age) / 1000) },
        );
      }
      tell(network);
    },
    hear: (network) => void add(network),
  };
}
