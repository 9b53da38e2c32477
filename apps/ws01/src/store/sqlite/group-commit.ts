import { setImmediate as nextTurn } from 'node:timers/promises';
import { time } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { DependencyError } from '../../failure/dependency-error.ts';
import { type Bind, WriteScope } from '../scope.ts';
import type { Tables } from '../tables/tables.ts';
import { WORK_TIMEOUT, WorkTimeoutError, type WriteLimits, withinTime } from '../write-limits.ts';
import type { Checkpoints } from './checkpoints.ts';
import { numberCommit } from './commit-mark.ts';
import type { SqliteConnection } from './connection.ts';
import type { LogSync } from './log-sync.ts';
import type { OwnFiles } from './own-files.ts';
import { retryWhileBusy, type ServiceTurn } from './service-turn.ts';

export interface GroupCommitOptions {
  /** Maximum number of writes in one transaction. */
  readonly batchSize: number;
  /** A transaction accepts no more writes after this time; ms. */
  readonly batchTime: number;
  /** How long a write waits for other writing processes by default; ms. */
  readonly busyTimeout: number;
  /** The files that are open, which must still be in the folder for a commit to last. */
  readonly ownFiles: OwnFiles;
  /** Whose turn it is when other processes write, too. */
  readonly turn: ServiceTurn;
  /** See `StoreOptions`. */
  readonly onCommit?: ((writes: number, waitedMs: number) => void) | undefined;
}

/** A requested write. The caller gets the result when it is durable. */
interface PendingWrite {
  readonly work: (tx: Kysely<Tables>) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  /**
   * When it was requested, and when it stops waiting for other processes; by `performance.now` and
   * `time.steady`.
   */
  readonly askedAt: number;
  readonly deadline: number;
  /** Timeout after its start; ms. */
  readonly workTimeout: number;
  outcome: Settled;
  /** The scope of its last attempt. */
  scope: WriteScope | undefined;
}

type Settled =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown };

/**
 * So many writes begin during a sync: with more at once the event loop would stop for longer, and
 * nothing is saved.
 */
const COMPANY = 32;

const PENDING: Settled = { ok: true, value: undefined };

/**
 * Runs writes one after another on one connection. Writes that wait when a transaction begins share
 * it and the cost of its commit. A write begins in the same event-loop turn, or at the end of the
 * sync in progress.
 *
 * A failed write is rolled back alone. Savepoints make that possible, but copy each page that a
 * write changes. Failures after a change are rare, so savepoints are used only then: the batch is
 * rolled back and run again with them.
 */
export class GroupCommit {
  readonly #connection: SqliteConnection;
  readonly #log: LogSync;
  readonly #checkpoints: Checkpoints;
  readonly #bind: Bind;
  readonly #options: GroupCommitOptions;
  #waiting: PendingWrite[] = [];
  #running: Promise<void> | undefined;
  /** Ends the wait for a sync early. */
  #enough: (() => void) | undefined;
  /** Whether the next transaction uses savepoints. */
  #savepoints = false;
  #closed = false;
  /** Durable writes, and the transactions that contained them. */
  writes = 0;
  commits = 0;

  constructor(
    connection: SqliteConnection,
    log: LogSync,
    checkpoints: Checkpoints,
    bind: Bind,
    options: GroupCommitOptions,
  ) {
    this.#connection = connection;
    this.#log = log;
    this.#checkpoints = checkpoints;
    this.#bind = bind;
    this.#options = options;
  }

  /** As `Store.write`. */
  write<T>(work: (tx: Kysely<Tables>) => Promise<T>, limits: WriteLimits = {}): Promise<T> {
    if (this.#closed) {
      return Promise.reject(
        new DependencyError('database', 'unavailable', 'The database has been closed.'),
      );
    }
    const askedAt = performance.now();
    if (this.#log.failure !== undefined) return Promise.reject(this.#log.failure);
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({
        work,
        resolve: resolve as (value: unknown) => void,
        reject,
        askedAt,
        deadline: time.steady() + (limits.busyTimeout ?? this.#options.busyTimeout),
        workTimeout: limits.workTimeout ?? WORK_TIMEOUT,
        outcome: PENDING,
        scope: undefined,
      });
      if (this.#waiting.length >= COMPANY) this.#enough?.();
      this.#running ??= this.#run();
    });
  }

  /** Resolves when all accepted writes have ended; rejects later ones. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    await this.#log.synced().catch(() => {});
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Writes of other sockets in the same event-loop turn join.
      await nextTurn();
      await this.#company();
      if (this.#log.failure === undefined) await this.#checkpoints.room();
      if (await this.#begin()) {
        await this.#transaction();
      }
    }
    this.#running = undefined;
  }

  /**
   * Resolves when the sync in progress has ended, or enough writes wait. A commit meanwhile would
   * not be on the disk sooner, since one sync follows the other, and two transactions write the
   * pages that one would write once.
   */
  #company(): Promise<void> | undefined {
    const idle = this.#waiting.length < COMPANY ? this.#log.idle() : undefined;
    return (
      idle &&
      new Promise((resolve) => {
        this.#enough = resolve;
        idle.then(resolve);
      })
    );
  }

  /**
   * Begins a transaction, or rejects the writes that cannot have one.
   * @returns whether it has begun.
   */
  async #begin(): Promise<boolean> {
    const { turn } = this.#options;
    const rejectImpatient = (error: unknown) => {
      turn.ask();
      const now = time.steady();
      const patient = this.#waiting.filter((job) => job.deadline > now);
      rejectAll(
        this.#waiting.filter((job) => job.deadline <= now),
        error,
      );
      this.#waiting = patient;
      return patient.length === 0;
    };
    try {
      this.#assertDisk();
      await turn.pass();
      return await retryWhileBusy(() => this.#connection.run('begin immediate'), rejectImpatient);
    } catch (error) {
      rejectAll(this.#waiting.splice(0), error);
      return false;
    } finally {
      turn.take();
    }
  }

  async #transaction(): Promise<void> {
    const batch = this.#waiting.splice(0, this.#options.batchSize);
    const savepoints = this.#savepoints;
    this.#savepoints = false;
    let changed = false;
    try {
      const effect = await this.#perform(batch, savepoints);
      if (effect === 'spoilt') {
        this.#connection.run('rollback');
        this.#waiting.unshift(...batch);
        this.#savepoints = true;
        return;
      }
      // It may have failed in the meantime.
      this.#assertDisk();
      changed = effect === 'changed';
      const number = changed ? numberCommit(this.#connection) : 0;
      this.#connection.run('commit');
      if (changed) {
        this.#log.committed(number);
        this.#checkpoints.committed();
      }
    } catch (error) {
      this.#abandon();
      rejectAll(batch, error);
      return;
    }
    // The next transaction begins meanwhile. Results of reads are held back, too, until what they
    // saw is on the disk.
    this.#log.synced().then(
      () => {
        if (changed) {
          this.commits++;
          this.#options.onCommit?.(batch.length, performance.now() - batch[0]!.askedAt);
        }
        this.#answer(batch);
      },
      (error) => rejectUnsynced(batch, error),
    );
  }

  /**
   * Rejects writes after a failed sync, because the content of the log is then unknown; and while
   * the files that are open are not those in the folder, because nobody would find what is written.
   */
  #assertDisk(): void {
    if (this.#log.failure !== undefined) throw this.#log.failure;
    this.#options.ownFiles.check();
  }

  /**
   * Runs the writes of a batch, and keeps only those in it that were run.
   * @param savepoints whether each can be rolled back alone.
   * @returns `spoilt` when a write must be rolled back and cannot be.
   * @throws when SQLite has ended the transaction, as it does after some disk errors.
   */
  async #perform(
    batch: PendingWrite[],
    savepoints: boolean,
  ): Promise<'changed' | 'unchanged' | 'spoilt'> {
    const until = performance.now() + this.#options.batchTime;
    let changed = false;
    for (const [index, job] of batch.entries()) {
      if (!job.outcome.ok && job.outcome.error instanceof WorkTimeoutError) {
        continue;
      }
      if (savepoints) {
        this.#connection.run('savepoint job');
      }
      const scope = new WriteScope(this.#connection);
      job.scope = scope;
      // One at a time: the next begins when this one has ended.
      job.outcome = await this.#attempt(job, scope);
      if (!job.outcome.ok && !this.#connection.inTransaction) {
        throw job.outcome.error;
      }
      if (!job.outcome.ok && scope.changed && !savepoints) {
        return 'spoilt';
      }
      if (savepoints) {
        if (!job.outcome.ok) {
          this.#connection.run('rollback to job');
        }
        this.#connection.run('release job');
      }
      changed ||= job.outcome.ok && scope.changed;
      if (performance.now() > until) {
        this.#waiting.unshift(...batch.splice(index + 1));
      }
    }
    return changed ? 'changed' : 'unchanged';
  }

  async #attempt(job: PendingWrite, scope: WriteScope): Promise<Settled> {
    try {
      const value = await withinTime(job.work(this.#bind(scope)), job.workTimeout);
      await scope.settled();
      return scope.failed ? { ok: false, error: scope.failure } : { ok: true, value };
    } catch (error) {
      return { ok: false, error };
    } finally {
      scope.end();
    }
  }

  #abandon(): void {
    try {
      if (this.#connection.inTransaction) {
        this.#connection.run('rollback');
      }
    } catch {
      // The transaction's error says more than the one of its rollback.
    }
  }

  #answer(batch: readonly PendingWrite[]): void {
    for (const { outcome, scope, resolve, reject } of batch) {
      if (outcome.ok) {
        this.writes++;
        scope?.committed();
        resolve(outcome.value);
      } else {
        reject(outcome.error);
      }
    }
  }
}

/**
 * Rejects writes after a failed sync: a committed write may be found after the next start, or not.
 */
function rejectUnsynced(batch: readonly PendingWrite[], error: unknown): void {
  const unknown = new DependencyError(
    'database',
    'outcomeUnknown',
    'The disk of DATA_DIR failed before it had taken a write.',
    { cause: error },
  );
  for (const { outcome, scope, reject } of batch) {
    if (!outcome.ok) reject(outcome.error);
    else reject(scope?.changed === true ? unknown : error);
  }
}

function rejectAll(jobs: readonly PendingWrite[], error: unknown): void {
  for (const job of jobs) {
    job.reject(error);
  }
}
