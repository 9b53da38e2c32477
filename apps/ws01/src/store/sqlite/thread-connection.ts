import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { DependencyError } from '../../failure/dependency-error.ts';
import { refuseStream } from '../refuse-stream.ts';
import type { ThreadLoad } from '../store.ts';
import { WORK_TIMEOUT, withinTime } from '../write-limits.ts';
import type { ThreadAnswer, ThreadRequest, ThreadSettings } from './connection-thread.ts';
import type { OwnFiles } from './own-files.ts';

/** Maximum number of waiting queries. */
const MAX_WAITING = 100;

/** The thread ends after this idle time and frees its 20 MB; ms. */
const IDLE_MS = 60_000;

interface PendingQuery {
  readonly resolve: (result: QueryResult<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A connection on a thread of its own, for queries that would block this one, because SQLite is
 * synchronous. The first query starts the thread; it runs queries one after another, and ends when
 * idle.
 */
export class ThreadConnection implements DatabaseConnection {
  readonly #settings: ThreadSettings;
  readonly #own: OwnFiles;
  readonly #waiting = new Map<number, PendingQuery>();
  readonly #idle: number;
  #thread: Worker | undefined;
  #ending: NodeJS.Timeout | undefined;
  #asked = 0;
  /** Since when it is busy, and its busy time before; ms. */
  #busySince = 0;
  #busyMs = 0;
  #closing: Promise<void> | undefined;

  /**
   * @param file path of the database file.
   * @param own the files that this process has open: a thread may start long after the others
   *   opened them.
   * @param idle how long the thread stays without a query; ms.
   */
  constructor(
    file: string,
    own: OwnFiles,
    settings: Omit<ThreadSettings, 'file' | 'open'>,
    idle = IDLE_MS,
  ) {
    this.#settings = { ...settings, file, open: own.files };
    this.#own = own;
    this.#idle = idle;
  }

  /** Finished and waiting queries. */
  get load(): ThreadLoad {
    const now = this.#waiting.size > 0 ? performance.now() - this.#busySince : 0;
    return { queries: this.#asked, waiting: this.#waiting.size, busyMs: this.#busyMs + now };
  }

  /**
   * @throws {DependencyError} `busy` when too many queries wait or this one takes too long; other
   *   errors as every connection.
   */
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#closing !== undefined)
      throw new DependencyError('database', 'unavailable', 'The database has been closed.');
    if (this.#waiting.size >= MAX_WAITING)
      throw new DependencyError('database', 'busy', 'Too many searches are waiting.');
    clearTimeout(this.#ending);
    // First, because it may throw: no query must wait for a thread that does not exist.
    this.#thread ??= this.#start();
    if (this.#waiting.size === 0) this.#busySince = performance.now();
    const id = this.#asked++;
    const answer = new Promise<QueryResult<unknown>>((resolve, reject) =>
      this.#waiting.set(id, { resolve, reject }),
    );
    // Keeps the process alive only while someone waits.
    this.#thread.ref();
    this.#thread.postMessage({ id, sql, parameters } satisfies ThreadRequest);
    return (await withinTime(answer, WORK_TIMEOUT, 'A query')) as QueryResult<R>;
  }

  readonly streamQuery = refuseStream;

  /** Waits for the queries in progress; rejects later ones. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#ending);
    const thread = this.#thread;
    if (thread === undefined) return;
    const ended = once(thread, 'exit');
    thread.ref();
    thread.postMessage('close');
    await ended;
  }

  /** @throws {DependencyError} `unavailable` when other files have the names of the open ones. */
  #start(): Worker {
    this.#own.check();
    // TypeScript in the repository, JavaScript in the package.
    const url = new URL(`./connection-thread${extname(import.meta.filename)}`, import.meta.url);
    const thread = new Worker(url, { workerData: this.#settings });
    let failure: unknown;
    thread.on('message', (answer: ThreadAnswer) => this.#answer(answer));
    thread.on('error', (error) => {
      failure = error;
    });
    thread.on('exit', () => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      const error = new DependencyError(
        'database',
        'unavailable',
        'A thread of the database has died.',
        {
          cause: failure,
        },
      );
      if (this.#waiting.size > 0) this.#busyMs += performance.now() - this.#busySince;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    return thread;
  }

  #answer(answer: ThreadAnswer): void {
    const waiter = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) {
      this.#busyMs += performance.now() - this.#busySince;
      this.#rest();
    }
    if ('result' in answer) waiter?.resolve(answer.result);
    else if (answer.kind === undefined) waiter?.reject(answer.error);
    else
      waiter?.reject(
        new DependencyError('database', answer.kind, answer.error.message, {
          cause: answer.error.cause,
        }),
      );
  }

  /** When nobody waits, the thread does not keep the process alive, and ends after a while. */
  #rest(): void {
    // The caller of `close` waits for its end.
    if (this.#closing !== undefined) return;
    this.#thread?.unref();
    const end = () => {
      this.#thread?.postMessage('close');
      this.#thread = undefined;
    };
    this.#ending = setTimeout(end, this.#idle).unref();
  }
}
