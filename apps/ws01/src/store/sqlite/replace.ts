import { existsSync } from 'node:fs';
import { link, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DependencyError, isFailureOf } from '../../failure/dependency-error.ts';
import { forgetMark } from './commit-mark.ts';
import { isDamage, sqliteError } from './errors.ts';
import { hasForeignLog, setForeignLogAside } from './log-owner.ts';

/**
 * Whether another process has a database open.
 * @returns `undefined` when the file does not exist, or is too damaged to tell.
 */
export function isOpenElsewhere(file: string): boolean | undefined {
  if (!existsSync(file)) return undefined;
  // Opening it would apply the log of another database.
  if (hasForeignLog(file)) return false;
  try {
    lockWhole(file)?.close();
    return false;
  } catch {
    return true;
  }
}

/**
 * Replaces a database in one step: a process that opens it finds the old or the new one, complete,
 * even after a crash. The old one is kept.
 * @param fresh a valid database on the same disk, closed.
 * @param keptIn a folder on the same disk for the old one; created if there is one.
 * @throws {DependencyError} `busy` when another process has the old one open.
 */
export async function replaceDatabase(fresh: string, file: string, keptIn: string): Promise<void> {
  if (!existsSync(file)) {
    forgetMark(file);
    return rename(fresh, file);
  }
  setForeignLogAside(file);
  const lock = lockAlone(file);
  try {
    // The mark belongs to the old database.
    forgetMark(file);
    await mkdir(keptIn, { recursive: true, mode: 0o700 });
    const parts = [file, `${file}-wal`, `${file}-shm`].filter((path) => existsSync(path));
    for (const path of parts) await link(path, join(keptIn, basename(path)));
    // A log exists only if the old database was too damaged to be opened.
    for (const path of parts.slice(1)) await rm(path);
    await rename(fresh, file);
  } finally {
    lock?.close();
  }
}

/**
 * Locks a database, and puts everything into the one file: its log is deleted, because it would
 * damage the new database.
 * @returns `undefined` when the file is too damaged for that.
 * @throws {DependencyError} `busy` when another process has it open.
 */
function lockAlone(file: string): DatabaseSync | undefined {
  let lock: DatabaseSync | undefined;
  try {
    lock = lockWhole(file);
    lock?.exec('pragma journal_mode = delete');
    return lock;
  } catch (error) {
    lock?.close();
    if (isDamage(error)) return undefined;
    const known = sqliteError(error);
    if (!isFailureOf('database', known, 'busy')) throw known;
    throw new DependencyError(
      'database',
      'busy',
      'Another process has the database open; stop the service first.',
      { cause: error },
    );
  }
}

/** @returns a connection with an exclusive lock; `undefined` when the file is not a database. */
function lockWhole(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec('pragma locking_mode = exclusive');
    database.exec('begin exclusive');
    database.exec('commit');
    return database;
  } catch (error) {
    database.close();
    const known = sqliteError(error);
    if (isFailureOf('database', known, 'busy')) throw known;
    return undefined;
  }
}
