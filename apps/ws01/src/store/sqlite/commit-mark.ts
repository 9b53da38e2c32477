import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { LostCommits } from '../lost-commits.ts';
import type { SqliteConnection } from './connection.ts';
import { fullDisk } from './errors.ts';

/**
 * Each commit has a number in the header of the database file (`user_version`), and so in the log.
 * When the log is on the disk, the number of its last commit is written to a file of its own, the
 * mark. SQLite cannot tell a log that lost its end from a shorter log; the mark shows that there
 * was more.
 *
 * Nobody waits for the mark to be written. It is exact after `kill -9`; after a power cut it may be
 * behind, never ahead. It is made whole and then overwritten in place, so that no crash leaves a
 * part of it.
 */

/** The mark's file in the data folder: the number, in ten digits. */
export const MARK_FILE = 'ws01.commits';

/** The highest number; the next one is 1. */
const LAST = 2 ** 31 - 1;

const MARK_BYTES = 11;

const GARBLED = new Error('its text is not the number of a commit');

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
export function missingCommits(
  file: string,
  connection: SqliteConnection,
): LostCommits | undefined {
  const mark = noted(file);
  const present = commitsOf(connection);
  // Earlier releases made an empty mark before the first commit.
  if (mark === undefined && present > 0) throw unusable(file, GARBLED);
  if (mark === undefined) return undefined;
  const commits = mark - present;
  // A larger difference means that the numbers started again.
  return commits > 0 && commits < LAST / 2 ? { commits, mark } : undefined;
}

/**
 * @returns 0 if there is no mark; `undefined` if it is empty.
 * @throws {DependencyError} if it cannot be read.
 */
function noted(file: string): number | undefined {
  let text: string;
  try {
    text = readFileSync(markOf(file), 'latin1');
  } catch (error) {
    if (isMissing(error)) return 0;
    throw unusable(file, error);
  }
  if (text === '') return undefined;
  const number = /^\d{10}\n$/.test(text) ? Number(text) : Number.NaN;
  if (number <= LAST) return number;
  throw unusable(file, GARBLED);
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function unusable(file: string, cause: unknown): DependencyError {
  const { code } = cause as NodeJS.ErrnoException;
  const reason = code ?? (cause as Error).message;
  return new DependencyError(
    'database',
    'misconfigured',
    `${markOf(file)} cannot be used (${reason}), so that a loss of commits would not be noticed; make it a file that the user of the service may write or, if the database is the right one and complete, delete it.`,
    { cause },
  );
}

/** Returns the content of the mark's file. */
export function markText(number: number): string {
  return `${String(number).padStart(10, '0')}\n`;
}

/**
 * Opens the mark for writing, and makes it if there is none.
 * @throws {DependencyError} when it cannot.
 */
export function openMark(file: string): number {
  const path = markOf(file);
  try {
    if (!existsSync(path)) makeMark(path);
    return openSync(path, 'r+');
  } catch (error) {
    throw fullDisk(error) ?? unusable(file, error);
  }
}

/**
 * Processes may start at the same moment: the first one makes it, and the others take nothing from
 * it.
 */
function makeMark(path: string): void {
  const own = `${path}.new-${process.pid}`;
  try {
    writeFileSync(own, markText(0), { mode: 0o600, flush: true });
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
  const folder = openSync(dirname(path), 'r');
  fsyncSync(folder);
  closeSync(folder);
}

/**
 * Says why what was written to the open mark will not be found at the next start.
 * @param error of the write. @param written bytes.
 * @returns `undefined` if it will be.
 */
export function markFailure(mark: number, error: Error | null, written: number): Error | undefined {
  if (error !== null) return error;
  if (written !== MARK_BYTES)
    return new Error(`only ${written} of ${MARK_BYTES} bytes were written`);
  return fstatSync(mark).nlink === 0 ? new Error('the file was deleted or replaced') : undefined;
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
