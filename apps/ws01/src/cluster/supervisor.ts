import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { time, within } from '@ws01/asmx/time';
import type { ListenAddress } from '../web/sockets/listen.ts';
import { Acceptor, type Taker } from './acceptor.ts';
import {
  type FromWorker,
  HEARTBEAT_MS,
  ignoreUnsent,
  type Listening,
  type ToWorker,
} from './messages.ts';
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
  /** How long all workers serve on after a request to stop, while proxies turn away; ms. */
  readonly drain: () => number;
  /** Timeout of a worker's stop after the drain; then it is killed; ms. */
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

/** The most that the workers must still take when this process stops accepting; ms. */
const GIVE_OUT_MS = 5_000;

/** What this process listens on for its workers. */
interface Door {
  readonly number: number;
  readonly acceptor: Acceptor;
  readonly bound: ReturnType<Acceptor['open']>;
  /** By worker. */
  readonly takers: Map<Member, Taker>;
}

interface Member {
  readonly worker: Worker;
  listening: Listening | undefined;
  /** When it started to serve; by `performance.now`. */
  since: number;
  /** When its last message came; by `time.steady`. */
  heard: number;
  reason: string | undefined;
  lastReport: unknown;
  /** Whether it was stopped because another worker serves in its place. */
  replaced: boolean;
  /** Whether it asked to be stopped, and whether it has been. */
  leaving: boolean;
  stopped: boolean;
  /** Settle when the worker serves, and when it has ended. */
  readonly serving: PromiseWithResolvers<void>;
  readonly ended: PromiseWithResolvers<void>;
}

/**
 * The primary process: keeps a number of workers running on one port. It accepts connections from
 * when the first worker is ready and distributes them to the workers, replaces workers that end,
 * chooses the leader, forwards peer messages, and stops the workers. It opens nothing else and
 * serves no requests. If it dies, the workers end.
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
  /** By address. */
  readonly #doors = new Map<string, Door>();
  #opened = 0;
  #firstToken: string | undefined;
  #leader: Member | undefined;
  #complete = false;
  /** A new worker during a rolling replacement, until it serves. */
  #trial: Member | undefined;
  #stopping: Promise<boolean> | undefined;
  #clean = true;

  constructor(options: SupervisorOptions) {
    this.#options = options;
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
      if (next === undefined)
        throw new WorkersFailed('A new worker could not be started.', undefined);
      this.#trial = next;
      await Promise.race([next.serving.promise, next.ended.promise]);
      this.#trial = undefined;
      if (this.#stopping !== undefined) return;
      if (next.listening === undefined)
        throw new WorkersFailed(next.reason ?? 'It ended before it served.', undefined);
      old.replaced = true;
      this.#retire(old);
      await old.ended.promise;
    }
  }

  /** Stops a worker while others serve: they get the connections. */
  #retire(member: Member): void {
    if (member.stopped) return;
    member.stopped = true;
    for (const { acceptor, takers } of this.#doors.values()) {
      const taker = takers.get(member);
      if (taker !== undefined) acceptor.remove(taker);
    }
    send(member.worker, { kind: 'stop', drained: true });
    const kill = () => member.worker.process.kill('SIGKILL');
    const bound = time.limit(this.#options.stopBound, kill);
    member.ended.promise.then(() => bound.end());
  }

  /** Stops the workers that asked for it, if another one serves; else as soon as one does. */
  #letLeave(): void {
    if (this.#stopping !== undefined) return;
    const serving = this.#serving();
    const [first] = serving.filter(({ leaving }) => leaving);
    if (first === undefined) return;
    if (serving.some(({ leaving }) => !leaving)) {
      for (const member of serving) if (member.leaving) this.#retire(member);
    } else if (serving.length === this.#members.size && this.#pauses.size === 0) {
      first.replaced = true;
      this.#fork();
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
    const drain = this.#serving().length > 0 ? this.#options.drain() : 0;
    if (drain > 0) {
      this.#tell({ kind: 'drain' });
      await Promise.race([sleep(drain), this.#noMembers()]);
    }
    // First the listener, then the workers: so they get every connection that was accepted.
    const doors = [...this.#doors.values()];
    const closed = Promise.all(doors.map(({ acceptor }) => acceptor.close()));
    await within(GIVE_OUT_MS, Promise.race([closed, this.#noMembers()]));
    for (const { acceptor } of doors) acceptor.destroy();
    this.#tell({ kind: 'stop', drained: drain > 0 });
    const bound = time.limit(this.#options.stopBound, () => this.#kill());
    await this.#noMembers();
    bound.end();
    return this.#clean;
  }

  #tell(message: ToWorker): void {
    for (const { worker } of this.#members.values()) send(worker, message);
  }

  /** Resolves when all workers have ended, after the stop has begun. */
  #noMembers(): Promise<void> {
    if (this.#members.size === 0) this.#allEnded.resolve();
    return this.#allEnded.promise;
  }

  #kill(): void {
    for (const { worker } of this.#members.values()) worker.process.kill('SIGKILL');
  }

  /** Kills unresponsive workers; they are replaced like those that die. */
  #watch(): void {
    let looked = time.steady();
    const look = () => {
      const now = time.steady();
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
    let worker: Worker;
    try {
      worker = cluster.fork();
    } catch (error) {
      this.#replace(
        { worker: undefined, pid: undefined, code: null, signal: null, reason: String(error) },
        undefined,
      );
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
      leaving: false,
      stopped: false,
    };
    const member: Member = { worker, ...fresh, serving, ended };
    this.#members.set(worker.id, member);
    worker.on('message', (message: FromWorker) => this.#receive(member, message));
    // The exit event may arrive before the worker's last message.
    worker.process.once('close', (code, signal) => this.#ended(member, code, signal));
    // A worker that could not be started never ends.
    worker.on('error', () => worker.process.pid === undefined && this.#ended(member, null, null));
    return member;
  }

  #receive(member: Member, message: FromWorker): void {
    member.heard = time.steady();
    switch (message.kind) {
      case 'accept':
        this.#accept(member, message.address);
        break;
      case 'took':
        this.#took(member, message.acceptor);
        break;
      case 'listening':
        this.#serves(member, message);
        break;
      case 'leaving':
        member.leaving = true;
        // The same signal may have come to this process, which then stops all workers.
        setImmediate(() => this.#letLeave());
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

  /**
   * Listens for a worker, if not for another one before, and answers in the order of its questions.
   */
  async #accept(member: Member, address: ListenAddress): Promise<void> {
    const key = 'path' in address ? address.path : JSON.stringify(address);
    let door = this.#doors.get(key);
    if (door === undefined) {
      const acceptor = new Acceptor();
      door = { number: ++this.#opened, acceptor, bound: acceptor.open(address), takers: new Map() };
      this.#doors.set(key, door);
    }
    const { number, takers } = door;
    takers.set(member, {
      give: (connection) =>
        member.worker.process.send(
          { kind: 'connection', acceptor: number } satisfies ToWorker,
          connection,
          { keepOpen: true },
          ignoreUnsent,
        ),
    });
    try {
      send(member.worker, { kind: 'bound', acceptor: number, bound: await door.bound });
    } catch (error) {
      this.#doors.delete(key);
      const { message, ...properties } = error as Error;
      send(member.worker, {
        kind: 'unbound',
        message: (error as Error).message,
        error: properties,
      });
    }
  }

  #took(member: Member, number: number): void {
    for (const door of this.#doors.values()) {
      const taker = door.takers.get(member);
      if (door.number === number && taker !== undefined) door.acceptor.took(taker);
    }
  }

  #serves(member: Member, listening: Listening): void {
    this.#firstToken ??= listening.firstToken;
    member.listening = listening;
    member.since = performance.now();
    member.serving.resolve();
    this.#restarts.served();
    this.#appointLeader();
    for (const { acceptor, takers } of this.#doors.values()) {
      const taker = takers.get(member);
      if (taker !== undefined) acceptor.add(taker);
    }
    this.#letLeave();
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
    for (const [key, { acceptor, takers }] of this.#doors) {
      const taker = takers.get(member);
      if (taker === undefined) continue;
      acceptor.ended(taker);
      takers.delete(member);
      // The last one with this address, after new settings.
      if (takers.size === 0 && this.#stopping === undefined && this.#serving().length > 0) {
        this.#doors.delete(key);
        acceptor.destroy();
      }
    }
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
    // At the start a reason is final. Later the other workers continue, and the reason may pass.
    const saidSo = !this.#complete && reason !== undefined;
    const goesOn = this.#complete && this.#serving().length > 0;
    if (saidSo || (!goesOn && this.#restarts.hopeless)) {
      this.#fail(
        reason ??
          `The workers end before they serve, the last one by ${signal ?? `exit code ${code}`}.`,
      );
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
