import type { Kysely } from 'kysely';
import { isFailureOf } from '../../failure/dependency-error.ts';
import { onBehalfOf } from '../../turns/caller.ts';
import type { Turns } from '../../turns/turns.ts';
import { type Bind, WriteScope } from '../scope.ts';
import type { Tables } from '../tables/tables.ts';
import { WorkTimeoutError, withinTime } from '../write-limits.ts';
import { commitError, type PostgresConnection } from './connection.ts';
import { isStalePlan } from './errors.ts';
import type { SessionLimits } from './session.ts';
import { WaitingRoom } from './waiting-room.ts';

/**
 * Concurrent shared transactions: two keep a process busy, and fewer transactions are shared by
 * more writes.
 */
const TRANSACTIONS = 2;

/** Maximum number of writes in one transaction. */
const WRITES = 64;

/**
 * Lock timeout of a shared transaction, because all its writes wait; afterwards each write runs
 * alone; ms.
 */
const LOCK_MS = 200;

type Work = (tx: Kysely<Tables>) => Promise<unknown>;

/** A requested write. The caller gets the result when it is durable. */
interface PendingWrite {
  readonly work: Work;
  /** The records that it writes. */
  readonly records: readonly string[];
  readonly caller: string;
  /** When it has waited too long; by `time.steady`. */
  readonly deadline: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  outcome: WriteOutcome;
  scope: WriteScope | undefined;
}

type Failed = { readonly ok: false; readonly error: unknown };
type WriteOutcome = { readonly ok: true; readonly value: unknown } | Failed;

const PENDING: WriteOutcome = { ok: false, error: new Error('The write has not been run.') };

export interface SharedWritesDeps {
  readonly bind: Bind;
  /** Lends a connection. */
  readonly lend: (use: (connection: PostgresConnection) => Promise<void>) => Promise<void>;
  /** The queue for connections, which these writes share with other work. */
  readonly turns: Turns;
  readonly limits: SessionLimits;
  /** Timeout of a transaction; ms. */
  readonly timeout: number;
  /** Runs a write in its own transaction. */
  readonly alone: (work: Work) => Promise<unknown>;
  /** Called with the number of writes in each committed transaction. */
  readonly onCommitted: (writes: number) => void;
}

/**
 * Runs writes of different records in one transaction, with two or three round trips for all writes
 * that have arrived meanwhile: their queries of one event-loop turn share a flight. A single write
 * does not wait for others.
 *
 * Their statements interleave. So two writes of one record never share a transaction, and records
 * are locked in one order, so that nodes do not deadlock. If a write fails after a change, or meets
 * a lock of others, the transaction is rolled back and each write runs again alone.
 */
export class SharedWrites {
  readonly #deps: SharedWritesDeps;
  readonly #waiting: WaitingRoom<PendingWrite>;
  /** Records that a transaction in progress writes. */
  readonly #held = new Set<string>();
  #underWay = 0;
  #scheduled = false;

  constructor(deps: SharedWritesDeps) {
    this.#deps = deps;
    this.#waiting = new WaitingRoom(deps.turns);
  }

  /**
   * As `Store.write`.
   * @throws {DependencyError} `busy` at once when too many wait.
   */
  write<T>(work: (tx: Kysely<Tables>) => Promise<T>, records: readonly string[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.add({
        work,
        records,
        resolve: resolve as (value: unknown) => void,
        reject,
        outcome: PENDING,
        scope: undefined,
      });
      this.#schedule();
    });
  }

  /** Writes of other sockets in the same event-loop turn join. */
  #schedule(): void {
    if (this.#scheduled || this.#underWay >= TRANSACTIONS || this.#waiting.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#underWay >= TRANSACTIONS) return;
      const batch = this.#waiting.take(WRITES, (write) => this.#claim(write)).sort(byRecord);
      if (batch.length > 0) void onBehalfOf('', () => this.#run(batch));
    });
  }

  /**
   * Whether no transaction in progress writes the records of a write; then they are held for it.
   */
  #claim({ records }: PendingWrite): boolean {
    if (records.some((record) => this.#held.has(record))) return false;
    for (const record of records) this.#held.add(record);
    return true;
  }

  async #run(batch: readonly PendingWrite[]): Promise<void> {
    this.#underWay++;
    this.#schedule();
    let spoilt = false;
    try {
      await this.#deps.lend(async (connection) => {
        spoilt = (await this.#transaction(connection, batch)) === 'spoilt';
      });
      if (!spoilt) this.#answer(batch);
    } catch (error) {
      for (const job of batch) job.reject(failureOf(job, error));
    }
    for (const { records } of batch) for (const record of records) this.#held.delete(record);
    this.#underWay--;
    this.#schedule();
    if (spoilt) for (const job of batch) this.#runAlone(job);
  }

  #answer(batch: readonly PendingWrite[]): void {
    let committed = 0;
    for (const { outcome, scope, resolve, reject } of batch) {
      if (!outcome.ok) reject(outcome.error);
      else {
        committed++;
        scope!.committed();
        resolve(outcome.value);
      }
    }
    if (committed > 0) this.#deps.onCommitted(committed);
  }

  #runAlone({ work, caller: whose, resolve, reject }: PendingWrite): void {
    onBehalfOf(whose, () => this.#deps.alone(work)).then(resolve, reject);
  }

  /**
   * @returns `spoilt` when nothing took effect and each write must run alone.
   * @throws when the database cannot be used.
   */
  async #transaction(
    connection: PostgresConnection,
    batch: readonly PendingWrite[],
  ): Promise<'committed' | 'spoilt'> {
    const { limits, timeout } = this.#deps;
    let committing = false;
    const run = async () => {
      connection.begin({ ...limits, lock: Math.min(limits.lock, LOCK_MS) });
      await Promise.all(batch.map((job) => this.#attempt(connection, job)));
      const reasons = batch
        .filter(isSpoiler)
        .map(({ outcome, scope }) => scope!.failure ?? (outcome as Failed).error);
      if (reasons.length > 0) throw reasons.find((reason) => !isOfTheWrites(reason)) ?? reasons[0];
      committing = true;
      await connection.commit();
    };
    try {
      await withinTime(run(), timeout);
      return 'committed';
    } catch (thrown) {
      const error = commitError(thrown, committing);
      if (!isOfTheWrites(error)) throw error;
      await withinTime(connection.rollback(), timeout);
      return 'spoilt';
    } finally {
      for (const { scope } of batch) scope?.end();
    }
  }

  async #attempt(connection: PostgresConnection, job: PendingWrite): Promise<void> {
    const scope = new WriteScope(connection);
    job.scope = scope;
    try {
      const value = await job.work(this.#deps.bind(scope));
      job.outcome = scope.failed ? { ok: false, error: scope.failure } : { ok: true, value };
    } catch (error) {
      job.outcome = { ok: false, error };
    } finally {
      scope.end();
    }
  }
}

/** Whether a write failed in a way that requires a rollback. */
function isSpoiler({ outcome, scope }: PendingWrite): boolean {
  return scope!.failed || (!outcome.ok && scope!.changed);
}

/** Whether a transaction failed because of its writes, so that each may succeed alone. */
function isOfTheWrites(error: unknown): boolean {
  if (isStalePlan(error) || error instanceof WorkTimeoutError) return false;
  return !isFailureOf('database', error) || error.kind === 'busy';
}

/** Returns the error of a write whose transaction may or may not have been committed. */
function failureOf({ outcome, scope }: PendingWrite, error: unknown): unknown {
  if (!isFailureOf('database', error, 'outcomeUnknown')) return error;
  if (!outcome.ok) return outcome.error;
  return scope!.changed ? error : error.cause;
}

function byRecord(
  { records: [one = ''] }: PendingWrite,
  { records: [other = ''] }: PendingWrite,
): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
