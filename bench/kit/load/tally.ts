import { cpuMicros, microsBetween, treeThreads, waitedMicros } from '../sides/process-stats.ts';
import type { LoadFindings, LoadSettings, Percentiles } from './settings.ts';

/**
 * Counts between {@link start} and {@link stop}: at a fixed rate the requests that fall due,
 * whenever they are answered; else the answers that come. With it the CPU time that both processes
 * use meanwhile.
 */
export class Tally {
  /** Requests sent, whether they count or not. */
  sent = 0;
  readonly #pids: MeasuredPids;
  readonly #countsBy: 'due' | 'answer';
  readonly #latencies = new Times();
  readonly #lags = new Times();
  #refused = 0;
  #before: Clocks = NEVER;
  #after: Clocks = NEVER;

  constructor(pids: MeasuredPids, countsBy: 'due' | 'answer') {
    this.#pids = pids;
    this.#countsBy = countsBy;
  }

  /** Answers counted so far. */
  get answers(): number {
    return this.#latencies.count;
  }

  start(): void {
    this.#before = readClocks(this.#pids);
  }

  /** @returns when: what is later does not count. */
  stop(): number {
    this.#after = readClocks(this.#pids);
    return this.#after.now;
  }

  /** @param startedAt when the request was sent, or was due; as `performance.now()`. */
  answered(status: number, startedAt: number): void {
    const now = performance.now();
    if (!this.#counts(this.#countsBy === 'due' ? startedAt : now)) return;
    if (status !== 200) this.#refused++;
    this.#latencies.add(now - startedAt);
  }

  /** A request was sent only now, although a connection was at hand when it was due. */
  sentLate(dueAt: number, now: number): void {
    if (this.#counts(dueAt)) this.#lags.add(now - dueAt);
  }

  /** What was found; to be asked when the last request is answered. */
  findings(): LoadFindings {
    const micros = (this.#after.now - this.#before.now) * 1000;
    return {
      answers: this.answers,
      refused: this.#refused,
      sent: this.sent,
      seconds: micros / 1e6,
      latency: this.#latencies.percentiles(),
      lag: this.#lags.count === 0 ? undefined : this.#lags.percentiles(),
      serverCpuMicros: microsBetween(this.#before.server, this.#after.server),
      databaseCpuMicros: microsBetween(this.#before.database, this.#after.database),
      serverWaitedShare: (this.#after.serverWaited - this.#before.serverWaited) / micros,
      loadWaitedShare: (this.#after.loadWaited - this.#before.loadWaited) / micros,
      loadShare: (this.#after.load - this.#before.load) / micros,
    };
  }

  #counts(moment: number): boolean {
    return moment >= this.#before.now && moment < this.#after.now;
  }
}

/** The processes that are measured. */
type MeasuredPids = Pick<LoadSettings, 'pid' | 'databasePid'>;

interface Clocks {
  /** ms. */
  readonly now: number;
  /** CPU time used so far by each thread, µs. */
  readonly server: ReadonlyMap<string, number>;
  readonly database: ReadonlyMap<string, number>;
  /** µs. */
  readonly load: number;
  /** Time for which the processes were kept from their cores, µs. */
  readonly serverWaited: number;
  readonly loadWaited: number;
}

const NONE: ReadonlyMap<string, number> = new Map();

const NEVER: Clocks = {
  now: Number.POSITIVE_INFINITY,
  server: NONE,
  database: NONE,
  load: 0,
  serverWaited: 0,
  loadWaited: 0,
};

function readClocks({ pid, databasePid }: MeasuredPids): Clocks {
  return {
    now: performance.now(),
    server: treeThreads(pid),
    database: databasePid === undefined ? NONE : treeThreads(databasePid),
    load: cpuMicros(process.pid),
    serverWaited: waitedMicros(pid),
    loadWaited: waitedMicros(process.pid),
  };
}

/** Times in ms, kept without making garbage. */
export class Times {
  count = 0;
  #values = new Float64Array(65_536);

  add(value: number): void {
    if (this.count === this.#values.length) {
      const larger = new Float64Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.count++] = value;
  }

  percentiles(): Percentiles {
    const sorted = this.#values.subarray(0, this.count).sort();
    const at = (share: number) =>
      sorted[Math.min(this.count - 1, Math.floor(this.count * share))] ?? 0;
    return { p50: at(0.5), p90: at(0.9), p99: at(0.99), p999: at(0.999), max: at(1) };
  }
}
