import { time } from '@ws01/asmx/time';
import { DependencyError } from '../failure/dependency-error.ts';

/** How patient a write is. */
export interface WriteLimits {
  /**
   * How long it waits for others that hold the database; ms. The store's own `busyTimeout` when
   * absent.
   */
  readonly busyTimeout?: number;
  /**
   * How long it may take once it has begun, since others wait for it; ms. {@link WORK_TIMEOUT} when
   * absent.
   */
  readonly workTimeout?: number;
}

/** How a write is carried out. */
export interface WriteOptions extends WriteLimits {
  /**
   * The keys of all records that it writes, each with its kind. It may then share a transaction
   * with writes of other records, and see their changes. So it changes rows outside of its records
   * only by single statements that are right by themselves, never by what it has read before.
   */
  readonly records?: readonly string[];
}

/** Timeout of a write or query; ms. A write that takes this long usually waits for another one. */
export const WORK_TIMEOUT = 10_000;

/** Thrown at a timeout; a write had no effect. */
export class WorkTimeoutError extends DependencyError {
  constructor(what: string, limit: number) {
    super('database', 'busy', `${what} took longer than ${limit} ms.`);
    this.name = 'WorkTimeoutError';
  }
}

/**
 * Awaits work with a timeout. The work itself is not stopped: the caller must make it harmless.
 * @param limit ms.
 * @param what the name of the work for the error.
 * @throws {WorkTimeoutError} at the timeout; and whatever the work throws.
 */
export function withinTime<T>(work: Promise<T>, limit: number, what = 'A write'): Promise<T> {
  return new Promise((resolve, reject) => {
    const bound = time.limit(limit, () => reject(new WorkTimeoutError(what, limit)));
    work.then(
      (value) => {
        bound.end();
        resolve(value);
      },
      (error) => {
        bound.end();
        reject(error);
      },
    );
  });
}
