import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs';
import { DependencyError } from '../../failure/dependency-error.ts';
import { SyncThread } from './sync-thread.ts';

interface SyncRequest {
  /** The commit to wait for, by its number. */
  readonly commit: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const DISK_FAILED =
  'The disk of DATA_DIR failed while data was written to it; see the system log, and start ws01 again when the disk is well.';

const DONE = Promise.resolve();

/**
 * Brings the write-ahead log to the disk, off the event loop. SQLite would do so inside each commit
 * (`synchronous = full`) and hold up everything else meanwhile. The guarantee is the same as long as nobody is
 * answered before {@link LogSync.synced} has resolved.
 */
export class LogSync {
  readonly #file: number;
  readonly #shared: boolean;
  readonly #thread: SyncThread | undefined;
  /** The number of the last commit; of the last one that the sync in progress covers; of the last one on the disk. */
  #committed = 0;
  #covering = 0;
  #durable = 0;
  /** What the last commit is known by in the database. */
  #number = 0;
  #waiters: SyncRequest[] = [];
  readonly #failed = Promise.withResolvers<DependencyError>();
  #failure: DependencyError | undefined;
  /** How often the disk was waited for. */
  syncs = 0;

  /**
   * @param path the log's file, which lasts as long as a connection to its database is open.
   * @param shared whether commits of others, who do not say so, are to be waited for as well.
   * @param mark of the file where the number of the last commit on the disk is noted; not with `shared`.
   */
  constructor(path: string, shared = false, mark?: number) {
    this.#file = openSync(path, 'r+');
    this.#shared = shared;
    // A guest stays for a moment and has no files or pictures that it could wait behind.
    this.#thread = shared ? undefined : new SyncThread(this.#file, mark);
  }

  /** Of the file; bytes. */
  get bytes(): number {
    return fstatSync(this.#file).size;
  }

  /** Why nothing may be written or read any more; `undefined` while the disk is well. */
  get failure(): DependencyError | undefined {
    return this.#failure;
  }

  /** Resolves when the disk has failed. */
  get failed(): Promise<DependencyError> {
    return this.#failed.promise;
  }

  /** Says that a transaction has been committed. @param number that the database has for it. */
  committed(number: number): void {
    this.#committed++;
    this.#number = number;
  }

  /**
   * Resolves when all that was committed before the call is on the disk.
   * @throws {DependencyError} `unavailable` when the disk failed. It stays so until the process starts again: how much of the
   *   log reached the disk is unknown then, and only reading the log afresh tells.
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

  /** To be called when nobody waits. */
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
        this.#failure = new DependencyError('database', 'unavailable', DISK_FAILED, { cause: error });
        this.#failed.resolve(this.#failure);
      }
      this.#settle();
    };
    if (this.#thread === undefined) fdatasync(this.#file, synced);
    else this.#thread.sync(this.#number, synced);
  }

  /** Answers whom the last sync covers, or everybody when it failed, and begins another one for the rest. */
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
