import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { StoreError } from '../errors.ts';
import { type Bind, WriteScope } from '../scope.ts';
import type { Tables } from '../tables.ts';
import type { SqliteConnection } from './connection.ts';
import type { LogSync } from './log-sync.ts';

export interface GroupCommitOptions {
  /** Writes in one transaction at most. */
  readonly batchSize: number;
  /** How long a write waits for other processes that write; ms. */
  readonly busyTimeout: number;
  /** How long one write may take before it is given up; ms. */
  readonly workTimeout: number;
}

/** A write that was asked for. Its caller learns the outcome when it is durable. */
interface Job {
  readonly work: (tx: Kysely<Tables>) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /** When its patience with other processes ends; on the clock of `performance.now`. */
  readonly deadline: number;
  outcome: Outcome;
  /** It took too long, and must not be run again. */
  givenUp: boolean;
}

type Outcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown };

const PENDING: Outcome = { ok: true, value: undefined };

/**
 * Runs writes one after another on one connection. Those that are waiting when a transaction begins share it, and with
 * it the cost of the commit. A lone write begins in the same turn of the event loop: it never waits for company.
 *
 * A write that fails is undone alone. Savepoints would see to that, at the price of a copy of every page that a write
 * changes; since few writes fail after a change, savepoints are set only once one has: the batch is rolled back and
 * run again with them.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection;
  readonly #log: LogSync;
  readonly #bind: Bind;
  readonly #options: GroupCommitOptions;
  #waiting: Job[] = [];
  #running: Promise<void> | undefined;
  #closed = false;
  /** Writes that took effect, and the transactions that carried them. */
  writes = 0;
  commits = 0;

  constructor(connection: SqliteConnection, log: LogSync, bind: Bind, options: GroupCommitOptions) {
    this.#connection = connection;
    this.#log = log;
    this.#bind = bind;
    this.#options = options;
  }

  /** As `Store.write`. */
  write<T>(work: (tx: Kysely<Tables>) => Promise<T>): Promise<T> {
    if (this.#closed) {
      return Promise.reject(new StoreError('unavailable', 'The database has been closed.'));
    }
    return new Promise<T>((resolve, reject) => {
      const deadline = performance.now() + this.#options.busyTimeout;
      const settle = { resolve: resolve as (value: unknown) => void, reject };
      this.#waiting.push({ work, ...settle, deadline, outcome: PENDING, givenUp: false });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when every accepted write has ended; later ones are refused. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    await this.#log.synced().catch(() => {});
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // What other sockets brought in this turn of the event loop comes along.
      await nextTurn();
      if (await this.#begin()) {
        await this.#transaction(this.#waiting.splice(0, this.#options.batchSize));
      }
    }
    this.#running = undefined;
  }

  /**
   * Begins a transaction. Another process that writes is waited for in small steps, since SQLite's own waiting would
   * block the event loop.
   * @returns `false` when it could not, and nobody is left who would wait longer.
   */
  async #begin(): Promise<boolean> {
    for (let pause = 1; this.#waiting.length > 0; pause = Math.min(pause * 2, 50)) {
      try {
        this.#connection.run('begin immediate');
        return true;
      } catch (error) {
        const busy = error instanceof StoreError && error.kind === 'busy';
        const now = performance.now();
        const patient = busy ? this.#waiting.filter((job) => job.deadline > now) : [];
        rejectAll(
          this.#waiting.filter((job) => !patient.includes(job)),
          error,
        );
        this.#waiting = patient;
      }
      await sleep(pause);
    }
    return false;
  }

  async #transaction(batch: readonly Job[]): Promise<void> {
    let changed: boolean;
    try {
      let effect = await this.#perform(batch, false);
      if (effect === 'spoilt') {
        this.#connection.run('rollback');
        this.#connection.run('begin immediate');
        effect = await this.#perform(batch, true);
      }
      this.#connection.run('commit');
      changed = effect === 'changed';
    } catch (error) {
      this.#abandon();
      rejectAll(batch, error);
      return;
    }
    if (changed) {
      this.commits++;
      this.#log.committed();
    }
    // Meanwhile the next transaction may begin. What was only looked at must be on the disk, too, before it is told.
    this.#log.synced().then(
      () => this.#answer(batch),
      (error) => rejectAll(batch, error),
    );
  }

  /**
   * Runs the writes of a batch.
   * @param savepoints whether each can be undone alone.
   * @returns `spoilt` when one that must be undone cannot be.
   * @throws when SQLite itself has ended the transaction, as it does after some disk errors.
   */
  async #perform(batch: readonly Job[], savepoints: boolean): Promise<'changed' | 'unchanged' | 'spoilt'> {
    let changed = false;
    for (const job of batch) {
      if (job.givenUp) {
        continue;
      }
      if (savepoints) {
        this.#connection.run('savepoint job');
      }
      const scope = new WriteScope(this.#connection);
      job.outcome = await this.#attempt(job, scope);
      if (!job.outcome.ok && !this.#connection.inTransaction) {
        throw job.outcome.error;
      }
      if (!job.outcome.ok && scope.changed && !savepoints) {
        return 'spoilt';
      }
      if (savepoints) {
        this.#connection.run(job.outcome.ok ? 'release job' : 'rollback to job');
      }
      changed ||= job.outcome.ok && scope.changed;
    }
    return changed ? 'changed' : 'unchanged';
  }

  async #attempt(job: Job, scope: WriteScope): Promise<Outcome> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const expiry = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          job.givenUp = true;
          reject(new Error('A write took too long; it may await nothing but its own queries, and no other write.'));
        }, this.#options.workTimeout);
      });
      const value = await Promise.race([job.work(this.#bind(scope)), expiry]);
      return scope.failed ? { ok: false, error: scope.failure } : { ok: true, value };
    } catch (error) {
      return { ok: false, error };
    } finally {
      clearTimeout(timer);
      scope.end();
    }
  }

  #abandon(): void {
    try {
      if (this.#connection.inTransaction) {
        this.#connection.run('rollback');
      }
    } catch {
      // The transaction's own error says more than that of its rollback.
    }
  }

  #answer(batch: readonly Job[]): void {
    for (const { outcome, resolve, reject } of batch) {
      if (outcome.ok) {
        this.writes++;
        resolve(outcome.value);
      } else {
        reject(outcome.error);
      }
    }
  }
}

function rejectAll(jobs: readonly Job[], error: unknown): void {
  for (const job of jobs) {
    job.reject(error);
  }
}
