import type { TestContext } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';

/** The clock of the machine, for this process, until the end of the test. */
export class Clock {
  #set = 0;
  #passed = 0;
  #stopped: { readonly wall: number; readonly steady: number } | undefined;

  constructor(test: { after(restore: () => void): void }) {
    const [now, steady] = [Date.now, performance.now.bind(performance)];
    test.after(() => Object.assign(Date, { now }));
    test.after(() => Object.assign(performance, { now: steady }));
    Date.now = () => (this.#stopped?.wall ?? now()) + this.#passed + this.#set;
    performance.now = () => (this.#stopped?.steady ?? steady()) + this.#passed;
  }

  /** Somebody sets it. */
  set(by: number): void {
    this.#set += by;
  }

  /** No time passes but what {@link pass} says; timers do not hear of it. */
  stop(): void {
    this.#stopped = {
      wall: Date.now() - this.#passed - this.#set,
      steady: performance.now() - this.#passed,
    };
  }

  /** Time passes again, as a service needs it that stops. */
  goOn(): void {
    this.#stopped = undefined;
  }

  /** So much time passes; timers do not hear of it. */
  pass(ms: number): void {
    this.#passed += ms;
  }
}

/**
 * Until the end of the test the clock on the wall says that a time of so many ms, such as a day in UTC, has just begun:
 * none ends while a test runs. To be called before a service starts.
 */
export function beginSlot(test: TestContext, ms: number): void {
  new Clock(test).set(-(Date.now() % ms));
}

/**
 * Until the end of the test the clock on the wall stands still, so that no day ends. A service goes on by what is
 * measured, as if somebody had set it back.
 */
export function stopWall(test: TestContext): number {
  const now = Date.now();
  test.mock.method(Date, 'now', () => now);
  return now;
}

/** Waits until the clock on the wall says a later time; a timer may be due a millisecond before it does. */
export const laterThan = (instant: number) => until(() => Date.now() > instant);
