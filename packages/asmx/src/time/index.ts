/**
 * The entry `./time`: the clock by which this project gives up waiting, and units of time.
 * @packageDocumentation
 */

export { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

/**
 * The clock of limits: how long a client, a server or a process is waited for before it is given
 * up. Everything of this project that gives up by the clock asks here, and tests put another clock
 * in its place (docs/decisions/time-limits.md).
 */
export const time: Time = {
  steady: () => performance.now(),
  limit(ms, over) {
    const timer = setTimeout(over, ms);
    const limit = {
      end: () => clearTimeout(timer),
      unref() {
        timer.unref();
        return limit;
      },
    };
    return limit;
  },
};

/** A clock of limits. */
export interface Time {
  /** Time that is never set back, from an unknown beginning; ms. */
  steady(): number;
  /** Calls `over` once, when so many ms are over, unless the limit is ended before. */
  limit(ms: number, over: () => void): TimeLimit;
}

/** A limit that runs. */
export interface TimeLimit {
  /** Ends it: nobody waits for it. */
  end(): void;
  /** It does not keep the process alive. */
  unref(): TimeLimit;
}

/**
 * Waits for work, but not longer than so many ms; the work itself goes on.
 * @returns what it comes to, `undefined` when that is not known in time.
 * @throws what the work throws in time.
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const limit = time.limit(ms, () => late.resolve(undefined));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    limit.end();
  }
}

/**
 * As `AbortSignal.timeout`: aborts with a `TimeoutError` after so many ms, and does not keep the
 * process alive.
 */
export function signalAfter(ms: number): AbortSignal {
  const controller = new AbortController();
  const over = () => controller.abort(new DOMException(`${ms} ms are over`, 'TimeoutError'));
  time.limit(ms, over).unref();
  return controller.signal;
}
