import { closeSync, constants, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { LostCommits } from '../lost-commits.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Each commit has a number in the header of the database file (`user_version`), and so in the log. When the log is on
 * the disk, the number of its last commit is written to a file of its own, the mark. SQLite cannot tell a log that lost
 * its end from a shorter log; the mark shows that there was more.
 *
 * Nobody waits for the mark to be written. It is exact after `kill -9`; after a power cut it may be behind, never
 * ahead.
 */

/** The mark's file in the data folder: the number, in ten digits. */
export const MARK_FILE = 'ws01.commits';

/** The highest number; the next one is 1. */
const LAST = 2 ** 31 - 1;

/**
 * Gives the commit of the open transaction a number.
 * @returns the number.
 */
export function numberCommit(connection: SqliteConnection): number {
  const number = commitsOf(connection);
  const next = number >= LAST ? 1 : number + 1;
  connection.set(`pragma user_version = ${next}`);
  return next;
}

/** Returns the number of the last commit in the database. */
function commitsOf(connection: SqliteConnection): number {
  return connection.number('pragma user_version');
}

/**
 * Returns the durable commits that the database has lost.
 * @param file the database file.
 * @returns `undefined` if none is missing, as far as is known.
 */
export function missingCommits(file: string, connection: SqliteConnection): LostCommits | undefined {
  const mark = noted(file);
  const commits = mark - commitsOf(connection);
  // A larger difference means that the numbers started again.
  return commits > 0 && commits < LAST / 2 ? { commits, mark } : undefined;
}

/** @throws {DependencyError} when the mark is there and cannot be read. */
function noted(file: string): number {
  try {
    const text = readFileSync(markOf(file), 'latin1');
    return /^\d{10}\n$/.test(text) ? Number(text) : 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw unusable(file, error);
  }
}

function unusable(file: string, cause: unknown): DependencyError {
  const { code } = cause as NodeJS.ErrnoException;
  const reason = code ?? (cause as Error).message;
  return new DependencyError(
    'database',
    'misconfigured',
    `${markOf(file)} cannot be used (${reason}), so that a loss of commits would not be noticed; make it a file that the user of the service may write.`,
    { cause },
  );
}

/** Returns the content of the mark's file. */
export function markText(number: number): string {
  return `${String(number).padStart(10, '0')}\n`;
}

/** Opens the mark for writing. @throws {DependencyError} when it cannot. */
export function openMark(file: string): number {
  try {
    return openSync(markOf(file), constants.O_RDWR | constants.O_CREAT, 0o600);
  } catch (error) {
    throw unusable(file, error);
  }
}

export function closeMark(mark: number | undefined): void {
  if (mark !== undefined) closeSync(mark);
}

/** Deletes the mark of a database that is being replaced. */
export function forgetMark(file: string): void {
  rmSync(markOf(file), { force: true });
}

function markOf(file: string): string {
  return join(dirname(file), MARK_FILE);
}
