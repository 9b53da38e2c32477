import { execFile } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SQLITE_FILE } from './file.ts';

/** TypeScript in the repository, JavaScript in the package. */
const MAIN = fileURLToPath(
  new URL(`./quick-check-main${extname(import.meta.filename)}`, import.meta.url),
);

/**
 * Checks the pages of the SQLite database while the service is running: in a process of its own,
 * with the lowest priority.
 * @param signal ends it at once.
 * @returns one sentence per problem; empty if there is none.
 * @throws when the process cannot be started; an `AbortError`.
 */
export function quickCheck(dataDir: string, signal: AbortSignal): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const options = { signal, killSignal: 'SIGKILL' } as const;
    const child = execFile(
      process.execPath,
      [MAIN, join(dataDir, SQLITE_FILE)],
      options,
      (error, stdout) => {
        if (error === null) resolve(stdout.split('\n').filter((line) => line !== ''));
        else reject(error);
      },
    );
    child.unref();
    try {
      if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    } catch {
      // It has ended already, or its priority may not be changed.
    }
  });
}
