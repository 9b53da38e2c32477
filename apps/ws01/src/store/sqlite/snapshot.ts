import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { StoreError } from '../errors.ts';
import type { ImageFilesTable } from '../tables/tables.ts';
import { sqliteError } from './errors.ts';
import { SQLITE_FILE } from './file.ts';

/** Pages copied in one step, between which the copy can be told how far it is, or be stopped: 8 MiB. */
const STEP_PAGES = 2_048;

/** How long to wait for another process that recovers or closes the file; ms. */
const TIMEOUT = 5_000;

/** A file that an image has. */
export type NamedFile = Pick<ImageFilesTable, 'stored_as' | 'hash'>;

/**
 * The embedded database as it is at one moment, seen beside the service that goes on writing: everything that is read
 * and copied is from that moment. While it is held, the service's log grows.
 */
export class SqliteSnapshot {
  readonly #database: DatabaseSync;

  private constructor(file: string) {
    this.#database = new DatabaseSync(file, { timeout: TIMEOUT });
    this.#database.exec('pragma query_only = on');
  }

  /**
   * Opens the database of a data folder, and neither makes nor migrates it.
   * @throws {StoreError} `configuration` when there is none; `unavailable` or `busy` when it cannot be opened.
   */
  static async open(dataDir: string): Promise<SqliteSnapshot> {
    const file = join(dataDir, SQLITE_FILE);
    try {
      await stat(file);
      return new SqliteSnapshot(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw sqliteError(error);
      throw new StoreError('configuration', `${dataDir} holds no database; set DATA_DIR to the folder of the service.`);
    }
  }

  /** Holds the present moment, until the next call or {@link release}. */
  take(): void {
    this.release();
    this.#read(() => {
      this.#database.exec('begin');
      // A transaction sees the moment of its first query.
      this.#database.prepare('select count(*) from sqlite_schema').get();
    });
  }

  release(): void {
    if (this.#database.isTransaction) this.#read(() => this.#database.exec('commit'));
  }

  /** The files that images have. */
  imageFiles(): readonly NamedFile[] {
    return this.#read(() => {
      const rows = this.#database.prepare('select stored_as, hash from image_files where deleted_at is null').all();
      return rows as unknown as NamedFile[];
    });
  }

  /**
   * Copies the database of the moment that is held, and looks whether the copy is sound. The copy is on the disk when
   * it resolves.
   * @param path of a new file.
   * @param onStep told how many pages are copied, of how many; what it throws ends the copying.
   * @throws {StoreError} `unavailable` when it cannot be written, or is damaged since the original is.
   */
  async copyTo(path: string, onStep: (pages: number, all: number) => void): Promise<void> {
    let stopped: unknown;
    const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) => {
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
      throw stopped ?? new StoreError('unavailable', `The database cannot be copied: ${reasonOf(error)}.`, error);
    }
    assertSound(path);
  }

  close(): void {
    this.#database.close();
  }

  #read<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw sqliteError(error);
    }
  }
}

/** Looks at every page of a copy. */
function assertSound(path: string): void {
  let found: unknown;
  try {
    const copy = new DatabaseSync(path);
    try {
      found = copy.prepare('pragma quick_check(1)').get()?.quick_check;
    } finally {
      copy.close();
    }
  } catch (error) {
    found = reasonOf(error);
  }
  if (found !== 'ok')
    throw new StoreError('unavailable', `The database file is damaged: ${found}; restore it from a backup.`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
