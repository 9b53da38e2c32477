import { DependencyError } from '../failure/dependency-error.ts';

/** How patient a write is. */
export interface WriteLimits {
  /** How long it waits for others that hold the database; ms. The store's own `busyTimeout` when absent. */
  readonly busyTimeout?: number;
  /** How long it may take once it has begun, since others wait for it; ms. {@link WORK_TIMEOUT} when absent. */
  readonly workTimeout?: number;
}

/** How a write is carried out. */
export interface WriteOptions extends WriteLimits {
  /**
   * The keys of all records that it writes, each with its kind. It may then share a transaction with writes of other
   * records, and see what they have done: what is not of its records it changes by single statements, which hold by
   * themselves, and never by what it has read before.
   */
  readonly records?: readonly string[];
}

/** How long an ordinary write or query may take; ms. A write that takes so long mostly awaits another one. */
export const WORK_TIMEOUT = 10_000;

/** Something was given up because it took too long; of a write nothing took effect. */
export class WorkTimeoutError extends DependencyError {
  constructor(what: string, limit: number) {
    super('database', 'busy', `${what} took longer than ${limit} ms.`);
    this.name = 'WorkTimeoutError';
  }
}

/**
 * Waits for work, but not for ever. The work itself is not stopped: the caller sees to it that it can do no more harm.
 * @param limit ms.
 * @param what the work, as the error calls it.
 * @throws {WorkTimeoutError} when the time is over; and whatever the work throws.
 */
export function withinTime<T>(work: Promise<T>, limit: number, what = 'A write'): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new WorkTimeoutError(what, limit)), limit);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}
