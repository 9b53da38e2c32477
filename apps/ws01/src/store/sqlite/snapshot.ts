import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { DatabaseSnapshot, NamedFile, OnStep, RowCounts } from '../snapshot.ts';
import { makeOwnCopy } from './copy-check.ts';
import { countsOf, imageFilesOf, reasonOf } from './copy-contents.ts';
import { sqliteError } from './errors.ts';
import { noteOpen, SQLITE_FILE } from './file.ts';
import { assertOwnLog } from './log-owner.ts';

/** Pages per step of a copy: 8 MiB. Progress and cancellation are handled between steps. */
const STEP_PAGES = 2_048;

/** How long to wait for a process that recovers or closes the file; ms. */
const TIMEOUT = 5_000;

/**
 * A consistent snapshot of the SQLite database while the service continues to write. While it is
 * held, the service's log grows.
 */
export class SqliteSnapshot implements DatabaseSnapshot {
  readonly engine = 'sqlite';
  readonly file = SQLITE_FILE;
  readonly #database: DatabaseSync;
  readonly #onClosed: () => void;

  private constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: TIMEOUT });
    this.#onClosed = noteOpen(file);
    this.#database.exec('pragma query_only = on');
  }

  /**
   * Opens the database of a data folder; neither creates nor migrates it.
   * @throws {DependencyError} `misconfigured` when there is none; `unavailable` or `busy` when it
   *   cannot be opened.
   */
  static async open(dataDir: string): Promise<SqliteSnapshot> {
    const file = join(dataDir, SQLITE_FILE);
    try {
      await stat(file);
      assertOwnLog(file);
      return new SqliteSnapshot(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw sqliteError(error);
      throw new DependencyError(
        'database',
        'misconfigured',
        `${dataDir} holds no database; set DATA_DIR to the folder of the service.`,
      );
    }
  }

  /** Takes a snapshot of the present state; it lasts until the next call or {@link release}. */
  take(): void {
    this.release();
    this.#read(() => {
      this.#database.exec('begin');
      // A transaction sees the state at its first query.
      this.#database.prepare('select count(*) from sqlite_schema').get();
    });
  }

  release(): void {
    if (this.#database.isTransaction) this.#read(() => this.#database.exec('commit'));
  }

  /** Returns the files that images use. */
  imageFiles(): readonly NamedFile[] {
    return this.#read(() => imageFilesOf(this.#database));
  }

  counts(): RowCounts {
    return this.#read(() => countsOf(this.#database));
  }

  /**
   * Copies the database of the snapshot and checks the copy, which is durable when this resolves.
   * @param path of a new file.
   * @param onStep called with copied pages and their total; an error that it throws ends the copy.
   * @throws {DependencyError} `unavailable` when it cannot be written, or the original is damaged.
   */
  async copyTo(path: string, onStep: OnStep): Promise<void> {
    let stopped: unknown;
    const progress = ({
      totalPages,
      remainingPages,
    }: {
      totalPages: number;
      remainingPages: number;
    }) => {
      try {
        onStep(totalPages - remainingPages, totalPages);
      } catch (error) {
        stopped = error;
        throw error;
      }
    };
    try {
      await backup(this.#database, path, { rate: STEP_PAGES, progress });
    } catch (error) {
      throw (
        stopped ??
        new DependencyError(
          'database',
          'unavailable',
          `The database cannot be copied to ${path}: ${reasonOf(error)}.`,
          {
            cause: error,
          },
        )
      );
    }
    await makeOwnCopy(path);
  }

  close(): void {
    this.#database.close();
    this.#onClosed();
  }

  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw sqliteError(error);
    }
  }
}
