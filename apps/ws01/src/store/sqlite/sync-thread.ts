import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { END, type SyncAnswer, type SyncSettings } from './sync-thread-main.ts';

type Synced = (error: Error | null) => void;

/**
 * Syncs one file on a thread of its own. Node has four threads for all files, names and compression: on those a commit
 * would wait behind reads from a disk that does not answer, and behind whatever else takes long. The thread is started
 * with the first sync.
 */
export class SyncThread {
  readonly #file: number;
  readonly #asked = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #thread: Worker | undefined;
  #synced: Synced | undefined;

  constructor(file: number) {
    this.#file = file;
  }

  /** Syncs the file; the sync before must have ended. */
  sync(synced: Synced): void {
    if (Atomics.load(this.#asked, 0) === END) {
      synced(new Error('The log has been closed.'));
      return;
    }
    this.#synced = synced;
    this.#thread ??= this.#start();
    // Only while somebody waits does it keep the process alive.
    this.#thread.ref();
    Atomics.add(this.#asked, 0, 1);
    Atomics.notify(this.#asked, 0);
  }

  /** To be called when nobody waits. */
  close(): void {
    Atomics.store(this.#asked, 0, END);
    Atomics.notify(this.#asked, 0);
  }

  #start(): Worker {
    // Written in TypeScript, published as JavaScript.
    const url = new URL(`./sync-thread-main${extname(import.meta.filename)}`, import.meta.url);
    const workerData: SyncSettings = { file: this.#file, asked: this.#asked };
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
