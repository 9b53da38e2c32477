import type { Kysely } from 'kysely';
import { DependencyError, isFailureOf } from '../../failure/dependency-error.ts';
import { caller, onBehalfOf } from '../on-behalf.ts';
import { type Bind, WriteScope } from '../scope.ts';
import type { Tables } from '../tables/tables.ts';
import { WorkTimeoutError, withinTime } from '../write-limits.ts';
import { commitError, type PostgresConnection } from './connection.ts';
import { isStalePlan } from './errors.ts';
import type { SessionLimits } from './session.ts';
import type { Turns } from './turns.ts';

/** Transactions of shared writes in progress at once: two keep a process busy, and with fewer more writes share each. */
const TRANSACTIONS = 2;

/** Writes in one transaction at most. */
const WRITES = 64;

/** How long a shared transaction waits for one lock, since all in it do; then each of them goes on alone. ms. */
const LOCK_MS = 200;

type Work = (tx: Kysely<Tables>) => Promise<unknown>;

/** A write that was asked for. Its caller learns the outcome when it is durable. */
interface PendingWrite {
  readonly work: Work;
  /** The records that it writes. */
  readonly records: readonly string[];
  readonly caller: string;
  /** When it has waited for too long; on the clock of `performance.now`. */
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
  /** Who waits for connections, by one bound with the writes here. */
  readonly turns: Turns;
  readonly limits: SessionLimits;
  /** How long a transaction may take; ms. */
  readonly timeout: number;
  /** Carries out a write in its own transaction. */
  readonly alone: (work: Work) => Promise<unknown>;
  /** Told of each transaction that was committed: how many writes were in it. */
  readonly onCommitted: (writes: number) => void;
}

/**
 * Runs writes of different records together, one transaction and two or three round trips for all that came in meanwhile:
 * what they ask in one turn of the event loop goes in one flight. A lone write does not wait for company.
 *
 * Their statements stand between each other's, so two of one record are never together, and in one order of records, so
 * that nodes do not wait for each other in a circle. When one of them fails after it has changed something, or meets a
 * lock that others hold, the transaction is undone and each of them is run again alone.
 */
export class SharedWrites {
  readonly #deps: SharedWritesDeps;
  /** What each caller has waiting, in the order of the callers' turns. */
  readonly #waiting = new Map<string, PendingWrite[]>();
  /** Records that a transaction in progress writes. */
  readonly #held = new Set<string>();
  #underWay = 0;
  #scheduled = false;

  constructor(deps: SharedWritesDeps) {
    this.#deps = deps;
  }

  /**
   * As `Store.write`.
   * @throws {DependencyError} `busy` at once when too many wait.
   */
  write<T>(work: (tx: Kysely<Tables>) => Promise<T>, records: readonly string[]): Promise<T> {
    const { turns } = this.#deps;
    const whose = caller();
    const own = this.#waiting.get(whose) ?? [];
    return new Promise<T>((resolve, reject) => {
      turns.assertRoom(own.length);
      own.push({
        work,
        records,
        caller: whose,
        deadline: performance.now() + turns.timeoutMs,
        resolve: resolve as (value: unknown) => void,
        reject,
        outcome: PENDING,
        scope: undefined,
      });
      this.#waiting.set(whose, own);
      turns.elsewhere++;
      this.#schedule();
    });
  }

  /** What other sockets brought in this turn of the event loop comes along. */
  #schedule(): void {
    if (this.#scheduled || this.#underWay >= TRANSACTIONS || this.#waiting.size === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#underWay >= TRANSACTIONS) return;
      const batch = this.#take();
      if (batch.length > 0) void onBehalfOf('', () => this.#run(batch));
    });
  }

  /** The next writes, by turns of their callers, each record once. */
  #take(): PendingWrite[] {
    const batch: PendingWrite[] = [];
    const now = performance.now();
    for (let taken = true; taken && batch.length < WRITES; ) {
      taken = false;
      for (const [whose, own] of [...this.#waiting]) {
        if (batch.length >= WRITES) break;
        const index = own.findIndex(({ records }) => !records.some((record) => this.#held.has(record)));
        if (index < 0) continue;
        const [job] = own.splice(index, 1);
        this.#deps.turns.elsewhere--;
        // To the end of the row.
        this.#waiting.delete(whose);
        if (own.length > 0) this.#waiting.set(whose, own);
        taken = true;
        if (job!.deadline <= now) {
          job!.reject(
            new DependencyError('database', 'busy', `PostgreSQL had no time within ${this.#deps.turns.timeoutMs} ms.`),
          );
          continue;
        }
        for (const record of job!.records) this.#held.add(record);
        batch.push(job!);
      }
    }
    return batch.sort(byRecord);
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

  /** @returns `spoilt` when nothing took effect, and each is to be run alone. @throws when the database cannot be used. */
  async #transaction(connection: PostgresConnection, batch: readonly PendingWrite[]): Promise<'committed' | 'spoilt'> {
    const { limits, timeout } = this.#deps;
    let committing = false;
    const run = async () => {
      connection.begin({ ...limits, lock: Math.min(limits.lock, LOCK_MS) });
      await Promise.all(batch.map((job) => this.#attempt(connection, job)));
      const reasons = batch.filter(isSpoiler).map(({ outcome, scope }) => scope!.failure ?? (outcome as Failed).error);
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

/** Whether a write has failed in a way that undoes the transaction. */
function isSpoiler({ outcome, scope }: PendingWrite): boolean {
  return scope!.failed || (!outcome.ok && scope!.changed);
}

/** Whether a transaction failed by what was in it: then each write may do better alone. */
function isOfTheWrites(error: unknown): boolean {
  if (isStalePlan(error) || error instanceof WorkTimeoutError) return false;
  return !isFailureOf('database', error) || error.kind === 'busy';
}

/** The error of a write whose transaction may have been committed, or was not. */
function failureOf({ outcome, scope }: PendingWrite, error: unknown): unknown {
  if (!isFailureOf('database', error, 'outcomeUnknown')) return error;
  if (!outcome.ok) return outcome.error;
  return scope!.changed ? error : error.cause;
}

function byRecord({ records: [one = ''] }: PendingWrite, { records: [other = ''] }: PendingWrite): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
