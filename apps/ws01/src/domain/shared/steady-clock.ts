import type { Instant } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';

/** Where a clock takes its time from. */
export interface TimeSources {
  /** The clock of the system, which may be set back and forward; ms since 1970-01-01T00:00:00Z. */
  readonly wall: () => Instant;
  /** Never goes back and is never set; ms since whenever. */
  readonly steady: () => number;
  /** Told when the clock of the system is found to have gone back; ms. */
  readonly onSetBack?: (ms: number) => void;
}

/** A clock that never goes back. */
export interface SteadyClock extends Clock {
  /** Whether the clock of the system was behind it when it was last read. */
  readonly isAhead: () => boolean;
}

/** While it is ahead of the clock of the system, this one loses so much of the time that passes, until both agree. */
const LOSS = 1 / 1_000;

/** What is no more than the jitter of two clocks that are read one after the other; ms. */
const JITTER_MS = 1_000;

/**
 * The time of the service: that of the system, but never going back. When the system's clock is set back, waits and
 * lifetimes that are in progress keep their length (semantics 5.7, semantics 5.10): time goes on from where it was, a thousandth slower
 * from when that was found, until the system's clock has caught up. What is set forward is followed at once: the machine may have
 * slept. Two processes of one machine agree if both read it often: what passes between two readings decides how much they differ.
 *
 * @param notBefore where it begins when the system's clock is behind that; what was known before a restart.
 */
export function createSteadyClock({ wall, steady, onSetBack }: TimeSources, notBefore: Instant = 0): SteadyClock {
  let time = Math.max(wall(), notBefore);
  let read = steady();
  let isSlower = time > wall();
  let behind = false;
  const clock = () => {
    const passed = Math.max(0, steady() - read);
    read += passed;
    const system = wall();
    const ahead = time + passed - system;
    // Nobody knows when, since the last reading, the clock of the system was set back.
    time = ahead <= 0 ? system : Math.max(system, time + passed * (isSlower ? 1 - LOSS : 1));
    isSlower = ahead > 0;
    const isNews = ahead > JITTER_MS && !behind;
    behind = ahead > JITTER_MS;
    // Who is told may ask for the time.
    if (isNews) onSetBack?.(Math.round(ahead));
    return Math.floor(time);
  };
  return Object.assign(clock, { isAhead: () => behind });
}
