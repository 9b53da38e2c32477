import { setTimeout as sleep } from 'node:timers/promises';
import { type TimeLimit, time, within } from '@ws01/asmx/time';
import { isFailureOf } from '../../failure/dependency-error.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import type { Clock } from '../context.ts';
import { newKey } from '../values/keys.ts';
import type { AttemptOutcome, Delivery, OutboxMessage } from './delivery.ts';
import { LEASE_MS, LeaseWatch } from './lease-watch.ts';
import { Outage } from './outage.ts';
import { claim, firstDue, leases, prolong, recordStateEvent, writeSettlement } from './rows.ts';
import { settle } from './schedule.ts';

/** Interval of lease renewals; ms. */
const HEARTBEAT_MS = 4_000;

/** Poll interval for due messages, and for those that other nodes and commands have queued; ms. */
const POLL_MS = 1_000;

/** Timeout at the stop for messages in progress; ms. */
const STOP_MS = 4_000;

/** Interval and duration of retries to store an outcome while the database fails; ms. */
const REWRITE_EVERY_MS = 250;
const REWRITE_MS = 60_000;

/** Events for the log, without secrets, texts and bodies. */
export type WorkerEvent =
  | {
      readonly kind: 'unreachable' | 'reachable';
      readonly what: Delivery['kind'];
      readonly reply: string;
    }
  | {
      readonly kind: 'settled';
      readonly what: Delivery['kind'];
      readonly id: string;
      readonly outcome: AttemptOutcome;
    }
  | { readonly kind: 'failure'; readonly what: Delivery['kind']; readonly error: unknown };

interface WorkerDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** A monotonic clock; ms. Default: the machine's. */
  readonly steady?: (() => number) | undefined;
  readonly delivery: Delivery;
  readonly onEvent?: (event: WorkerEvent) => void;
  /** Intervals and timeouts; ms of real time. */
  readonly rhythm?: Partial<WorkerIntervals>;
}

export interface WorkerIntervals {
  /** Default: {@link POLL_MS}. */
  readonly poll: number;
  /** Default: {@link HEARTBEAT_MS}. */
  readonly heartbeat: number;
  /** Default: {@link STOP_MS}. */
  readonly stop: number;
}

const RHYTHM: WorkerIntervals = { poll: POLL_MS, heartbeat: HEARTBEAT_MS, stop: STOP_MS };

/** An attempt in progress. */
interface UnderWay {
  readonly job: OutboxMessage;
  /** The key of its lease. */
  readonly lease: string;
  readonly abort: AbortController;
  /** The end of the lease, by the monotonic clock. */
  heldUntil: number;
  /** Aborts the attempt at the end of the lease. */
  end: TimeLimit | undefined;
  finished: Promise<void>;
}

/**
 * Sends one kind of message from the outbox, at most {@link Delivery.slots} concurrently. Any
 * number of workers share an outbox: each message belongs to one of them at a time, by a lease that
 * the worker renews. If a worker dies, the others take over its messages; a message that it had
 * sent without receiving the acknowledgement is sent again. Each lease has its own key: a worker
 * that lost a lease can no longer change the message.
 */
export class OutboxWorker {
  readonly outage = new Outage();
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #steady: () => number;
  readonly #delivery: Delivery;
  readonly #onEvent: (event: WorkerEvent) => void;
  readonly #rhythm: WorkerIntervals;
  readonly #watch = new LeaseWatch();
  readonly #underWay = new Set<UnderWay>();
  #observing: Promise<void> | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #stopping: Promise<void> | undefined;
  #poll: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  /** Whether the last poll failed, which is reported once. */
  #failing = false;

  constructor({ store, clock, steady, delivery, onEvent, rhythm }: WorkerDeps) {
    this.#store = store;
    this.#clock = clock;
    this.#steady = steady ?? time.steady;
    this.#delivery = delivery;
    this.#onEvent = onEvent ?? (() => {});
    this.#rhythm = { ...RHYTHM, ...rhythm };
  }

  /** Starts polling. It does not keep the process alive. */
  start(): void {
    const poll = () => {
      this.#observing ??= this.#observe().finally(() => {
        this.#observing = undefined;
      });
      this.wake();
    };
    this.#poll = setInterval(poll, this.#rhythm.poll).unref();
    this.#heartbeat = setInterval(() => void this.#prolong(), this.#rhythm.heartbeat).unref();
    poll();
  }

  /** Polls soon, after the caller's own work. Never waits and never fails. */
  wake(): void {
    if (this.#stopping !== undefined) return;
    this.#lookAgain = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      // It was woken when the last poll was almost over.
      if (this.#lookAgain) this.wake();
    });
  }

  /** Sends everything that is due, until nothing is left. For commands and tests. */
  async settleAll(): Promise<void> {
    do {
      await this.#observe();
      this.wake();
      await this.#looking;
      await Promise.all([...this.#underWay].map(({ finished }) => finished));
    } while (this.#looking !== undefined || this.#underWay.size > 0 || (await this.#hasDue()));
  }

  /**
   * Accepts no further messages, finishes those in progress or gives them back, and closes the
   * connections.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    clearInterval(this.#poll);
    await this.#looking;
    const finished = Promise.all([...this.#underWay].map((one) => one.finished));
    await within(this.#rhythm.stop, finished);
    for (const { abort } of this.#underWay) abort.abort();
    await finished;
    clearInterval(this.#heartbeat);
    await this.#delivery.close();
  }

  async #hasDue(): Promise<boolean> {
    const now = this.#clock();
    if (this.#stopping !== undefined || this.outage.allows(1, now) === 0) return false;
    if (this.#watch.ended(this.#steady()).length > 0) return true;
    const { kind } = this.#delivery;
    return (await this.#store.read((db) => firstDue.first(db, { kind, now }))) !== undefined;
  }

  /** Reads the leases of other workers. Never fails. */
  async #observe(): Promise<void> {
    const { kind } = this.#delivery;
    try {
      const all = await this.#store.read((db) => leases.all(db, { kind }));
      const own = new Set([...this.#underWay].map(({ job, lease }) => `${job.id} ${lease}`));
      this.#watch.look(
        all.filter(({ id, lease }) => !own.has(`${id} ${lease}`)),
        this.#steady(),
      );
    } catch {
      // The poll for due messages reports the error.
    }
  }

  async #look(): Promise<void> {
    // The caller that woke it finishes first.
    await null;
    while (this.#lookAgain && this.#stopping === undefined) {
      this.#lookAgain = false;
      try {
        await this.#takeOn();
        this.#failing = false;
      } catch (error) {
        // The next poll retries.
        if (!this.#failing) this.#tellFailure(error);
        this.#failing = true;
        return;
      }
    }
  }

  async #takeOn(): Promise<void> {
    const { kind, slots } = this.#delivery;
    const allowed = this.outage.allows(slots, this.#clock()) - this.#underWay.size;
    if (allowed <= 0 || !(await this.#hasDue())) return;
    const now = this.#clock();
    // Before anyone else can see it.
    const heldUntil = this.#steady() + LEASE_MS;
    const lease = newKey();
    const ended = this.#watch.ended(this.#steady());
    const jobs = await this.#store.write((tx) =>
      claim(tx, kind, { lease, until: now + LEASE_MS }, { now, most: allowed, ended }),
    );
    for (const job of jobs) this.#begin(job, lease, heldUntil);
  }

  #begin(job: OutboxMessage, lease: string, heldUntil: number): void {
    // An attempt that lost its lease may still be ending.
    const before = [...this.#underWay].find((one) => one.job.id === job.id);
    const abort = new AbortController();
    const one: UnderWay = {
      job,
      lease,
      abort,
      heldUntil,
      end: undefined,
      finished: Promise.resolve(),
    };
    this.#hold(one, heldUntil);
    const work = async () => {
      await before?.finished;
      await this.#work(one);
    };
    one.finished = work().finally(() => {
      one.end?.end();
      this.#underWay.delete(one);
      this.wake();
    });
    this.#underWay.add(one);
  }

  /** Holds a lease until an instant. */
  #hold(one: UnderWay, heldUntil: number): void {
    one.heldUntil = heldUntil;
    one.end?.end();
    one.end = time.limit(heldUntil - this.#steady(), () => one.abort.abort()).unref();
  }

  /** Whether the lease is held. The timer may be late after the whole process was suspended. */
  #isHeld(one: UnderWay): boolean {
    if (this.#steady() >= one.heldUntil) one.abort.abort();
    return !one.abort.signal.aborted;
  }

  async #work(one: UnderWay): Promise<void> {
    const { job, lease } = one;
    const outcome = await this.#attempt(one);
    const now = this.#clock();
    this.#learn(outcome, now);
    const settlement = settle(job, outcome, this.#delivery, now, this.outage.reopensAt);
    const write = () =>
      this.#store.write(async (tx) => {
        if (!(await writeSettlement(tx, job.id, lease, settlement))) return;
        if (outcome.kind !== 'later')
          await recordStateEvent(tx, job.kind, job.id, settlement.state, now);
        if ('also' in outcome) await outcome.also?.(tx);
        if (settlement.finished_at !== null) await this.#delivery.ended?.(tx, job.id);
      });
    try {
      await persist(write);
      this.#onEvent({ kind: 'settled', what: job.kind, id: job.id, outcome });
    } catch (error) {
      // The lease ends, and another attempt follows.
      this.#tellFailure(error);
    }
  }

  async #attempt(one: UnderWay): Promise<AttemptOutcome> {
    const { signal } = one.abort;
    try {
      const outcome = await this.#delivery.deliver(one.job, signal, () => this.#isHeld(one));
      // Messages that our own stop has interrupted are retried at once by another worker.
      return signal.aborted && outcome.kind === 'unreachable'
        ? { kind: 'later', at: this.#clock() }
        : outcome;
    } catch (error) {
      if (isFailureOf('database', error))
        return { kind: 'later', at: this.#clock() + REWRITE_EVERY_MS };
      this.#tellFailure(error);
      return { kind: 'deferred', reply: 'The service itself failed; see its log.' };
    }
  }

  #learn(outcome: AttemptOutcome, now: Instant): void {
    const before = this.outage.since;
    if (outcome.kind === 'unreachable') {
      this.outage.failed(outcome.reply, now);
      if (before === undefined)
        this.#onEvent({ kind: 'unreachable', what: this.#delivery.kind, reply: outcome.reply });
    } else if (
      outcome.kind === 'sent' ||
      outcome.kind === 'bounced' ||
      outcome.kind === 'deferred'
    ) {
      this.outage.answered();
      if (before !== undefined)
        this.#onEvent({ kind: 'reachable', what: this.#delivery.kind, reply: outcome.reply });
    }
  }

  /** Renews the leases; aborts attempts that have lost theirs, so that no message is sent twice. */
  async #prolong(): Promise<void> {
    const all = [...this.#underWay];
    if (all.length === 0) return;
    const heldUntil = this.#steady() + LEASE_MS;
    const until = this.#clock() + LEASE_MS;
    const held = await this.#store
      .write((tx) =>
        prolong(
          tx,
          all.map(({ job, lease }) => ({ id: job.id, lease })),
          until,
        ),
      )
      .catch(() => undefined);
    if (held === undefined) return;
    for (const one of all) {
      if (held.get(one.job.id) !== one.lease) one.abort.abort();
      else if (this.#underWay.has(one)) this.#hold(one, heldUntil);
    }
  }

  #tellFailure(error: unknown): void {
    this.#onEvent({ kind: 'failure', what: this.#delivery.kind, error });
  }
}

/**
 * Retries the write while the database fails: an acknowledged message that is not recorded is sent
 * twice.
 */
async function persist(write: () => Promise<void>): Promise<void> {
  for (let waited = 0; ; waited += REWRITE_EVERY_MS) {
    try {
      return await write();
    } catch (error) {
      if (!isFailureOf('database', error) || waited >= REWRITE_MS) throw error;
    }
    await sleep(REWRITE_EVERY_MS);
  }
}
