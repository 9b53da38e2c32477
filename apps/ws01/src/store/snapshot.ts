import { DependencyError } from '../failure/dependency-error.ts';
import type { Engine } from './store.ts';
import type { ImageFilesTable } from './tables/tables.ts';

/** A file that an image uses. */
export type NamedFile = Pick<ImageFilesTable, 'stored_as' | 'hash'>;

/** Row counts by table. */
export type RowCounts = Readonly<Record<string, number>>;

type Awaitable<T> = T | Promise<T>;

/** Called with the number of finished units and their total; if it throws, the work ends. */
export type OnStep = (done: number, all: number) => void;

/** A consistent snapshot of the database, while the service continues to write. */
export interface DatabaseSnapshot {
  readonly engine: Engine;
  /** The name of the copy in a backup: `ws01.sqlite` or `ws01.dump`. */
  readonly file: string;

  /** Takes a new snapshot of the present state; it lasts until the next call or {@link release}. */
  take(): Awaitable<void>;
  release(): Awaitable<void>;

  /** Returns the files that images use. */
  imageFiles(): Awaitable<readonly NamedFile[]>;

  /** Returns the row counts of all tables. */
  counts(): Awaitable<RowCounts>;

  /**
   * Copies the database of the snapshot and checks the copy.
   * @param path of a new file.
   * @throws {DependencyError} `unavailable` when it cannot be written, or the original is damaged.
   */
  copyTo(path: string, onStep: OnStep): Promise<void>;

  close(): Awaitable<void>;
}

/** What says that a copy itself is damaged, not that it could not be looked at. */
export class DamagedCopy extends DependencyError {
  constructor(message: string, options: ErrorOptions = {}) {
    super('database', 'unavailable', message, options);
  }
}

/** The content of a backup of a database, found by restoring it to a temporary place. */
export interface CopyContents {
  readonly counts: RowCounts;
  readonly imageFiles: readonly NamedFile[];
  /** The files of images that were deleted, and are yet to be removed. */
  readonly deletedFiles: readonly NamedFile[];
  /** How it was checked: `restored` into a database of its own; `read` if none may be created. */
  readonly by: 'restored' | 'read';
}
