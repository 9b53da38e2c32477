import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { CopyContents, DatabaseSnapshot, NamedFile, OnStep, RowCounts } from '../snapshot.ts';
import { TABLE_NAMES } from '../tables/tables.ts';
import { sqliteError } from './errors.ts';
import { noteOpen, SQLITE_FILE } from './file.ts';
import { assertOwnLog, NEW_ID } from './log-owner.ts';

/** Pages per step of a copy: 8 MiB. Progress and cancellation are handled between steps. */
const STEP_PAGES = 2_048;

/** How long to wait for a process that recovers or closes the file; ms. */
const TIMEOUT = 5_000;

/**
 * A consistent snapshot of the SQLite database while the service continues to write. While it is held, the service's
 * log grows.
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
   * @throws {DependencyError} `misconfigured` when there is none; `unavailable` or `busy` when it cannot be opened.
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
    assertSound(path);
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

function imageFilesOf(database: DatabaseSync): readonly NamedFile[] {
  const rows = database
    .prepare('select stored_as, hash from image_files where deleted_at is null')
    .all();
  return rows as unknown as NamedFile[];
}

/** The files of a copy, of whatever version. */
function filesOf(database: DatabaseSync): Pick<CopyContents, 'imageFiles' | 'deletedFiles'> {
  const deleted = database
    .prepare('select stored_as, hash from image_files where deleted_at is not null')
    .all();
  return { imageFiles: imageFilesOf(database), deletedFiles: deleted as unknown as NamedFile[] };
}

function countsOf(database: DatabaseSync): RowCounts {
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  const there = new Set(tables.map(({ name }) => name));
  const count = (name: string) =>
    Number(database.prepare(`select count(*) as rows from "${name}"`).get()!.rows);
  return Object.fromEntries(
    TABLE_NAMES.filter((name) => there.has(name)).map((name) => [name, count(name)]),
  );
}

/**
 * Checks a copy at a temporary path: every page, index and reference.
 * @throws {DependencyError} `unavailable` when it is damaged.
 */
export function examineCopy(path: string): CopyContents {
  const found = new Set<string>();
  let contents: CopyContents | undefined;
  try {
    const copy = new DatabaseSync(path);
    try {
      for (const row of copy.prepare('pragma integrity_check(5)').all())
        found.add(String(row.integrity_check));
      found.delete('ok');
      for (const row of copy.prepare('pragma foreign_key_check').all())
        found.add(`${row.table} refers to nothing`);
      contents = { counts: countsOf(copy), ...filesOf(copy), by: 'restored' };
    } finally {
      copy.close();
    }
  } catch (error) {
    if (isOfDisk(error)) throw uncheckedError(path, error);
    found.add(reasonOf(error));
  }
  if (contents === undefined || found.size > 0) {
    throw new DependencyError(
      'database',
      'unavailable',
      `The copy of the database is damaged: ${[...found].join('; ')}.`,
    );
  }
  return contents;
}

/** Gives a copy an id of its own and checks every page. */
function assertSound(path: string): void {
  let found: unknown;
  try {
    const copy = new DatabaseSync(path);
    try {
      copy.exec(NEW_ID());
      found = copy.prepare('pragma quick_check(1)').get()?.quick_check;
    } finally {
      copy.close();
    }
  } catch (error) {
    found = reasonOf(error);
  }
  if (found !== 'ok')
    throw new DependencyError(
      'database',
      'unavailable',
      `The database file is damaged: ${found}; restore it from a backup.`,
    );
}

/** Whether the disk under a copy has failed or is full (SQLITE_IOERR, SQLITE_FULL), which says nothing of the copy. */
function isOfDisk(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return typeof errcode === 'number' && [10, 13].includes(errcode & 0xff);
}

function uncheckedError(path: string, error: unknown): DependencyError {
  const place = `at ${dirname(path)}: ${reasonOf(error)}`;
  const message = `The copy of the database cannot be checked ${place}; is its disk full?`;
  return new DependencyError('database', 'unavailable', message, { cause: error });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
