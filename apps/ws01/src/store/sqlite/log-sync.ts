import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs';
import { DependencyError } from '../../failure/dependency-error.ts';
import { SyncThread } from './sync-thread.ts';

interface SyncRequest {
  /** The number of the commit to wait for. */
  readonly commit: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const DISK_FAILED =
  'The disk of DATA_DIR failed while data was written to it; see the system log, and start ws01 again when the disk is well.';

const DONE = Promise.resolve();

/**
 * Syncs the write-ahead log to the disk, off the event loop. SQLite would do it in each commit
 * (`synchronous = full`) and block everything else. The guarantee is the same as long as no caller
 * is answered before {@link LogSync.synced} resolves.
 */
export class LogSync {
  readonly #file: number;
  readonly #shared: boolean;
  readonly #thread: SyncThread | undefined;
  /**
   * The number of the last commit; of the last one in the sync in progress; of the last one on the
   * disk.
   */
  #committed = 0;
  #covering = 0;
  #durable = 0;
  /** The number of the last commit in the database. */
  #number = 0;
  #waiters: SyncRequest[] = [];
  readonly #failed = Promise.withResolvers<DependencyError>();
  #failure: DependencyError | undefined;
  #onUnmarked: ((reason: Error) => void) | undefined;
  /** Number of syncs. */
  syncs = 0;

  /**
   * @param path the log's file, which exists while a connection to its database is open.
   * @param shared whether to wait for commits of other processes as well, which are not reported
   *   here.
   * @param mark file descriptor of the mark; not with `shared`.
   * @param onUnmarked told the first time that the mark cannot be written.
   */
  constructor(path: string, shared = false, mark?: number, onUnmarked?: (reason: Error) => void) {
    this.#onUnmarked = onUnmarked;
    this.#file = openSync(path, 'r+');
    this.#shared = shared;
    // A guest process is short and does not compete with files or images.
    this.#thread = shared ? undefined : new SyncThread(this.#file, mark);
  }

  /** Size of the file; bytes. */
  get bytes(): number {
    return fstatSync(this.#file).size;
  }

  /** The reason why no more reads and writes are possible; `undefined` while the disk works. */
  get failure(): DependencyError | undefined {
    return this.#failure;
  }

  /**
   * Why the mark of the last commit could not be written; `undefined` if it was. Writes go on
   * without it.
   */
  get unmarked(): Error | undefined {
    return this.#thread?.unmarked;
  }

  /** Resolves when the disk has failed. */
  get failed(): Promise<DependencyError> {
    return this.#failed.promise;
  }

  /**
   * Reports a committed transaction.
   * @param number its number in the database.
   */
  committed(number: number): void {
    this.#committed++;
    this.#number = number;
  }

  /**
   * Resolves when all earlier commits are on the disk.
   * @throws {DependencyError} `unavailable` when the disk failed, until the process restarts: only
   *   reading the log again shows how much of it reached the disk.
   */
  synced(): Promise<void> {
    if (this.#failure !== undefined) {
      return Promise.reject(this.#failure);
    }
    if (this.#shared) this.#committed++;
    const commit = this.#committed;
    if (this.#durable >= commit) {
      return DONE;
    }
    return new Promise((resolve, reject) => {
      this.#waiters.push({ commit, resolve, reject });
      if (this.#covering === this.#durable) {
        this.#sync();
      }
    });
  }

  /**
   * Resolves when what was committed is on the disk or the disk has failed; `undefined` if so now,
   * or with `shared`.
   */
  idle(): Promise<void> | undefined {
    if (this.#shared || this.#failure !== undefined || this.#durable >= this.#committed)
      return undefined;
    return new Promise((resolve) =>
      this.#waiters.push({ commit: this.#committed, resolve, reject: () => resolve() }),
    );
  }

  /** Closes the file. Call it when nobody waits. */
  close(): void {
    this.#thread?.close();
    closeSync(this.#file);
  }

  #sync(): void {
    this.#covering = this.#committed;
    const synced = (error: Error | null) => {
      this.syncs++;
      this.#durable = this.#covering;
      if (error !== null) {
        this.#failure = new DependencyError('database', 'unavailable', DISK_FAILED, {
          cause: error,
        });
        this.#failed.resolve(this.#failure);
      }
      if (this.unmarked !== undefined) {
        this.#onUnmarked?.(this.unmarked);
        this.#onUnmarked = undefined;
      }
      this.#settle();
    };
    if (this.#thread === undefined) fdatasync(this.#file, synced);
    else this.#thread.sync(this.#number, synced);
  }

  /**
   * Resolves the callers that the last sync covers, or rejects all if it failed, and starts a sync
   * for the rest.
   */
  #settle(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) {
      if (this.#failure !== undefined) {
        waiter.reject(this.#failure);
      } else if (waiter.commit <= this.#durable) {
        waiter.resolve();
      } else {
        this.#waiters.push(waiter);
      }
    }
    if (this.#waiters.length > 0) {
      this.#sync();
    }
  }
}
