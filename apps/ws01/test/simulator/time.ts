import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import promises from 'node:timers/promises';

/** A process of the simulation: what it began goes on in its time, and ends with it. */
export interface Simulated {
  readonly alive: boolean;
  /** The clock of its system; ms since 1970. */
  wall(): number;
}

interface Timer {
  at: number;
  readonly order: number;
  readonly every: number | undefined;
  readonly owner: Simulated;
  readonly run: () => void;
  cancelled: boolean;
  /** When it was last run. */
  ranAt: number;
}

/** Of an interval, as those see it who know when it has something to do. */
export interface Interval {
  /** ms. */
  readonly every: number;
  /** When it was last run; ms of simulated time, before the beginning when it never was. */
  readonly ranAt: number;
  readonly owner: Simulated;
}

/** Until when an interval has nothing to do; ms of simulated time. */
export type Idle = (interval: Interval) => number;

const realTimeout = globalThis.setTimeout;
const realInterval = globalThis.setInterval;
const realClearTimeout = globalThis.clearTimeout;
const realClearInterval = globalThis.clearInterval;
const realSleep = promises.setTimeout;
const realNow = Date.now;
const realImmediate = globalThis.setImmediate;
const realSync = fs.fdatasync;

const current = new AsyncLocalStorage<Simulated | undefined>();

/** Runs something as a process of the simulation; `undefined` for outside of it, in real time. */
export function as<T>(process: Simulated | undefined, run: () => T): T {
  return current.run(process, run);
}

/**
 * Time that passes only when everything that could be done at a moment is done. Code that runs {@link as} a simulated process
 * gets its timers and its `Date.now` from here; everything else goes on in real time.
 */
export class SimulatedTime {
  /** ms since the beginning. */
  now = 0;
  readonly #timers = new Set<Timer>();
  #order = 0;
  /** Real work under way, which takes no simulated time. */
  #busy = 0;
  #idle: (() => void) | undefined;

  /** Counts real work, so that time waits for it. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work();
    } finally {
      if (--this.#busy === 0) this.#idle?.();
    }
  }

  sleep(ms: number, owner: Simulated): Promise<void> {
    return new Promise((resolve) => this.#add(ms, resolve, owner));
  }

  /**
   * Lets time pass up to an instant.
   * @param idle asked before an interval ticks: until when each has nothing to do, as far as is known.
   */
  async until(end: number, idle: () => Idle): Promise<void> {
    for (;;) {
      await this.#settle();
      const next = this.#next(end, idle);
      if (next === undefined) break;
      this.now = Math.max(this.now, next.at);
      if (next.every === undefined) this.#timers.delete(next);
      else next.at += next.every;
      next.ranAt = this.now;
      if (!next.cancelled && next.owner.alive) as(next.owner, next.run);
    }
    this.now = end;
  }

  #next(end: number, idle: () => Idle): Timer | undefined {
    let first: Timer | undefined;
    let interval: Timer | undefined;
    for (const timer of this.#timers) {
      if (timer.cancelled || !timer.owner.alive) this.#timers.delete(timer);
      else if (timer.every === undefined) first = earlier(first, timer);
      else interval = earlier(interval, timer);
    }
    if (interval !== undefined && interval.at < Math.min(first?.at ?? end, end)) {
      const wanted = idle();
      for (const timer of this.#timers) {
        const { every, ranAt, owner } = timer;
        if (every === undefined) continue;
        const at = Math.min(wanted({ every, ranAt, owner }), first?.at ?? end, end);
        if (timer.at < at) timer.at += Math.ceil((at - timer.at) / every) * every;
      }
      interval = undefined;
      for (const timer of this.#timers)
        if (timer.every !== undefined) interval = earlier(interval, timer);
    }
    const next = interval === undefined ? first : earlier(first, interval);
    return next === undefined || next.at > end ? undefined : next;
  }

  /** Waits until nothing can happen any more without time passing. */
  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < 2; ) {
      if (this.#busy > 0) {
        await new Promise<void>((resolve) => {
          this.#idle = resolve;
        });
        this.#idle = undefined;
        quiet = 0;
      }
      await new Promise<void>((resolve) => realImmediate(resolve));
      quiet = this.#busy > 0 ? 0 : quiet + 1;
    }
  }

  #add(ms: number, run: () => void, owner: Simulated, every?: number): Timer {
    const timer = {
      at: this.now + Math.max(1, ms),
      order: this.#order++,
      every,
      owner,
      run,
      cancelled: false,
      ranAt: -1,
    };
    this.#timers.add(timer);
    return Object.assign(timer, { unref: () => timer, ref: () => timer });
  }

  /** Puts itself in the place of Node's timers and `Date.now`, for simulated processes, and of waits for the disk. @returns what takes that back. */
  install(): () => void {
    const cancel = (timer: unknown) => {
      if (typeof timer === 'object' && timer !== null && 'order' in timer)
        (timer as Timer).cancelled = true;
      else realClearTimeout(timer as NodeJS.Timeout);
    };
    const timeout = (run: () => void, ms = 0, ...rest: unknown[]) => {
      const owner = current.getStore();
      if (owner === undefined) return Reflect.apply(realTimeout, undefined, [run, ms, ...rest]);
      return this.#add(ms, run, owner);
    };
    const interval = (run: () => void, ms = 0, ...rest: unknown[]) => {
      const owner = current.getStore();
      if (owner === undefined) return Reflect.apply(realInterval, undefined, [run, ms, ...rest]);
      return this.#add(ms, run, owner, ms);
    };
    const sleep = (ms = 0, value?: unknown, options: { signal?: AbortSignal } = {}) => {
      const owner = current.getStore();
      if (owner === undefined) return realSleep(ms, value, options);
      return new Promise((resolve, reject) => {
        const timer = this.#add(ms, () => resolve(value), owner);
        options.signal?.addEventListener('abort', () => {
          timer.cancelled = true;
          reject(options.signal?.reason);
        });
      });
    };
    Object.assign(globalThis, {
      setTimeout: timeout,
      setInterval: interval,
      clearTimeout: cancel,
      clearInterval: cancel,
    });
    Object.assign(promises, { setTimeout: sleep });
    // Nothing here is to outlive a power cut.
    Object.assign(fs, {
      fdatasync: (_file: number, done: (error: null) => void) => queueMicrotask(() => done(null)),
    });
    Date.now = () => current.getStore()?.wall() ?? realNow();
    syncBuiltinESMExports();
    return () => {
      Object.assign(globalThis, {
        ...{ setTimeout: realTimeout, setInterval: realInterval },
        ...{ clearTimeout: realClearTimeout, clearInterval: realClearInterval },
      });
      Object.assign(promises, { setTimeout: realSleep });
      Object.assign(fs, { fdatasync: realSync });
      Date.now = realNow;
      syncBuiltinESMExports();
    };
  }
}

function earlier(one: Timer | undefined, other: Timer): Timer {
  if (one === undefined) return other;
  return other.at < one.at || (other.at === one.at && other.order < one.order) ? other : one;
}
