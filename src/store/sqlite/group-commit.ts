import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { StoreError } from '../errors.ts';
import { type Bind, WriteScope } from '../scope.ts';
import type { Tables } from '../tables.ts';
import type { SqliteConnection } from './connection.ts';

export interface GroupCommitOptions {
  /** Writes in one transaction at most. */
  readonly batchSize: number;
  /** How long to wait for another process that writes; ms. */
  readonly busyTimeout: number;
  /** How long one write may take before it is given up; ms. */
  readonly workTimeout: number;
}

interface Job {
  readonly work: (tx: Kysely<Tables>) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** A write that ran, and waits for the commit. */
interface Done {
  readonly job: Job;
  readonly value: unknown;
}

/**
 * Runs writes one after another on one connection. Those that are waiting when a transaction begins share it, each in
 * a savepoint of its own, and with it the one wait for the disk. A lone write begins in the same turn of the event loop: it
 * never waits for company.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection;
  readonly #bind: Bind;
  readonly #options: GroupCommitOptions;
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;
  #closed = false;
  writes = 0;
  commits = 0;

  constructor(connection: SqliteConnection, bind: Bind, options: GroupCommitOptions) {
    this.#connection = connection;
    this.#bind = bind;
    this.#options = options;
  }

  write<T>(work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> {
    if (this.#closed) {
      return Promise.reject(new StoreError('unavailable', 'The database has been closed.'));
    }
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (value: unknown) => void, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when every write that was accepted has ended; later ones are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // What other sockets brought in this turn of the event loop comes along.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#transaction();
    }
    this.#running = undefined;
  }

  async #transaction(): Promise<void> {
    try {
      await this.#begin();
    } catch (error) {
      rejectAll(this.#waiting.splice(0), error);
      return;
    }
    const batch = this.#waiting.splice(0, this.#options.batchSize);
    const done: Done[] = [];
    for (const [index, job] of batch.entries()) {
      try {
        done.push({ job, value: await this.#perform(job) });
      } catch (error) {
        job.reject(error);
        if (!this.#connection.inTransaction) {
          // SQLite itself rolled everything back, as it does after some disk errors.
          rejectAll([...done.map((one) => one.job), ...batch.slice(index + 1)], error);
          return;
        }
      }
    }
    this.#commit(done);
  }

  /** Waits for another writing process in small steps, since SQLite's own waiting would block the event loop. */
  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#options.busyTimeout;
    for (let pause = 1; ; pause = Math.min(pause * 2, 50)) {
      try {
        this.#connection.run('begin immediate');
        return;
      } catch (error) {
        if (!(error instanceof StoreError) || error.kind !== 'busy' || performance.now() >= deadline) {
          throw error;
        }
      }
      await sleep(pause);
    }
  }

  async #perform(job: Job): Promise<unknown> {
    this.#connection.run('savepoint write');
    const scope = new WriteScope(this.#connection);
    try {
      const value = await this.#withinTime(job.work(this.#bind(scope)));
      scope.end();
      this.#connection.run('release write');
      return value;
    } catch (error) {
      this.#undo();
      throw error;
    }
  }

  #undo(): void {
    if (this.#connection.inTransaction) {
      this.#connection.run('rollback to write');
      this.#connection.run('release write');
    }
  }

  async #withinTime<T>(work: Promise<T>): Promise<T> {
    return work;
  }

  #commit(done: readonly Done[]): void {
    try {
      this.#connection.run('commit');
    } catch (error) {
      if (this.#connection.inTransaction) {
        this.#connection.run('rollback');
      }
      rejectAll(
        done.map(({ job }) => job),
        error,
      );
      return;
    }
    this.commits++;
    this.writes += done.length;
    for (const { job, value } of done) {
      job.resolve(value);
    }
  }
}

function rejectAll(jobs: readonly Job[], error: unknown): void {
  for (const job of jobs) {
    job.reject(error);
  }
}
