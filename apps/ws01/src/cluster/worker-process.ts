import cluster, { type Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { BoundAddress, ListenAddress } from '../web/sockets/listen.ts';
import {
  type FromWorker,
  HEARTBEAT_MS,
  ignoreUnsent,
  type Listening,
  type ToWorker,
} from './messages.ts';
import type { Peers } from './peers.ts';

/** The worker's side of the channel to the primary process. */
export class WorkerProcess<PeerMessage> implements Peers<PeerMessage> {
  readonly #worker: Worker;
  readonly #leading = Promise.withResolvers<void>();
  readonly #stop = Promise.withResolvers<{ readonly drained: boolean }>();
  readonly #drain = Promise.withResolvers<void>();
  /** What serves the connections of each acceptor. */
  readonly #takers = new Map<number, (connection: Socket) => void>();
  /** The addresses that the primary process was asked for and has not bound; it answers in turn. */
  readonly #asked: {
    readonly take: (connection: Socket) => void;
    readonly bound: PromiseWithResolvers<BoundAddress>;
  }[] = [];
  #report: () => Promise<unknown> = async () => undefined;
  #listeners: ((news: PeerMessage) => void)[] = [];

  constructor(worker: Worker) {
    this.#worker = worker;
    // When the primary process dies, node:cluster ends this process.
    process.on('message', (message: ToWorker, connection?: Socket) =>
      this.#receive(message, connection),
    );
  }

  /** Identifies the worker among those of one primary process, replacements included. From 1. */
  get id(): number {
    return this.#worker.id;
  }

  /**
   * Resolves when the primary process stops this worker; no more connections come. `drained`:
   * callers need no more time to notice.
   */
  get stopRequested(): Promise<{ readonly drained: boolean }> {
    return this.#stop.promise;
  }

  /** Resolves when the primary process has this worker drain, which it may do before the stop. */
  get drainRequested(): Promise<void> {
    return this.#drain.promise;
  }

  /**
   * Asks to be stopped, which the primary process does as soon as others serve or it stops itself.
   */
  askToStop(): void {
    this.#send({ kind: 'leaving' });
  }

  readonly accept = (
    address: ListenAddress,
    take: (connection: Socket) => void,
  ): Promise<BoundAddress> => {
    const bound = Promise.withResolvers<BoundAddress>();
    this.#asked.push({ take, bound });
    this.#send({ kind: 'accept', address });
    return bound.promise;
  };

  onLead(begin: () => void): void {
    this.#leading.promise.then(begin);
  }

  tell(news: PeerMessage): void {
    this.#send({ kind: 'news', news });
  }

  hear(listen: (news: PeerMessage) => void): void {
    this.#listeners.push(listen);
  }

  /** Reports that it serves, and starts the heartbeat. */
  listening(listening: Listening): void {
    this.#send({ kind: 'listening', ...listening });
    setInterval(() => this.#send({ kind: 'beat' }), HEARTBEAT_MS).unref();
  }

  /** Calls back when the primary process requests the metrics. */
  onReport(make: () => Promise<unknown>): void {
    this.#report = make;
  }

  /** Sends the metrics without a request, before the end. Resolves when they are sent. */
  async report(): Promise<void> {
    const report = await this.#report();
    return new Promise((resolve) => this.#send({ kind: 'report', report }, resolve));
  }

  /** Reports why it cannot serve. Resolves when the message is sent. */
  failed(reason: string): Promise<void> {
    return new Promise((resolve) => this.#send({ kind: 'failed', reason }, resolve));
  }

  /** Disconnects from the primary process, so that this process exits when it has no more work. */
  leave(): void {
    this.#worker.disconnect();
  }

  #receive(message: ToWorker, connection: Socket | undefined): void {
    switch (message.kind) {
      case 'connection':
        // First, so that a connection which another worker also gets has not been read here.
        this.#send({ kind: 'took', acceptor: message.acceptor });
        if (connection !== undefined) this.#takers.get(message.acceptor)?.(connection);
        break;
      case 'bound': {
        const { take, bound } = this.#asked.shift()!;
        this.#takers.set(message.acceptor, take);
        bound.resolve(message.bound);
        break;
      }
      case 'unbound':
        this.#asked.shift()!.bound.reject(Object.assign(new Error(message.message), message.error));
        break;
      case 'drain':
        this.#drain.resolve();
        break;
      case 'stop':
        this.#stop.resolve({ drained: message.drained });
        break;
      case 'lead':
        this.#leading.resolve();
        break;
      case 'report':
        this.report().catch(ignoreUnsent);
        break;
      case 'news':
        for (const listen of this.#listeners) listen(message.news as PeerMessage);
    }
  }

  #send(message: FromWorker, sent: () => void = ignoreUnsent): void {
    process.send?.(message, undefined, undefined, sent);
  }
}

let own: WorkerProcess<unknown> | undefined;

/** Returns this process as a worker; `undefined` if it is not one. */
export function thisWorker<PeerMessage>(): WorkerProcess<PeerMessage> | undefined {
  if (cluster.worker !== undefined) own ??= new WorkerProcess(cluster.worker);
  return own as WorkerProcess<PeerMessage> | undefined;
}
