import { fdatasync, write } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { closeMark, markFailure, markText } from './commit-mark.ts';
import { BEGUN, END, NUMBER, type SyncAnswer, type SyncSettings } from './sync-thread-main.ts';

type Synced = (error: Error | null) => void;

/** So many syncs within {@link WINDOW_MS} are worth a thread. */
const OFTEN = 20;
const WINDOW_MS = 1_000;

/**
 * A thread that had nothing to do for so long ends; for so long none is started when one could not
 * be; ms.
 */
const IDLE_MS = 60_000;

/** What a sync thread and those who ask it share. */
interface Thread {
  readonly worker: Worker;
  readonly asked: Int32Array;
  readonly idle: NodeJS.Timeout;
}

/**
 * Syncs one file on a thread of its own. The thread takes 8 MB, and its start takes a tenth of the
 * time of a start of the service, so it exists only while syncs are frequent. Rare ones use Node's
 * pool, and so do all where no thread can be started. Its threads also do files, DNS and
 * compression, and a commit may wait there behind a disk that does not answer.
 */
export class SyncThread {
  readonly #file: number;
  readonly #mark: number | undefined;
  /** Why the mark was not written after the last sync; `undefined` if it was. */
  unmarked: Error | undefined;
  readonly #idleMs: number;
  #thread: Thread | undefined;
  #synced: Synced | undefined;
  #closed = false;
  /** Begin of the present window, and the syncs in it. */
  #since = 0;
  #count = 0;
  /** When a thread may be started again; by `performance.now`. */
  #startsFrom = 0;

  /**
   * @param mark file descriptor of the mark; closed by {@link close}.
   * @param idleMs how long a thread waits for work before it ends; ms.
   */
  constructor(file: number, mark: number | undefined, idleMs = IDLE_MS) {
    this.#file = file;
    this.#mark = mark;
    this.#idleMs = idleMs;
  }

  /** Syncs the file, then writes the mark. The previous sync must have ended. */
  sync(number: number, synced: Synced): void {
    if (this.#closed) {
      synced(new Error('The log has been closed.'));
      return;
    }
    this.#synced = synced;
    if (this.#thread === undefined && this.#isOften()) this.#thread = this.#tryToStart();
    if (this.#thread === undefined) this.#syncInPool(number);
    else ask(this.#thread, number);
  }

  /** Ends the thread. Call it when nobody waits. */
  close(): void {
    this.#closed = true;
    if (this.#thread !== undefined) end(this.#thread);
    closeMark(this.#mark);
  }

  #isOften(): boolean {
    const now = performance.now();
    if (now - this.#since > WINDOW_MS) [this.#since, this.#count] = [now, 0];
    return ++this.#count >= OFTEN && now >= this.#startsFrom;
  }

  #syncInPool(number: number): void {
    const mark = this.#mark;
    fdatasync(this.#file, (error) => {
      if (error !== null || mark === undefined) {
        this.#answer(error);
        return;
      }
      write(mark, markText(number), 0, (failure, written) => {
        this.unmarked = markFailure(mark, failure, written);
        this.#answer(null);
      });
    });
  }

  /**
   * @returns `undefined` when the system has no thread: `TasksMax` of systemd and `ulimit -u` bound
   *   their number.
   */
  #tryToStart(): Thread | undefined {
    try {
      return this.#start();
    } catch {
      this.#restBeforeStart();
      return undefined;
    }
  }

  #restBeforeStart(): void {
    this.#startsFrom = performance.now() + this.#idleMs;
  }

  #start(): Thread {
    const asked = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));
    // TypeScript in the repository, JavaScript in the package.
    const url = new URL(`./sync-thread-main${extname(import.meta.filename)}`, import.meta.url);
    const workerData: SyncSettings = { file: this.#file, mark: this.#mark, asked };
    const worker = new Worker(url, { workerData });
    const idle = setTimeout(() => this.#endIdle(thread), this.#idleMs).unref();
    const thread: Thread = { worker, asked, idle };
    worker.on('message', ({ error, unmarked }: SyncAnswer) => {
      worker.unref();
      this.unmarked = unmarked;
      this.#answer(error ?? null);
    });
    const onEnd = (error: Error) => {
      clearTimeout(idle);
      // One that ended because it was idle has nothing to say.
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      const begun = Atomics.load(asked, BEGUN);
      if (begun === 0) this.#restBeforeStart();
      const isBegun = begun === Atomics.load(asked, 0);
      if (this.#synced !== undefined && !isBegun) this.#syncInPool(Atomics.load(asked, NUMBER));
      // What a sync in progress has found is lost: the system reports a failed sync once.
      else this.#answer(error);
    };
    worker.on('error', (error) => onEnd(error as Error));
    worker.on('exit', () => onEnd(new Error('The thread that syncs the log has ended.')));
    return thread;
  }

  #endIdle(thread: Thread): void {
    if (this.#synced !== undefined) {
      // The disk is slow.
      thread.idle.refresh();
      return;
    }
    this.#thread = undefined;
    end(thread);
  }

  #answer(error: Error | null): void {
    const synced = this.#synced;
    this.#synced = undefined;
    synced?.(error);
  }
}

function ask({ worker, asked, idle }: Thread, number: number): void {
  // Keeps the process alive only while someone waits.
  worker.ref();
  idle.refresh();
  Atomics.store(asked, NUMBER, number);
  Atomics.add(asked, 0, 1);
  Atomics.notify(asked, 0);
}

function end({ asked, idle }: Thread): void {
  clearTimeout(idle);
  Atomics.store(asked, 0, END);
  Atomics.notify(asked, 0);
}
