import type { Readable } from 'node:stream';

/** A file that the store holds. */
export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  /** When it was stored; ms since 1970-01-01T00:00:00Z, by the clock of the disk or of the S3 service. */
  readonly storedAt: number;
  /** Another one for other bytes under the same name; where the store keeps one. */
  readonly version?: string | undefined;
}

/** A file of the spool, and the name it is to have. */
export interface FileToKeep {
  readonly path: string;
  readonly name: string;
}

/** A part of a file: bytes from `start` up to and including `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where files are kept, on disk or in S3. Names are made by the caller: lower-case letters, digits, `-` and `.`, at
 * least two characters, and never used for other bytes again.
 *
 * Everything here throws `DependencyError` of `files`: `unavailable` when the disk or the service cannot do it, and `busy`
 * when too many wait for the disk.
 */
export interface FileStore {
  /** Stores a file of the {@link Spool} under a name, durably: a crash after it has resolved loses nothing. */
  keep(path: string, name: string): Promise<void>;

  /** The same with many files, at the cost of fewer waits for the disk; after a failure some may be there. */
  keepAll(files: readonly FileToKeep[]): Promise<void>;

  /**
   * Stores under a name what another store has, with no byte passing through this machine.
   * @param file as that store found it; another version is not taken.
   * @returns whether it did: both must be of one service, which must allow it.
   */
  copy(from: FileStore, file: StoredFile, name: string): Promise<boolean>;

  /** Looks a file up; `undefined` when there is none. @param signal ends the wait for a busy disk. */
  find(name: string, signal?: AbortSignal): Promise<StoredFile | undefined>;

  /** Its bytes, or a part of them. Emits an error when there is no such file. @param signal as of {@link find}. */
  read(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Readable>;

  /** Runs work on the file as a path of this machine, which is valid until the work ends and must not be changed. */
  withPath<T>(name: string, work: (path: string) => Promise<T>): Promise<T>;

  /** Removes a file; does nothing when there is none. */
  remove(name: string): Promise<void>;

  /** Every file, in no particular order; files stored or removed meanwhile may be missed. */
  list(): AsyncIterable<StoredFile>;

  /** The time by the clock that {@link StoredFile.storedAt} is told by; it writes a small file to learn it. */
  now(): Promise<number>;

  /** Shows that files can be stored now. */
  check(): Promise<void>;

  /** Lets go of connections. */
  close(): void;
}
