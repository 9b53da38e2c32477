import { fdatasyncSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { markFailure, markText } from './commit-mark.ts';

/** The thread of a `SyncThread`: waits for requests, syncs its file, and reports the result. */

export interface SyncSettings {
  /** The file descriptor, which belongs to the whole process. */
  readonly file: number;
  /** The file descriptor of the mark. */
  readonly mark: number | undefined;
  /**
   * The number of requests so far, or {@link END} to end the thread; at {@link NUMBER}, the number
   * for the mark; at {@link BEGUN}, the number of requests that the thread has begun.
   */
  readonly asked: Int32Array;
}

/** The answer to each request. */
export interface SyncAnswer {
  /** `undefined` when the file is on the disk. */
  readonly error: Error | undefined;
  /** Why the mark is not written; `undefined` if it is, or there is none. */
  readonly unmarked: Error | undefined;
}

export const END = -1;
export const NUMBER = 1;
export const BEGUN = 2;

// This file is also imported for its exports.
if (parentPort !== null && (workerData as SyncSettings | null)?.asked !== undefined) {
  const { file, mark, asked } = workerData as SyncSettings;
  for (let seen = 0; ; ) {
    // Sleeps until the value changes; returns at once if it has changed.
    Atomics.wait(asked, 0, seen);
    seen = Atomics.load(asked, 0);
    if (seen === END) break;
    const number = Atomics.load(asked, NUMBER);
    Atomics.store(asked, BEGUN, seen);
    const error = sync(file);
    const unmarked = error === undefined && mark !== undefined ? note(mark, number) : undefined;
    parentPort.postMessage({ error, unmarked } satisfies SyncAnswer);
  }
}

/** Writes the mark. @returns why it could not. */
function note(mark: number, number: number): Error | undefined {
  try {
    return markFailure(mark, null, writeSync(mark, markText(number), 0));
  } catch (error) {
    return error as Error;
  }
}

function sync(file: number): Error | undefined {
  try {
    fdatasyncSync(file);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
