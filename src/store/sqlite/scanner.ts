import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely';
import { StoreError } from '../errors.ts';
import { refuseStream } from '../scope.ts';
import { WORK_TIMEOUT, withinTime } from '../write-limits.ts';
import type { ScanAnswer, ScanRequest, ScanSettings } from './scan-thread.ts';

/** Scans that wait for the thread at most. */
const MOST_WAITING = 100;

interface Waiter {
  readonly resolve: (result: QueryResult<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A connection for queries that look at many rows, on a thread of its own: SQLite holds up the thread that it runs on.
 * The thread is started by the first scan, and again should it have died; it does its queries one after another.
 */
export class Scanner implements DatabaseConnection {
  readonly #settings: ScanSettings;
  readonly #waiting = new Map<number, Waiter>();
  #thread: Worker | undefined;
  #asked = 0;
  #closing: Promise<void> | undefined;

  constructor(settings: ScanSettings) {
    this.#settings = settings;
  }

  /** @throws {StoreError} `busy` when too many scans wait or this one takes too long; and as every connection. */
  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#closing !== undefined) throw new StoreError('unavailable', 'The database has been closed.');
    if (this.#waiting.size >= MOST_WAITING) throw new StoreError('busy', 'Too many long searches are waiting.');
    const id = this.#asked++;
    const answer = new Promise<QueryResult<unknown>>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#thread ??= this.#start();
    // Only while somebody waits does it keep the process alive.
    this.#thread.ref();
    this.#thread.postMessage({ id, sql, parameters } satisfies ScanRequest);
    return (await withinTime(answer, WORK_TIMEOUT)) as QueryResult<R>;
  }

  readonly streamQuery = refuseStream;

  /** Waits for the scans under way; later ones are refused. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const thread = this.#thread;
    if (thread === undefined) return;
    const ended = once(thread, 'exit');
    thread.ref();
    thread.postMessage('close');
    await ended;
  }

  #start(): Worker {
    // Written in TypeScript, published as JavaScript.
    const url = new URL(`./scan-thread${extname(import.meta.filename)}`, import.meta.url);
    const thread = new Worker(url, { workerData: this.#settings });
    let failure: unknown;
    thread.on('message', (answer: ScanAnswer) => this.#answer(answer));
    thread.on('error', (error) => {
      failure = error;
    });
    thread.on('exit', () => {
      this.#thread = undefined;
      const error = new StoreError('unavailable', 'The thread that searches the database has died.', failure);
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    });
    return thread;
  }

  #answer(answer: ScanAnswer): void {
    const waiter = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) this.#thread?.unref();
    if ('result' in answer) waiter?.resolve(answer.result);
    else if (answer.kind === undefined) waiter?.reject(answer.error);
    else waiter?.reject(new StoreError(answer.kind, answer.error.message, answer.error.cause));
  }
}
