import cluster, { type Worker } from 'node:cluster';
import { watchHandOver } from './hand-over.ts';
import { type FromWorker, HEARTBEAT_MS, ignoreUnsent, type Listening, type ToWorker } from './messages.ts';
import { Reports } from './reports.ts';
import { Restarts } from './restarts.ts';

/** The unexpected end of a worker. */
interface WorkerEnd {
  /** Its number; this and the process id are `undefined` if it could not be started. */
  readonly worker: number | undefined;
  readonly pid: number | undefined;
  /** The exit code, or the signal that ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Its own reason why it could not serve. */
  readonly reason: string | undefined;
  /** Delay until its replacement starts; ms. */
  readonly replacedIn: number;
}

interface SupervisorOptions {
  /** Number of workers. */
  readonly count: number;
  /** The port to listen on; 0 for a free one, which all workers share. */
  readonly port: number;
  /**
   * Whether the workers use a listening socket that was passed in. It is lost with the last worker, and only a new
   * start of the service restores it.
   */
  readonly handedOver: boolean;
  /** Environment variables of a worker besides those of this process. */
  readonly environment: (port: number) => Record<string, string>;
  /** Timeout of a worker's stop; then it is killed; ms. */
  readonly stopBound: number;
  /** Timeout of a worker's heartbeat; then it is killed; ms. */
  readonly stillBound: number;
  /** Called before an unresponsive worker is killed. */
  readonly onStill: (worker: { readonly worker: number; readonly pid: number | undefined }) => void;
  readonly onEnd: (end: WorkerEnd) => void;
  /** Called with the last report of each worker that has ended, if it sent one. */
  readonly onLastReport?: (report: unknown) => void;
}

/** Thrown when workers cannot serve. The message, for people, is the error of the last worker. */
export class WorkersFailed extends Error {
  override readonly name = 'WorkersFailed';
  /** The first token, if a worker had created it before. */
  readonly firstToken: string | undefined;

  constructor(reason: string, firstToken: string | undefined) {
    super(reason);
    this.firstToken = firstToken;
  }
}

const SOCKET_LOST =
  'All workers ended, and with them the socket that was handed over; start the service again, as its manager does.';

interface Member {
  readonly worker: Worker;
  listening: Listening | undefined;
  /** When it started to serve; by `performance.now`. */
  since: number;
  /** When its last message came; by `performance.now`. */
  heard: number;
  reason: string | undefined;
  lastReport: unknown;
  /** Whether it was stopped because another worker serves in its place. */
  replaced: boolean;
  /** Settle when the worker serves, and when it has ended. */
  readonly serving: PromiseWithResolvers<void>;
  readonly ended: PromiseWithResolvers<void>;
}

/**
 * The primary process: keeps a number of workers running on one port. It accepts connections and distributes them to
 * the workers, replaces workers that end, chooses the leader, forwards peer messages, and stops the workers. It opens
 * nothing else and serves no requests. If it dies, the workers end.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #members = new Map<number, Member>();
  readonly #restarts = new Restarts();
  readonly #reports = new Reports();
  readonly #pauses = new Set<NodeJS.Timeout>();
  readonly #started = Promise.withResolvers<readonly Listening[]>();
  readonly #failure = Promise.withResolvers<never>();
  readonly #allEnded = Promise.withResolvers<void>();
  /** The port that workers ask for, and the one in use if that is 0. */
  #port: number;
  #found: number | undefined;
  #firstToken: string | undefined;
  #leader: Member | undefined;
  #complete = false;
  /** A new worker during a rolling replacement, until it serves. */
  #trial: Member | undefined;
  #stopping: Promise<boolean> | undefined;
  #clean = true;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#port = options.port;
    // The caller of `start` gets the error; a caller that only stops needs none.
    this.#failure.promise.catch(() => {});
    process.on('exit', () => this.#kill());
    this.#watch();
  }

  /**
   * Starts the workers. Resolves with their addresses when all serve.
   * @throws {WorkersFailed}
   */
  async start(): Promise<readonly Listening[]> {
    for (let count = this.#options.count; count > 0; count--) this.#fork();
    return Promise.race([this.#started.promise, this.#failure.promise]);
  }

  /** Rejects with `WorkersFailed` when no worker serves and none can be started. Never resolves. */
  get failed(): Promise<never> {
    return this.#failure.promise;
  }

  /** Returns the metrics of each serving worker. */
  async reports(): Promise<readonly unknown[]> {
    const asked = this.#serving().map(({ worker }) =>
      this.#reports.from(worker.id, () => send(worker, { kind: 'report' })),
    );
    return (await Promise.all(asked)).filter((report) => report !== undefined);
  }

  /**
   * Replaces the workers one by one; a new one serves before the old one stops, so no call is lost.
   * @throws {WorkersFailed} when a new one cannot serve; the others continue.
   */
  async roll(): Promise<void> {
    for (const old of this.#serving()) {
      if (this.#stopping !== undefined) return;
      const next = this.#fork();
      if (next === undefined) throw new WorkersFailed('A new worker could not be started.', undefined);
      this.#trial = next;
      await Promise.race([next.serving.promise, next.ended.promise]);
      this.#trial = undefined;
      if (this.#stopping !== undefined) return;
      if (next.listening === undefined) throw new WorkersFailed(next.reason ?? 'It ended before it served.', undefined);
      old.replaced = true;
      send(old.worker, { kind: 'stop', replaced: true });
      const bound = setTimeout(() => old.worker.process.kill('SIGKILL'), this.#options.stopBound);
      await old.ended.promise;
      clearTimeout(bound);
    }
  }

  /**
   * Stops the workers after their calls in flight.
   * @returns whether all of them exited by themselves without an error.
   */
  stop(): Promise<boolean> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<boolean> {
    for (const pause of this.#pauses) clearTimeout(pause);
    for (const { worker } of this.#members.values()) send(worker, { kind: 'stop' });
    if (this.#members.size === 0) this.#allEnded.resolve();
    const bound = setTimeout(() => this.#kill(), this.#options.stopBound);
    await this.#allEnded.promise;
    clearTimeout(bound);
    return this.#clean;
  }

  #kill(): void {
    for (const { worker } of this.#members.values()) worker.process.kill('SIGKILL');
  }

  /** Kills unresponsive workers; they are replaced like those that die. */
  #watch(): void {
    let looked = performance.now();
    const look = () => {
      const now = performance.now();
      // If this process was blocked, the workers' messages have not been read yet.
      const wasStill = now - looked > 2 * HEARTBEAT_MS;
      looked = now;
      for (const member of this.#serving()) {
        if (wasStill) member.heard = now;
        if (now - member.heard <= this.#options.stillBound) continue;
        this.#options.onStill({ worker: member.worker.id, pid: member.worker.process.pid });
        member.worker.process.kill('SIGKILL');
      }
    };
    setInterval(look, HEARTBEAT_MS).unref();
  }

  #fork(): Member | undefined {
    // node:cluster releases the port after the last worker has ended.
    if (this.#members.size === 0) this.#port = this.#found ?? this.#port;
    let worker: Worker;
    try {
      worker = cluster.fork(this.#options.environment(this.#port));
    } catch (error) {
      this.#replace({ worker: undefined, pid: undefined, code: null, signal: null, reason: String(error) }, undefined);
      return undefined;
    }
    const [serving, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const fresh = {
      listening: undefined,
      since: 0,
      heard: 0,
      reason: undefined,
      lastReport: undefined,
      replaced: false,
    };
    const member: Member = { worker, ...fresh, serving, ended };
    this.#members.set(worker.id, member);
    watchHandOver(worker, () => this.#serving().some((one) => one !== member));
    worker.on('message', (message: FromWorker) => this.#receive(member, message));
    // The exit event may arrive before the worker's last message.
    worker.process.once('close', (code, signal) => this.#ended(member, code, signal));
    // A worker that could not be started never ends.
    worker.on('error', () => worker.process.pid === undefined && this.#ended(member, null, null));
    return member;
  }

  #receive(member: Member, message: FromWorker): void {
    member.heard = performance.now();
    switch (message.kind) {
      case 'listening':
        this.#serves(member, message);
        break;
      case 'failed':
        member.reason = message.reason;
        break;
      case 'report':
        member.lastReport = message.report;
        this.#reports.settle(member.worker.id, message.report);
        break;
      case 'news':
        for (const other of this.#members.values()) {
          if (other !== member) send(other.worker, message);
        }
    }
  }

  #serves(member: Member, listening: Listening): void {
    this.#found ??= listening.port;
    this.#firstToken ??= listening.firstToken;
    if (listening.port !== this.#found) {
      // It asked for a free port just when the earlier one was released.
      this.#port = this.#found;
      member.worker.process.kill('SIGKILL');
      return;
    }
    member.listening = listening;
    member.since = performance.now();
    member.serving.resolve();
    this.#restarts.served();
    this.#appointLeader();
    const serving = this.#serving();
    if (!this.#complete && serving.length === this.#options.count) {
      this.#complete = true;
      this.#started.resolve(serving.flatMap((one) => one.listening ?? []));
    }
  }

  #ended(member: Member, code: number | null, signal: NodeJS.Signals | null): void {
    const { worker, listening, reason } = member;
    if (!this.#members.delete(worker.id)) return;
    member.ended.resolve();
    if (this.#leader === member) this.#leader = undefined;
    this.#reports.settle(worker.id, undefined);
    if (member.lastReport !== undefined) this.#options.onLastReport?.(member.lastReport);
    if (this.#stopping !== undefined) {
      this.#clean &&= code === 0;
      if (this.#members.size === 0) this.#allEnded.resolve();
      return;
    }
    this.#appointLeader();
    if (member.replaced || this.#trial === member) return;
    const servedMs = listening && performance.now() - member.since;
    this.#replace({ worker: worker.id, pid: worker.process.pid, code, signal, reason }, servedMs);
  }

  #replace(end: Omit<WorkerEnd, 'replacedIn'>, servedMs: number | undefined): void {
    const replacedIn = this.#restarts.ended(servedMs);
    const { reason, code, signal } = end;
    if (this.#options.handedOver && this.#members.size === 0) {
      this.#fail(reason ?? SOCKET_LOST);
      return;
    }
    // At the start a reason is final. Later the other workers continue, and the reason may pass.
    const saidSo = !this.#complete && reason !== undefined;
    const goesOn = this.#complete && this.#serving().length > 0;
    if (saidSo || (!goesOn && this.#restarts.hopeless)) {
      this.#fail(reason ?? `The workers end before they serve, the last one by ${signal ?? `exit code ${code}`}.`);
      return;
    }
    this.#options.onEnd({ ...end, replacedIn });
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      this.#fork();
    }, replacedIn);
    this.#pauses.add(pause);
  }

  #serving(): readonly Member[] {
    return [...this.#members.values()].filter((one) => one.listening !== undefined);
  }

  #appointLeader(): void {
    if (this.#leader !== undefined) return;
    this.#leader = this.#serving().find(({ replaced }) => !replaced);
    if (this.#leader !== undefined) send(this.#leader.worker, { kind: 'lead' });
  }

  async #fail(reason: string): Promise<void> {
    await this.stop();
    this.#failure.reject(new WorkersFailed(reason, this.#firstToken));
  }
}

function send(worker: Worker, message: ToWorker): void {
  worker.process.send(message, undefined, undefined, ignoreUnsent);
}
