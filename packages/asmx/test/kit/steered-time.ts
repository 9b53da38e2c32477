import { type Time, time } from '../../src/time/index.ts';
import { until } from './until.ts';

const SECOND = 1_000;

/** How many times longer a patient process waits until a limit is over. */
const PATIENCE = 10;
/** A timer of Node that is set for longer is due at once; ms. */
const LONGEST_MS = 2 ** 31 - 1;

const machine: Time = { ...time };
/** What patience has taken from the time so far; ms. It is not made up for: no deadline comes at once when it ends. */
let lag = 0;
const unhurried: Time = { ...machine, steady: () => machine.steady() - lag };
let steered = false;
let patients = 0;
/** Where the time of a patient process began to be slower, and what tests had pass since; ms. */
let [slowedAt, passed] = [0, 0];
const running = new Set<{ readonly due: number; readonly over: () => void }>();

const patient: Time = {
  steady: () => slowedAt + (unhurried.steady() - slowedAt) / PATIENCE + passed,
  limit(ms, over) {
    const limit = { due: patient.steady() + ms, over: () => end() ?? over() };
    const later = machine.limit(Math.min(ms * PATIENCE, LONGEST_MS), limit.over);
    const end = () => {
      later.end();
      running.delete(limit);
    };
    running.add(limit);
    const told = { end, unref: () => later.unref() && told };
    return told;
  },
};

/**
 * From now on no limit by the clock is over because the machine is busy: it takes ten times as long, or until
 * {@link passLimits}.
 */
export function bePatient(test?: { after(restore: () => void): void }): void {
  // Whoever steers all of the time has taken it from the machine.
  if (steered) return;
  if (patients++ === 0) [slowedAt, passed] = [unhurried.steady(), 0];
  Object.assign(time, patient);
  test?.after(() => {
    if (--patients > 0) return;
    lag += unhurried.steady() - patient.steady();
    Object.assign(time, unhurried);
  });
}

/** In a patient process: so many ms pass for limits, and for nothing else. */
export function passLimits(ms: number): void {
  passed += ms;
  for (const limit of [...running]) if (limit.due <= patient.steady()) limit.over();
}

/** The time of this process, in the hands of a test. */
export interface SteeredTime {
  /** Has so many ms pass. */
  pass(ms: number): void;
  /** Has seconds pass until a promise is settled. @returns as it is. */
  passUntil<Value>(awaited: Promise<Value>): Promise<Value>;
}

/** What `setTimeout` and `setInterval` return; what is set with arguments is for nobody here. */
class Timer {
  readonly #dueFromNow: () => number;
  due: number;
  readonly every: number | undefined;
  readonly run: () => void;
  /** After the test: the timer of Node that takes its place. */
  machine: NodeJS.Timeout | undefined;

  constructor(dueFromNow: () => number, every: number | undefined, run: () => void) {
    this.#dueFromNow = dueFromNow;
    this.due = dueFromNow();
    this.every = every;
    this.run = run;
  }

  refresh(): this {
    this.due = this.#dueFromNow();
    this.machine?.refresh();
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/**
 * To be called before anything is started. Until the end of the test `performance.now` stands still, and what the product
 * sets by `setTimeout` and `setInterval` is due as time passes here. Sockets, files, `until` and what is imported of
 * `node:timers/promises` go on by themselves. Tests that run at the same time would share it. (Node's own mocked timers
 * take a wrong one away when one of an earlier test is cleared.)
 * @throws {Error} beside a service that was started before, whose limits have begun by another clock.
 */
export function steerTime(test: { after(restore: () => void): void }): SteeredTime {
  if (patients > 0) throw new Error('Time is steered before a service is started.');
  const { setTimeout, setInterval, clearTimeout } = globalThis;
  const steady = performance.now;
  const timers = new Set<Timer>();
  let now = performance.now();
  const set = (run: () => void, ms: number, every: number | undefined) => {
    const timer = new Timer(() => now + Math.max(1, ms), every, run);
    timers.add(timer);
    return timer;
  };
  const clear = (timer: unknown) => {
    if (!(timer instanceof Timer)) return clearTimeout(timer as NodeJS.Timeout);
    timers.delete(timer);
    clearTimeout(timer.machine);
  };
  Object.assign(globalThis, {
    setTimeout: (run: () => void, ms = 1) => set(run, ms, undefined),
    setInterval: (run: () => void, ms = 1) => set(run, ms, Math.max(1, ms)),
    clearTimeout: clear,
    clearInterval: clear,
  });
  Object.assign(performance, { now: () => now });
  Object.assign(time, unhurried);
  steered = true;
  // What the test has started is stopped after this, and may wait for what is still set. `clear` stays, for who has
  // set it.
  test.after(() => {
    Object.assign(globalThis, { setTimeout, setInterval });
    Object.assign(performance, { now: steady });
    steered = false;
    for (const timer of timers) {
      const wait = Math.min(timer.due - now, LONGEST_MS);
      timer.machine =
        timer.every === undefined
          ? setTimeout(timer.run, wait).unref()
          : setInterval(timer.run, timer.every).unref();
    }
  });
  const pass = (ms: number) => {
    const end = now + ms;
    for (;;) {
      const [next] = [...timers].sort((a, b) => a.due - b.due);
      if (next === undefined || next.due > end) break;
      now = Math.max(now, next.due);
      if (next.every === undefined) timers.delete(next);
      else next.due += next.every;
      next.run();
    }
    now = end;
  };
  return {
    pass,
    async passUntil(awaited) {
      let settled = false;
      const settle = () => {
        settled = true;
      };
      awaited.then(settle, settle);
      await until(() => {
        if (!settled) pass(SECOND);
        return settled;
      });
      return awaited;
    },
  };
}
