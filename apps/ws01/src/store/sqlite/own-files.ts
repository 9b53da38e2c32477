import { resolve } from 'node:path';
import { DependencyError } from '../../failure/dependency-error.ts';
import { idOfFile, logOf, momentName, SQLITE_FILE } from './file.ts';

/** A file, and what it was known by when it was opened. */
export interface OpenFile {
  readonly path: string;
  readonly id: string | undefined;
}

/**
 * The files that are open: the database, its log, and the index of the log. If one of them is
 * deleted or replaced, writes go to a file that nobody finds, and a connection that is opened then
 * would apply the log to the other database. SQLite does not notice.
 */
export class OwnFiles {
  readonly #file: string;
  /** For a thread, which knows them by these. */
  readonly files: readonly OpenFile[];

  /**
   * @param file the database file, which is open, and its log in use.
   * @param files as they were when it was opened; default: as they are now.
   */
  constructor(file: string, files = openFiles(file)) {
    this.#file = file;
    this.files = files;
  }

  /**
   * Checks that the open files are still the ones in the folder; it takes some microseconds.
   * @throws {DependencyError} `unavailable` while one is not. Put back, it is the right one again.
   */
  check(): void {
    for (const { path, id } of this.files) {
      if (idOfFile(path) !== id) throw gone(path);
    }
  }

  /**
   * Saves the open database in a file beside it.
   * @returns what an operator must know.
   */
  save(connection: { set(sql: string): void }): string {
    const path = `${this.#file}.saved-${momentName()}`;
    try {
      connection.set(`vacuum into '${path.replaceAll("'", "''")}'`);
      return `the files of the database were deleted or replaced while it was open; what it held is in ${path}. To serve it again, move it to ${SQLITE_FILE}, without ${SQLITE_FILE}-wal and -shm beside it, and start the service`;
    } catch (error) {
      return `the files of the database were deleted or replaced while it was open, and what it held could not be saved to ${path}: ${(error as Error).message}`;
    }
  }

  /** Whether {@link check} would throw. */
  get areGone(): boolean {
    return this.files.some(({ path, id }) => idOfFile(path) !== id);
  }
}

function openFiles(file: string): readonly OpenFile[] {
  return [file, logOf(file), `${file}-shm`].map((path) => ({ path, id: idOfFile(path) }));
}

function gone(path: string): DependencyError {
  return new DependencyError(
    'database',
    'unavailable',
    `${resolve(path)} was deleted or replaced while this service has it open, so nothing is written. If it was moved, move it back. Otherwise stop the service, which then saves what it has open to a file beside it, and see which of the two is to be served.`,
  );
}
