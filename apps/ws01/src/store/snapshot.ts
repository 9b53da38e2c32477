import type { Engine } from './store.ts';
import type { ImageFilesTable } from './tables/tables.ts';

/** A file that an image has. */
export type NamedFile = Pick<ImageFilesTable, 'stored_as' | 'hash'>;

/** Rows of each table, by its name. */
export type RowCounts = Readonly<Record<string, number>>;

type Awaitable<T> = T | Promise<T>;

/** Called with the number of finished units and their total; if it throws, the work ends. */
export type OnStep = (done: number, all: number) => void;

/** A consistent snapshot of the database, while the service continues to write. */
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

/** The content of a backup of a database, found by restoring it to a temporary place. */
export interface CopyContents {
  readonly counts: RowCounts;
  readonly imageFiles: readonly NamedFile[];
  /** How it was looked at: `restored` into its own database; `read` where none may be made. */
  readonly by: 'restored' | 'read';
}
