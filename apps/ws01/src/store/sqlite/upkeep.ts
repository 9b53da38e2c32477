import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DependencyError } from '../../failure/dependency-error.ts';
import { mebibytes } from '../../failure/mebibytes.ts';
import { TEXT_INDEXES } from '../tables/tables.ts';
import { sqliteError } from './errors.ts';
import { assertOwnLog } from './log-owner.ts';
import { isOpenElsewhere } from './replace.ts';

/** How long to wait for a service that is writing; ms. */
const TIMEOUT_MS = 10_000;

/** Merges the search indexes and moves the log into the file. The service may be running. */
export function optimizeFile(file: string): void {
  withFile(file, (database) => {
    for (const index of TEXT_INDEXES)
      database.exec(`insert into ${index} (${index}) values ('optimize')`);
    database.exec('pragma wal_checkpoint(passive)');
  });
}

/**
 * Rewrites the file without free pages. No process may have it open.
 * @returns its size before and after; bytes.
 * @throws {DependencyError} `busy` beside a service; `unavailable` when there is no disk space for
 *   a second copy.
 */
export async function vacuumFile(
  file: string,
): Promise<{ readonly before: number; readonly after: number }> {
  if (isOpenElsewhere(file)) {
    throw new DependencyError(
      'database',
      'busy',
      'A service has the database open; stop it first, since it could not write meanwhile.',
    );
  }
  const before = (await stat(file)).size;
  const { bavail, bsize } = await statfs(dirname(file));
  if (bavail * bsize < before * 2) {
    throw new DependencyError(
      'database',
      'unavailable',
      `It needs ${mebibytes(before * 2)} MiB of free disk for a second copy, and there are ${mebibytes(bavail * bsize)}.`,
    );
  }
  withFile(file, (database) => {
    database.exec('vacuum');
    database.exec('pragma wal_checkpoint(truncate)');
  });
  return { before, after: (await stat(file)).size };
}

function withFile(file: string, work: (database: DatabaseSync) => void): void {
  assertOwnLog(file);
  try {
    const database = new DatabaseSync(file, { timeout: TIMEOUT_MS });
    try {
      work(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw sqliteError(error);
  }
}
