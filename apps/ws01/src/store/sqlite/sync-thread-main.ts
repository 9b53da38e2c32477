import { fdatasyncSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

/** The thread of a `SyncThread`: waits to be asked, syncs its file, says how it went. */

export interface SyncSettings {
  /** The file's descriptor, which the whole process has. */
  readonly file: number;
  /** How often it has been asked to sync; {@link END} when it is to end. */
  readonly asked: Int32Array;
}

/** What is answered to each time it was asked. */
export interface SyncAnswer {
  /** `undefined` when the file is on the disk. */
  readonly error: Error | undefined;
}

export const END = -1;

// Also loaded for what it exports.
if (parentPort !== null && (workerData as SyncSettings | null)?.asked !== undefined) {
  const { file, asked } = workerData as SyncSettings;
  for (let seen = 0; ; ) {
    // Asleep until it changes; at once when it has changed already.
    Atomics.wait(asked, 0, seen);
    seen = Atomics.load(asked, 0);
    if (seen === END) break;
    parentPort.postMessage({ error: sync(file) } satisfies SyncAnswer);
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
