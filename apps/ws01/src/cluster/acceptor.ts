import { createServer, type Socket } from 'node:net';
import {
  acceptedAll,
  type BoundAddress,
  type ListenAddress,
  listen,
} from '../web/sockets/listen.ts';

/** A process that takes connections. */
export interface Taker {
  /** Passes a connection, which the process acknowledges with {@link Acceptor.took}. */
  give(connection: Socket): void;
}

/**
 * Accepts the connections of an address and gives them to processes in turn. Each process gets one
 * at a time, so that one which hangs keeps no other waiting. The acceptor keeps its copy of a
 * connection until the process acknowledges it: if it ends before, another process gets the
 * connection.
 */
export class Acceptor {
  // Nothing is read here.
  readonly #server = createServer({ pauseOnConnect: true });
  readonly #waiting: Socket[] = [];
  /** Those that may get connections. */
  readonly #takers = new Set<Taker>();
  /** Those of them that can get one now, in turn. */
  readonly #free = new Set<Taker>();
  readonly #onTheWay = new Map<Taker, Socket>();
  readonly #allGiven = Promise.withResolvers<void>();
  #closing = false;

  constructor() {
    this.#server.on('connection', (connection) => {
      // The process that takes it learns of its errors.
      connection.on('error', () => {});
      this.#waiting.push(connection);
      this.#giveNext();
    });
    // Of a connection that could not be accepted; the next ones may.
    this.#server.on('error', () => {});
  }

  /** @throws {Error} with `code` when the address cannot be bound. */
  open(address: ListenAddress): Promise<BoundAddress> {
    return listen(this.#server, address);
  }

  /** Gives connections to a process from now on. */
  add(taker: Taker): void {
    this.#takers.add(taker);
    this.#free.add(taker);
    this.#giveNext();
  }

  /** Stops giving connections to a process. */
  remove(taker: Taker): void {
    this.#takers.delete(taker);
    this.#free.delete(taker);
  }

  /** Notes that a process has the connection that was given to it last. */
  took(taker: Taker): void {
    this.#onTheWay.get(taker)?.destroy();
    this.#onTheWay.delete(taker);
    if (this.#takers.has(taker)) this.#free.add(taker);
    this.#giveNext();
  }

  /** Notes that a process has ended. */
  ended(taker: Taker): void {
    this.remove(taker);
    const connection = this.#onTheWay.get(taker);
    this.#onTheWay.delete(taker);
    if (connection !== undefined) this.#waiting.unshift(connection);
    this.#giveNext();
  }

  /** Stops accepting. Resolves when processes have taken all connections. */
  async close(): Promise<void> {
    await acceptedAll(this.#server);
    this.#server.close();
    this.#closing = true;
    this.#giveNext();
    await this.#allGiven.promise;
  }

  /** Cuts the connections that no process has taken. */
  destroy(): void {
    this.#server.close();
    for (const connection of [...this.#waiting, ...this.#onTheWay.values()]) connection.destroy();
    this.#waiting.length = 0;
  }

  #giveNext(): void {
    for (const taker of this.#free) {
      const connection = this.#waiting.shift();
      if (connection === undefined) break;
      this.#free.delete(taker);
      this.#onTheWay.set(taker, connection);
      taker.give(connection);
    }
    if (this.#closing && this.#waiting.length === 0 && this.#onTheWay.size === 0)
      this.#allGiven.resolve();
  }
}
