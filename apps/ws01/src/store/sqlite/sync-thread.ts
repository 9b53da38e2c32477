import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { closeMark } from './commit-mark.ts';
import { END, NUMBER, type SyncAnswer, type SyncSettings } from './sync-thread-main.ts';

type Synced = (error: Error | null) => void;

/**
 * Syncs one file on its own thread. Node has four threads for all files, names and compression: on those a commit
 * would wait behind reads from a disk that does not answer, and behind whatever else takes long. The thread is started
 * with the first sync.
 */
export class SyncThread {
  readonly #file: number;
  readonly #mark: number | undefined;
  readonly #asked = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  #thread: Worker | undefined;
  #synced: Synced | undefined;

  /** @param mark of a file where it is noted what is on the disk; closed by {@link close}. */
  constructor(file: number, mark: number | undefined) {
    this.#file = file;
    this.#mark = mark;
  }

  /** Syncs the file, and then notes a number; the sync before must have ended. */
  sync(number: number, synced: Synced): void {
    if (Atomics.load(this.#asked, 0) === END) {
      synced(new Error('The log has been closed.'));
      return;
    }
    this.#synced = synced;
    this.#thread ??= this.#start();
    // Only while somebody waits does it keep the process alive.
    this.#thread.ref();
    Atomics.store(this.#asked, NUMBER, number);
    Atomics.add(this.#asked, 0, 1);
    Atomics.notify(this.#asked, 0);
  }

  /** To be called when nobody waits. */
  close(): void {
    Atomics.store(this.#asked, 0, END);
    Atomics.notify(this.#asked, 0);
    closeMark(this.#mark);
  }

  #start(): Worker {
    // Written in TypeScript, published as JavaScript.
    const url = new URL(`./sync-thread-main${extname(import.meta.filename)}`, import.meta.url);
    const workerData: SyncSettings = { file: this.#file, mark: this.#mark, asked: this.#asked };
    const thread = new Worker(url, { workerData });
    thread.on('message', ({ error }: SyncAnswer) => this.#answer(error ?? null));
    thread.on('error', (error) => this.#answer(error as Error));
    thread.on('exit', () => this.#answer(new Error('The thread that syncs the log has ended.')));
    return thread;
  }

  #answer(error: Error | null): void {
    const synced = this.#synced;
    this.#synced = undefined;
    this.#thread?.unref();
    synced?.(error);
  }
}
