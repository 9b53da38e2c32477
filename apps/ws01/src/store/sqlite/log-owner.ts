import { randomInt } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { SqliteConnection } from './connection.ts';
import { isOpenHere, logOf, momentName, SQLITE_FILE } from './file.ts';

/**
 * Which database a write-ahead log belongs to. SQLite applies a log to whatever database has its
 * name, so a log that was left by a killed service would overwrite parts of a database that was put
 * in place of its own. Two numbers in the header, which each commit writes to the log as well,
 * tell: an id of the database (`application_id`), which the log repeats, and the number of the
 * commit (`user_version`), which is within those of the log, or just before them.
 */

/** Offsets in the first page. */
const COMMIT_AT = 60;
const ID_AT = 68;
const HEADER_BYTES = 100;

/** The header of the log, of each frame, and the largest number of an id or commit. */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const LARGEST = 2 ** 31 - 1;

interface Numbers {
  readonly id: number;
  readonly commit: number;
}

/**
 * Gives a database a new id at each start of its service, so that copies of one that go on by
 * themselves have different ones. It is written into the file, never into a log, which takes the
 * whole file for a moment.
 * @returns whether it did; `false` while others have the database open.
 */
export function renew(connection: SqliteConnection): boolean {
  try {
    connection.run('pragma journal_mode = delete');
  } catch {
    return false;
  }
  connection.set(NEW_ID());
  return true;
}

/**
 * Returns a statement that gives a database a new id. A copy is another database: the log of the
 * original is not its.
 */
export const NEW_ID = () => `pragma application_id = ${randomInt(1, LARGEST)}`;

/**
 * Whether the log of a database belongs to another one, or to another state of it. Only reads the
 * files; what this process has open was looked at before.
 */
export function hasForeignLog(file: string): boolean {
  if (isOpenHere(file)) return false;
  const own = withFile(file, (fd) => numbersAt(fd, 0));
  const logged = own && withFile(logOf(file), loggedNumbers);
  if (own === undefined || logged === undefined) return false;
  const { first, last } = logged;
  if (own.id !== last.id) return true;
  const isBefore = own.commit < first.commit - 1;
  const isAfter = own.commit > last.commit;
  // Behind the largest number they begin again.
  const isWrapped = Math.abs(own.commit - first.commit) > LARGEST / 2 || last.commit < first.commit;
  return !isWrapped && (isBefore || isAfter);
}

/**
 * Moves the log of another database away, with its index. No process may have the database open.
 * @returns its new path; `undefined` if the log is no other one's.
 */
export function setForeignLogAside(file: string): string | undefined {
  if (!hasForeignLog(file)) return undefined;
  const to = `${logOf(file)}.of-another-database-${momentName()}`;
  renameSync(logOf(file), to);
  rmSync(`${file}-shm`, { force: true });
  return to;
}

/**
 * @throws {DependencyError} `unavailable` when the log belongs to another database, to which
 *   opening would apply it.
 */
export function assertOwnLog(file: string): void {
  if (!hasForeignLog(file)) return;
  throw new DependencyError(
    'database',
    'unavailable',
    `${logOf(file)} belongs to another database than ${SQLITE_FILE} beside it, and would overwrite parts of it. If a service runs, stop it; then start it, which moves that log away.`,
  );
}

/**
 * Returns the numbers of the first and the last first page in a log; `undefined` if there is none.
 */
function loggedNumbers(
  fd: number,
): { readonly first: Numbers; readonly last: Numbers } | undefined {
  const header = readAt(fd, 0, LOG_HEADER_BYTES);
  if (header === undefined) return undefined;
  const pageBytes = header.readUInt32BE(8);
  const salts = header.subarray(16, 24);
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  let first: Numbers | undefined;
  let last: Numbers | undefined;
  for (let at = LOG_HEADER_BYTES; ; at += frameBytes) {
    const frame = readAt(fd, at, FRAME_HEADER_BYTES);
    // Behind the end are frames of an earlier round, which have other salts.
    if (frame === undefined || !frame.subarray(8, 16).equals(salts)) break;
    if (frame.readUInt32BE(0) !== 1) continue;
    last = numbersAt(fd, at + FRAME_HEADER_BYTES) ?? last;
    first ??= last;
  }
  return first === undefined || last === undefined ? undefined : { first, last };
}

function numbersAt(fd: number, position: number): Numbers | undefined {
  const header = readAt(fd, position, HEADER_BYTES);
  return header && { id: header.readInt32BE(ID_AT), commit: header.readInt32BE(COMMIT_AT) };
}

function readAt(fd: number, position: number, bytes: number): Buffer | undefined {
  const buffer = Buffer.alloc(bytes);
  return readSync(fd, buffer, 0, bytes, position) === bytes ? buffer : undefined;
}

/** @returns `undefined` if there is no such file. */
function withFile<T>(path: string, work: (fd: number) => T): T | undefined {
  // SQLite itself refuses what is no file, with the reason.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const fd = openSync(path, 'r');
  try {
    return fstatSync(fd).size === 0 ? undefined : work(fd);
  } finally {
    closeSync(fd);
  }
}
