import cluster, { type Worker } from 'node:cluster';
import { BEAT_MS, type FromWorker, ignoreUnsent, type Listening, type ToWorker } from './messages.ts';
import type { Peers } from './peers.ts';

/** The worker's side of the channel to the primary process. */
export class WorkerProcess<PeerMessage> implements Peers<PeerMessage> {
  readonly #worker: Worker;
  readonly #leading = Promise.withResolvers<void>();
  readonly #stop = Promise.withResolvers<{ readonly replaced: boolean }>();
  #report: () => Promise<unknown> = async () => undefined;
  #listeners: ((news: PeerMessage) => void)[] = [];

  constructor(worker: Worker) {
    this.#worker = worker;
    // A primary process that has died is heard of as well: node:cluster then ends this process.
    process.on('message', (message: ToWorker) => this.#receive(message));
  }

  /** Tells the workers of one primary process apart, also one from its replacement. From 1. */
  get id(): number {
    return this.#worker.id;
  }

  /** Resolves when the primary process wants this one to end; `replaced`: another one serves in its place already. */
  get stopRequested(): Promise<{ readonly replaced: boolean }> {
    return this.#stop.promise;
  }

  onLead(begin: () => void): void {
    this.#leading.promise.then(begin);
  }

  tell(news: PeerMessage): void {
    this.#send({ kind: 'news', news });
  }

  hear(listen: (news: PeerMessage) => void): void {
    this.#listeners.push(listen);
  }

  /** Says that it serves, and from then on that it goes on. */
  listening(listening: Listening): void {
    this.#send({ kind: 'listening', ...listening });
    setInterval(() => this.#send({ kind: 'beat' }), BEAT_MS).unref();
  }

  /** Calls back when the primary process asks what has been measured. */
  onReport(make: () => Promise<unknown>): void {
    this.#report = make;
  }

  /** Says what has been measured, without being asked: before its end. Resolves when it has been said. */
  async report(): Promise<void> {
    const report = await this.#report();
    return new Promise((resolve) => this.#send({ kind: 'report', report }, resolve));
  }

  /** Says why it cannot serve. Resolves when it has been said. */
  failed(reason: string): Promise<void> {
    return new Promise((resolve) => this.#send({ kind: 'failed', reason }, resolve));
  }

  /** Lets go of the primary process, so that this one ends when it has nothing more to do. */
  leave(): void {
    this.#worker.disconnect();
  }

  #receive(message: ToWorker): void {
    switch (message.kind) {
      case 'stop':
        this.#stop.resolve({ replaced: message.replaced === true });
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

/** This process as a worker; `undefined` when it is none. */
export function thisWorker<PeerMessage>(): WorkerProcess<PeerMessage> | undefined {
  if (cluster.worker !== undefined) own ??= new WorkerProcess(cluster.worker);
  return own as WorkerProcess<PeerMessage> | undefined;
}
