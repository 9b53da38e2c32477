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

/** The rate by which this clock slows down while it is ahead of the system clock. */
const LOSS = 1 / 1_000;

/** Differences up to this are jitter between two reads; ms. */
const JITTER_MS = 1_000;

/**
 * The clock of the service: the system clock, but monotonic. If the system clock is set back,
 * pending waits and lifetimes keep their length (semantics 5.7, semantics 5.10): time continues,
 * 0.1 % slower, until the system clock has caught up. A clock set forward is followed immediately,
 * because the machine may have slept. Two processes of a machine agree if both read it often.
 *
 * @param notBefore the minimum start time: what was known before a restart.
 */
export function createSteadyClock(
  { wall, steady, onSetBack }: TimeSources,
  notBefore: Instant = 0,
): SteadyClock {
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
    // Last, since the callback may call this clock.
    if (isNews) onSetBack?.(Math.round(ahead));
    return Math.floor(time);
  };
  return Object.assign(clock, { isAhead: () => behind });
}
