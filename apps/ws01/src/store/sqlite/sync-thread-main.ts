import { fdatasyncSync, writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { markText } from './commit-mark.ts';

/** The thread of a `SyncThread`: waits to be asked, syncs its file, says how it went. */

export interface SyncSettings {
  /** The file's descriptor, which the whole process has. */
  readonly file: number;
  /** Of the file where it is noted what is on the disk. */
  readonly mark: number | undefined;
  /** How often it has been asked to sync, {@link END} when it is to end; and at {@link NUMBER} what is noted then. */
  readonly asked: Int32Array;
}

/** What is answered to each time it was asked. */
export interface SyncAnswer {
  /** `undefined` when the file is on the disk. */
  readonly error: Error | undefined;
}

export const END = -1;
export const NUMBER = 1;

// Also loaded for what it exports.
if (parentPort !== null && (workerData as SyncSettings | null)?.asked !== undefined) {
  const { file, mark, asked } = workerData as SyncSettings;
  for (let seen = 0; ; ) {
    // Asleep until it changes; at once when it has changed already.
    Atomics.wait(asked, 0, seen);
    seen = Atomics.load(asked, 0);
    if (seen === END) break;
    const number = Atomics.load(asked, NUMBER);
    const error = sync(file);
    if (error === undefined && mark !== undefined) note(mark, number);
    parentPort.postMessage({ error } satisfies SyncAnswer);
  }
}

/** What cannot be noted is not known later, and nothing worse. */
function note(mark: number, number: number): void {
  try {
    writeSync(mark, markText(number), 0);
  } catch {}
}

function sync(file: number): Error | undefined {
  try {
    fdatasyncSync(file);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
