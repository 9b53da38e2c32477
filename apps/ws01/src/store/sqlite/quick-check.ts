import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SQLITE_FILE } from './file.ts';

/** Written in TypeScript, published as JavaScript. */
const MAIN = fileURLToPath(new URL(`./quick-check-main${extname(import.meta.filename)}`, import.meta.url));

/**
 * Looks through the pages of the embedded database beside the service: in its own process, with the least priority.
 * @param signal ends it at once.
 * @returns what is wrong, a sentence each; empty when nothing is.
 * @throws whatever keeps the process from being started; an `AbortError`.
 */
export function quickCheck(dataDir: string, signal: AbortSignal): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const options = { signal, killSignal: 'SIGKILL' } as const;
    const child = execFile(process.execPath, [MAIN, join(dataDir, SQLITE_FILE)], options, (error, stdout) => {
      if (error === null) resolve(stdout.split('\n').filter((line) => line !== ''));
      else reject(error);
    });
    child.unref();
    try {
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    } catch {
      // It has ended already, or may not be changed.
    }
  });
}
