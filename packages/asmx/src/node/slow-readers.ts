import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { time } from '../time/index.ts';
import { connectionEventOf } from './connection-event.ts';

/** Limits for answers that clients do not read. Each is a positive integer. */
export interface ReaderLimits {
  /** For all connections together; bytes. Beyond it the slowest client is disconnected. */
  readonly totalUnreadBytes: number;
  /** How long a client may take to read {@link progressBytes} of its answers, or all that is left; ms. */
  readonly progressMs: number;
  /** What a client reads in {@link progressMs} at least; bytes. */
  readonly progressBytes: number;
  /** Requests of one connection that may wait for their turn in `node:http`; a client that sends more is disconnected. */
  readonly waitingRequests: number;
}

/** As slow as http.sys and Kestrel let a client be: 240 bytes a second, and a pause of up to a minute. */
export const DEFAULT_READER_LIMITS: ReaderLimits = {
  totalUnreadBytes: 16 * 1024 * 1024,
  progressMs: 60_000,
  progressBytes: 14_400,
  waitingRequests: 100,
};

/** How often connections are looked at; ms. */
const CHECK_EVERY_MS = 1_000;

/** A client that has not read all of its answers. */
interface Reader {
  /** What it had read when it last read enough, and how long ago that was; bytes, ms. */
  read: number;
  waitedMs: number;
  /** What is left in its socket and of the answer behind it; bytes. */
  unread: number;
}

/** The clients of one server or of several, and what they have not read. */
class SlowReaders {
  readonly #limits: ReaderLimits;
  readonly #sockets = new Set<Socket>();
  readonly #readers = new Map<Socket, Reader>();
  readonly #held = new Map<Socket, number>();
  /** Of all {@link #held}. */
  #heldBytes = 0;
  /** What all sockets had in them when they were looked at. */
  #socketBytes = 0;
  #checkedAt = time.steady();

  constructor(limits: ReaderLimits) {
    this.#limits = limits;
    setInterval(() => this.#check(), Math.min(CHECK_EVERY_MS, limits.progressMs)).unref();
  }

  /** @param server before it listens; each of its connections is looked after until it closes. */
  watch(server: Server): void {
    server.on(connectionEventOf(server), this.#onConnection);
  }

  readonly #onConnection = (socket: Socket): void => {
    this.#sockets.add(socket);
    watching.set(socket, this);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      this.#readers.delete(socket);
      this.hold(socket, 0);
    });
  };

  /** Notes how much of an answer is kept until the socket has place for it; bytes. */
  hold(socket: Socket, bytes: number): void {
    this.#heldBytes += bytes - (this.#held.get(socket) ?? 0);
    if (bytes > 0) this.#held.set(socket, bytes);
    else this.#held.delete(socket);
    if (bytes > 0 && this.#heldBytes + this.#socketBytes > this.#limits.totalUnreadBytes)
      this.#check();
  }

  #check(): void {
    const now = time.steady();
    // While this process stood still, no client could read.
    const passed = Math.min(now - this.#checkedAt, CHECK_EVERY_MS);
    this.#checkedAt = now;
    const { progressMs, progressBytes, totalUnreadBytes } = this.#limits;
    let all = 0;
    this.#socketBytes = 0;
    for (const socket of this.#sockets) {
      const unread = socket.writableLength + (this.#held.get(socket) ?? 0);
      const reader = this.#readers.get(socket);
      const read = socket.bytesWritten - socket.writableLength;
      if (unread === 0) this.#readers.delete(socket);
      else if (reader === undefined || read - reader.read >= progressBytes) {
        this.#readers.set(socket, { read, waitedMs: 0, unread });
      } else {
        reader.unread = unread;
        reader.waitedMs += passed;
        if (reader.waitedMs > progressMs) socket.destroy();
      }
      if (socket.destroyed) continue;
      all += unread;
      this.#socketBytes += socket.writableLength;
    }
    if (all > totalUnreadBytes) this.#disconnectSlowest(all - totalUnreadBytes);
  }

  /** Makes so many bytes free. The last one is left its answer, however large that is. */
  #disconnectSlowest(bytes: number): void {
    const slowestFirst = [...this.#readers]
      .filter(([socket]) => !socket.destroyed)
      .sort(([, a], [, b]) => b.waitedMs - a.waitedMs || b.unread - a.unread);
    slowestFirst.pop();
    let free = 0;
    for (const [socket, { unread }] of slowestFirst) {
      if (free >= bytes) return;
      free += unread;
      this.hold(socket, 0);
      socket.destroy();
    }
  }
}

const watching = new WeakMap<Socket, SlowReaders>();

/** Notes how much of an answer is kept until a socket has place for it, if anybody looks after it; bytes. */
export function holdUnread(socket: Socket, bytes: number): void {
  watching.get(socket)?.hold(socket, bytes);
}

/**
 * Disconnects clients that do not read their answers: every client slower than the limits, and the slowest ones if all
 * unread answers together exceed the limit. Clients that read are disconnected only if there are no others.
 *
 * @param server before it listens.
 */
export function disconnectSlowReaders(
  server: Server,
  limits: ReaderLimits = DEFAULT_READER_LIMITS,
): void {
  slowReaders(limits)(server);
}

/** As {@link disconnectSlowReaders}, for several servers with one account. @returns what to call with each. */
export function slowReaders(limits: ReaderLimits): (server: Server) => void {
  const readers = new SlowReaders(limits);
  return (server) => readers.watch(server);
}
