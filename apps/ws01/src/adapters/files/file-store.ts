import type { Readable } from 'node:stream';

/** A stored file. */
export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  /** When it was stored; ms since 1970-01-01T00:00:00Z, by the clock of the disk or of S3. */
  readonly storedAt: number;
  /** Differs for other bytes under the same name; `undefined` if the store has no versions. */
  readonly version?: string | undefined;
}

/** A file of the spool and its future name. */
export interface FileToKeep {
  readonly path: string;
  readonly name: string;
}

/** A file in the trash. */
export interface TrashedFile {
  readonly name: string;
  readonly bytes: number;
  /** The day on which it came there, by the clock of the store: `2026-11-27`, UTC. */
  readonly day: string;
}

/**
 * Files that were taken out of a store and can be put back. Each step leaves a file in the store,
 * in the trash, or in both, whenever the machine stops. Throws as {@link FileStore} does.
 */
export interface FileTrash {
  /**
   * Moves a file from the store to the trash; does nothing if it is not there.
   * @param day as of {@link TrashedFile}.
   */
  take(name: string, day: string): Promise<void>;

  /** Moves a file back to the store. @returns whether the trash had it. */
  putBack(file: TrashedFile): Promise<boolean>;

  /** Removes a file from the trash for ever; does nothing if it is not there. */
  remove(file: TrashedFile): Promise<void>;

  /** Lists all files, the oldest day first. */
  list(): AsyncIterable<TrashedFile>;
}

/** A part of a file: the bytes from `start` to `end`, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The bytes of a file, which is open. Each piece is its reader's until it asks for the next one.
 */
export interface FilePieces extends AsyncIterable<Buffer> {
  /** Closes the file; needed if its pieces were never asked for. Absent where nothing is open. */
  readonly destroy?: () => unknown;
}

/**
 * Stores files on a disk or in S3. The caller chooses the names: lower-case letters, digits, `-`
 * and `.`, at least two characters; a name is never reused for other bytes.
 *
 * All methods throw `DependencyError` of `files`: `unavailable` when the disk or S3 fails, `busy`
 * when too many operations wait for the disk.
 */
export interface FileStore {
  /** What was taken out of the store. */
  readonly trash: FileTrash;

  /** Stores a file of the {@link Spool} durably: after it resolves, a crash loses nothing. */
  keep(path: string, name: string): Promise<void>;

  /**
   * Stores several files with fewer waits for the disk; after a failure some of them may be stored.
   */
  keepAll(files: readonly FileToKeep[]): Promise<void>;

  /**
   * Stores a file of another store within the storage service; no byte passes through this machine.
   * @param file as the other store listed it; another version is not copied.
   * @returns whether it was copied: both stores must be of one service, and the service must allow
   *   it.
   */
  copy(from: FileStore, file: StoredFile, name: string): Promise<boolean>;

  /**
   * Returns a file's size and time; `undefined` if there is none.
   * @param signal ends the wait for a busy disk.
   */
  find(name: string, signal?: AbortSignal): Promise<StoredFile | undefined>;

  /**
   * Returns the bytes of a file, or of a part. The stream emits an error if the file does not
   * exist.
   * @param signal as of {@link find}.
   */
  read(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Readable>;

  /**
   * Returns as {@link read} does, but in pieces that are not kept: they may all have the same
   * memory.
   */
  pieces(name: string, range?: ByteRange, signal?: AbortSignal): Promise<FilePieces>;

  /**
   * Runs work on a local path of the file. The path is valid until the work ends; the file must not
   * be changed.
   */
  withPath<T>(name: string, work: (path: string) => Promise<T>): Promise<T>;

  /** Removes a file; does nothing if there is none. */
  remove(name: string): Promise<void>;

  /**
   * Lists all files, in no particular order. Files stored or removed during the listing may be
   * missed.
   * @param beginning only those whose names begin so; of two characters or more.
   */
  list(beginning?: string): AsyncIterable<StoredFile>;

  /**
   * Returns the id of the database that the files belong to; `undefined` if they belong to none
   * yet.
   */
  owner(): Promise<string | undefined>;

  /**
   * Says that the files belong to a database.
   * @param id lower-case letters, digits and `-`; `undefined`: they belong to none.
   */
  giveTo(id: string | undefined): Promise<void>;

  /**
   * Returns the time of the clock behind {@link StoredFile.storedAt}; writes a small file to read
   * it.
   */
  now(): Promise<number>;

  /** Resolves if files can be stored now. */
  check(): Promise<void>;

  /**
   * @throws {DependencyError} `misconfigured` when a folder belongs to another user than this
   *   process.
   */
  assertOwn(): Promise<void>;

  /** Closes connections. */
  close(): void;
}
