import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { closeMark } from './commit-mark.ts';
import { END, NUMBER, type SyncAnswer, type SyncSettings } from './sync-thread-main.ts';

type Synced = (error: Error | null) => void;

/**
 * Syncs one file on a thread of its own. Node's four pool threads also do files, DNS and compression; a commit would
 * wait there behind a disk that does not answer. The thread starts with the first sync.
 */
export class SyncThread {
  readonly #file: number;
  readonly #mark: number | undefined;
  readonly #asked = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  #thread: Worker | undefined;
  #synced: Synced | undefined;

  /** @param mark file descriptor of the mark; closed by {@link close}. */
  constructor(file: number, mark: number | undefined) {
    this.#file = file;
    this.#mark = mark;
  }

  /** Syncs the file, then writes the mark. The previous sync must have ended. */
  sync(number: number, synced: Synced): void {
    if (Atomics.load(this.#asked, 0) === END) {
      synced(new Error('The log has been closed.'));
      return;
    }
    this.#synced = synced;
    this.#thread ??= this.#start();
    // Keeps the process alive only while someone waits.
    this.#thread.ref();
    Atomics.store(this.#asked, NUMBER, number);
    Atomics.add(this.#asked, 0, 1);
    Atomics.notify(this.#asked, 0);
  }

  /** Ends the thread. Call it when nobody waits. */
  close(): void {
    Atomics.store(this.#asked, 0, END);
    Atomics.notify(this.#asked, 0);
    closeMark(this.#mark);
  }

  #start(): Worker {
    // TypeScript in the repository, JavaScript in the package.
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
