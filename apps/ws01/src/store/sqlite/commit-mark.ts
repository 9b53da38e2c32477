import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SqliteConnection } from './connection.ts';

/**
 * Each commit has a number, in the header of the database file (`user_version`) and so in the log with the commit. When the log
 * is on the disk, the number of its last commit is noted in its own file. A log that has lost its end since then looks
 * like a log that ends earlier, to SQLite; the note tells that there was more.
 *
 * The note itself is not waited for. A process that is killed leaves it exact; after a power cut it may be behind by what the
 * system had not written yet, and never ahead.
 */

/** The note's file in the data folder: the number, in ten digits. */
const MARK_FILE = 'ws01.commits';

/** The highest number; the next one is 1. */
const LAST = 2 ** 31 - 1;

/** Gives the commit of the open transaction its number. @returns it. */
export function numberCommit(connection: SqliteConnection): number {
  const number = commitsOf(connection);
  const next = number >= LAST ? 1 : number + 1;
  connection.set(`pragma user_version = ${next}`);
  return next;
}

/** The number of the last commit that the database has. */
function commitsOf(connection: SqliteConnection): number {
  return connection.number('pragma user_version');
}

/**
 * How many commits the database once had on the disk and has not any more.
 * @param file of the database.
 * @returns 0 when none is missing, as far as is known.
 */
export function missingCommits(file: string, connection: SqliteConnection): number {
  const missing = noted(file) - commitsOf(connection);
  // More are a number that has begun again.
  return missing > 0 && missing < LAST / 2 ? missing : 0;
}

function noted(file: string): number {
  try {
    const text = readFileSync(markOf(file), 'latin1');
    return /^\d{10}\n$/.test(text) ? Number(text) : 0;
  } catch {
    return 0;
  }
}

/** What is written into the file, from its beginning. */
export function markText(number: number): string {
  return `${String(number).padStart(10, '0')}\n`;
}

/** Opens the note to be written; `undefined` when it cannot be, which is no reason to serve nobody. */
export function openMark(file: string): number | undefined {
  try {
    return openSync(markOf(file), 'r+');
  } catch {}
  try {
    return openSync(markOf(file), 'wx', 0o600);
  } catch {
    return undefined;
  }
}

export function closeMark(mark: number | undefined): void {
  if (mark !== undefined) closeSync(mark);
}

/** Of a database that another one takes the place of. */
export function forgetMark(file: string): void {
  rmSync(markOf(file), { force: true });
}

function markOf(file: string): string {
  return join(dirname(file), MARK_FILE);
}
