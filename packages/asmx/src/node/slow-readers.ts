import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { time } from '../time/index.ts';
import { connectionEventOf } from './connection-event.ts';
import { acknowledged } from './kernel-queue.ts';

/** Limits for answers that clients do not read. Each is a positive integer. */
export interface ReaderLimits {
  /** For all connections together; bytes. Beyond it the slowest client is disconnected. */
  readonly totalUnreadBytes: number;
  /**
   * How long a client that took nothing for five seconds may take for {@link progressBytes}, or for
   * all that is left; ms.
   */
  readonly progressMs: number;
  /** What a client reads in {@link progressMs} at least; bytes. */
  readonly progressBytes: number;
  /**
   * Requests of one connection that may wait for their turn in `node:http`; a client that sends
   * more is disconnected.
   */
  readonly waitingRequests: number;
}

/**
 * As slow as http.sys lets a client be, 240 bytes a second, and a pause as IIS has it. A client's
 * kernel reports what its program has read about every 100 kB, once its own buffer was full: a
 * client that reads 2 kB a second is heard of once a minute.
 */
export const DEFAULT_READER_LIMITS: ReaderLimits = {
  totalUnreadBytes: 16 * 1024 * 1024,
  progressMs: 120_000,
  progressBytes: 28_800,
  waitingRequests: 100,
};

/** How often connections are looked at; ms. */
const CHECK_EVERY_MS = 1_000;

/**
 * Whose answer gives way to a new one: who took nothing in two looks, between which this process
 * did write; ms.
 */
const STUCK_MS = 2 * CHECK_EVERY_MS;

/**
 * How often the kernel is asked what it holds for clients that took nothing for as long; ms. It
 * lists every connection.
 */
const ASK_EVERY_MS = 5_000;

/** A client that has not read all of its answers. */
interface Reader {
  /** What it had been given when it last took enough, and how long ago that was; bytes, ms. */
  given: number;
  waitedMs: number;
  /** What it had taken when the kernel was asked; bytes. */
  taken: number | undefined;
  /** When it is asked next, in terms of {@link waitedMs}. */
  askMs: number;
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
  #askedAt = 0;

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

  /** Whether an answer of so many bytes is the one that goes when all together are too much. */
  hasPlace(bytes: number): boolean {
    const most = this.#limits.totalUnreadBytes;
    if (this.#heldBytes + this.#socketBytes + bytes <= most) return true;
    this.#check();
    let [all, goesBefore] = [0, 0];
    for (const [socket, { waitedMs, unread }] of this.#readers) {
      if (socket.destroyed) continue;
      all += unread;
      const isLarger = (this.#held.get(socket) ?? 0) > bytes;
      if (waitedMs >= STUCK_MS || isLarger) goesBefore += unread;
    }
    return all === 0 || all + bytes - goesBefore <= most;
  }

  #check(): void {
    const now = time.steady();
    // While this process stood still, no client could read.
    const passed = Math.min(now - this.#checkedAt, CHECK_EVERY_MS);
    this.#checkedAt = now;
    const { progressBytes, totalUnreadBytes } = this.#limits;
    const due: Socket[] = [];
    for (const socket of this.#sockets) {
      const unread = socket.writableLength + (this.#held.get(socket) ?? 0);
      const reader = this.#readers.get(socket);
      const given = givenTo(socket);
      if (unread === 0) this.#readers.delete(socket);
      else if (reader === undefined || given - reader.given >= progressBytes) {
        const fresh = { given, waitedMs: 0, taken: undefined, askMs: ASK_EVERY_MS, unread };
        this.#readers.set(socket, fresh);
      } else {
        reader.unread = unread;
        reader.waitedMs += passed;
        if (reader.waitedMs > reader.askMs) due.push(socket);
      }
    }
    if (due.length > 0 && now - this.#askedAt >= ASK_EVERY_MS) {
      this.#askedAt = now;
      this.#lookAt(due);
    }
    let all = 0;
    this.#socketBytes = 0;
    for (const [socket, { unread }] of this.#readers) {
      if (socket.destroyed) continue;
      all += unread;
      this.#socketBytes += socket.writableLength;
    }
    if (all > totalUnreadBytes) this.#disconnectSlowest(all - totalUnreadBytes);
  }

  /**
   * Disconnects those of the clients that have taken too little of what the kernel has for them.
   */
  #lookAt(due: readonly Socket[]): void {
    const { progressMs, progressBytes } = this.#limits;
    const all = acknowledged(due);
    for (const socket of due) {
      const reader = this.#readers.get(socket)!;
      const taken = all.get(socket)!;
      const before = reader.taken;
      reader.taken = taken;
      if (before !== undefined && taken - before < progressBytes) socket.destroy();
      else if (before !== undefined) reader.waitedMs = 0;
      reader.askMs = reader.waitedMs + progressMs;
    }
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

/** What the kernel has of it; bytes. */
const givenTo = (socket: Socket): number => socket.bytesWritten - socket.writableLength;

const watching = new WeakMap<Socket, SlowReaders>();

/**
 * Notes how much of an answer is kept until a socket has place for it, if anybody looks after it;
 * bytes.
 */
export function holdUnread(socket: Socket, bytes: number): void {
  watching.get(socket)?.hold(socket, bytes);
}

/**
 * Whether an answer of so many bytes may begin. It may not if it is the largest and clients that
 * read would be disconnected for it: the client gets {@link CROWDED} instead of being cut off in
 * the middle.
 */
export function hasPlace(socket: Socket, bytes: number): boolean {
  return watching.get(socket)?.hasPlace(bytes) ?? true;
}

/** Instead of an answer that has no place. */
export const CROWDED = {
  status: 503,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Retry-After': '1' },
  body: 'Busy: too many long answers are being read. Ask again.\n',
} as const;

/**
 * Disconnects clients that do not read their answers: every client slower than the limits, and the
 * slowest ones if all unread answers together exceed the limit. Clients that read are disconnected
 * only if there are no others.
 *
 * @param server before it listens.
 */
export function disconnectSlowReaders(
  server: Server,
  limits: ReaderLimits = DEFAULT_READER_LIMITS,
): void {
  slowReaders(limits)(server);
}

/**
 * As {@link disconnectSlowReaders}, for several servers with one account.
 * @returns what to call with each.
 */
export function slowReaders(limits: ReaderLimits): (server: Server) => void {
  const readers = new SlowReaders(limits);
  return (server) => readers.watch(server);
}
