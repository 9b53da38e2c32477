import type { Engine } from './store.ts';
import type { ImageFilesTable } from './tables/tables.ts';

/** A file that an image has. */
export type NamedFile = Pick<ImageFilesTable, 'stored_as' | 'hash'>;

/** Rows of each table, by its name. */
export type RowCounts = Readonly<Record<string, number>>;

type Awaitable<T> = T | Promise<T>;

/** Told how many of how many units are done; what it throws ends the work. */
export type OnStep = (done: number, all: number) => void;

/** The database as it is at one moment, seen beside the service that goes on writing. */
export interface DatabaseSnapshot {
  readonly engine: Engine;
  /** The copy's name in a backup: `ws01.sqlite` or `ws01.dump`. */
  readonly file: string;

  /** Holds the present moment, until the next call or {@link release}. */
  take(): Awaitable<void>;
  release(): Awaitable<void>;

  /** The files that images have. */
  imageFiles(): Awaitable<readonly NamedFile[]>;

  /** The rows of every table that the database has. */
  counts(): Awaitable<RowCounts>;

  /**
   * Copies the database of the moment that is held, and looks whether the copy is sound.
   * @param path of a new file.
   * @throws {DependencyError} `unavailable` when it cannot be written, or is damaged since the original is.
   */
  copyTo(path: string, onStep: OnStep): Promise<void>;

  close(): Awaitable<void>;
}

/** What a copy of a database holds, found by restoring it to a temporary place. */
export interface CopyContents {
  readonly counts: RowCounts;
  readonly imageFiles: readonly NamedFile[];
  /** How it was looked at: `restored` into its own database; `read` where none may be made. */
  readonly by: 'restored' | 'read';
}
