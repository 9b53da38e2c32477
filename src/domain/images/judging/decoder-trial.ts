import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';

/** How long a trial may take before it counts as failed; ms. Loading takes a tenth of a second. */
const TIMEOUT_MS = 60_000;

/** What the other process runs. */
const SCRIPT = `await import(${JSON.stringify(import.meta.resolve('sharp'))})`;

/** The image library cannot be loaded. */
export class DecoderUnusable extends Error {
  override readonly name = 'DecoderUnusable';
}

/**
 * Makes a check that the image library can be loaded, with its native part, so that a broken installation is told
 * before the first image comes. It is tried in a process of its own, which ends at once: there a library that was built
 * for another processor cannot take the service along, and its memory is given back. Once it could be loaded it is not
 * tried again.
 * @returns a function that rejects with {@link DecoderUnusable}.
 */
export function createDecoderTrial(script = SCRIPT): () => Promise<void> {
  let trial: Promise<void> | undefined;
  return () => {
    trial ??= attempt(script).catch((error) => {
      trial = undefined;
      throw error;
    });
    return trial;
  };
}

function attempt(script: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { timeout: TIMEOUT_MS },
      (cause) => {
        if (cause === null) resolve();
        else
          reject(new DecoderUnusable('The image library sharp cannot be loaded; install it again: npm ci.', { cause }));
      },
    );
    // Calls come first.
    if (child.pid !== undefined) yieldToAll(child.pid);
  });
}

function yieldToAll(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  } catch {
    // It has ended already.
  }
}
