import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DependencyError } from '../../failure/dependency-error.ts';
import { sqliteError } from './errors.ts';
import { isBusy } from './service-turn.ts';

/** The lock's file in the data folder. It stays there, empty. */
export const LOCK_FILE = 'ws01.lock';

/**
 * Makes this process the only service of a data folder until it releases the lock or ends. It is a
 * lock of the operating system, taken by an exclusive SQLite transaction, so nothing of it is left
 * after `kill -9`.
 * @throws {DependencyError} `unavailable` when another service has it.
 */
export function holdDataDir(dataDir: string): { readonly release: () => void } {
  const file = join(dataDir, LOCK_FILE);
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(file, { timeout: 0 });
    lock.exec('begin exclusive');
  } catch (error) {
    lock?.close();
    const cause = sqliteError(error, file);
    if (!isBusy(cause)) throw cause;
    throw new DependencyError(
      'database',
      'unavailable',
      `Another ws01 service uses ${resolve(dataDir)}; stop it, or set DATA_DIR of this one to another folder.`,
      { cause: error },
    );
  }
  const held = lock;
  return { release: () => held.close() };
}
