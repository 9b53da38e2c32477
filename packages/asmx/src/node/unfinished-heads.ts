import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Endpoint } from '../engine/endpoint-options.ts';
import type { Arrival } from '../exchange/intake/arrivals.ts';
import { connectionEventOf } from './connection-event.ts';

// An `import` of it would load all of its exports at the start.
const { maxHeaderSize } = process.getBuiltinModule('node:http');

/** How often connections are looked at; ms. In that time a line of 1 Gbit/s brings 30 MB. */
const CHECK_EVERY_MS = 250;

/** What is not counted: most heads are whole when they come; bytes. */
const LEAST_BYTES = 4 * 1024;

/** So much more than expected a head may take, by blanks around values and empty lines; bytes. */
const MOST_BLANKS = 1024;

/** What a head takes as clients write it, which the parser does not tell: `Name: value`. */
function headBytes({ method, url, rawHeaders }: IncomingMessage): number {
  let bytes = `${method} ${url} HTTP/1.1\r\n\r\n`.length;
  // Behind a name stands `: `, behind a value the end of the line.
  for (const text of rawHeaders) bytes += text.length + 2;
  return bytes;
}

/** A connection whose requests `node:http` reads. */
interface Connection {
  readonly socket: Socket;
  /**
   * Where the head that is coming begins in what it reads, which may not have come so far; bytes.
   */
  from: number;
  /** Whether a body of unknown length is arriving, which is counted where it is read. */
  inBody: boolean;
  arrival: Arrival | undefined;
  held: number;
}

/**
 * Limits the memory of unfinished request heads, which `node:http` keeps up to its `maxHeaderSize`
 * each. They count together with the bodies; if the limit is reached, the oldest is refused.
 *
 * @param server before it listens, and before the fast path is attached to it.
 */
export function boundHeads(server: Server, endpoint: Pick<Endpoint, 'arriving'>): void {
  const heads = new UnfinishedHeads(server, endpoint);
  ofServer.set(server, heads);
  server.on(connectionEventOf(server), (socket: Socket) => {
    if (!readFirst.has(server)) heads.watch(socket, 0);
  });
}

/**
 * Says that connections are read by somebody else first, who gives them to `node:http` with
 * {@link watchHeads}.
 */
export function readHeadsFirst(server: Server): void {
  readFirst.add(server);
}

/**
 * `node:http` has a connection from now on.
 * @param unread what was put back for it to read; bytes.
 */
export function watchHeads(server: Server, socket: Socket, unread: number): void {
  ofServer.get(server)?.watch(socket, unread);
}

const ofServer = new WeakMap<Server, UnfinishedHeads>();
const readFirst = new WeakSet<Server>();

/** Counts what has come of heads. */
class UnfinishedHeads {
  readonly #endpoint: Pick<Endpoint, 'arriving'>;
  readonly #server: Server;
  /** What `node:http` keeps of a head; what comes after it was refused is dropped. Bytes. */
  readonly #mostOfHead: number;
  readonly #connections = new Map<Socket, Connection>();

  constructor(server: Server, endpoint: Pick<Endpoint, 'arriving'>) {
    this.#server = server;
    this.#endpoint = endpoint;
    this.#mostOfHead = (server as { maxHeaderSize?: number }).maxHeaderSize ?? maxHeaderSize;
    const onRequest = (req: IncomingMessage) => this.#onRequest(req);
    for (const event of ['request', 'checkContinue', 'checkExpectation'])
      server.on(event, onRequest);
    const checking = setInterval(() => this.#check(), CHECK_EVERY_MS).unref();
    server.on('close', () => clearInterval(checking));
  }

  /**
   * `node:http` has the connection from now on, until it closes.
   * @param unread what was put back for it to read; bytes.
   */
  watch(socket: Socket, unread: number): void {
    const connection = {
      socket,
      from: socket.bytesRead - unread,
      inBody: false,
      arrival: undefined,
      held: 0,
    };
    this.#connections.set(socket, connection);
    socket.on('close', () => {
      this.#forget(connection);
      this.#connections.delete(socket);
    });
  }

  #onRequest(req: IncomingMessage): void {
    // When the request is closed, it may have none any more.
    const { socket } = req;
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    this.#forget(connection);
    const { 'content-length': length, 'transfer-encoding': coding } = req.headers;
    // More may have come with it: the next head, or all of several requests.
    const end = Math.min(socket.bytesRead, connection.from + headBytes(req));
    connection.from = coding === undefined ? end + Number(length ?? 0) : end;
    this.#settle(connection);
    if (coding === undefined && (length === undefined || length === '0')) return;
    connection.inBody = coding !== undefined;
    req.once('close', () => {
      if (coding !== undefined) connection.from = socket.bytesRead;
      connection.inBody = false;
      this.#settle(connection);
    });
  }

  /**
   * What is left of a head that was written otherwise than {@link headBytes} takes it is not the
   * next one's.
   */
  #settle(connection: Connection): void {
    const { bytesRead } = connection.socket;
    const left = bytesRead - connection.from;
    if (left > 0 && left < MOST_BLANKS) connection.from = bytesRead;
  }

  #check(): void {
    for (const connection of this.#connections.values()) {
      if (connection.inBody) continue;
      const bytes = Math.min(connection.socket.bytesRead - connection.from, this.#mostOfHead);
      if (bytes > LEAST_BYTES && bytes > connection.held) this.#hold(connection, bytes);
    }
  }

  #hold(connection: Connection, bytes: number): void {
    connection.arrival ??= this.#endpoint.arriving(() => this.#refuse(connection));
    try {
      connection.arrival.hold(bytes - connection.held);
      connection.held = bytes;
    } catch {
      this.#refuse(connection);
    }
  }

  #refuse(connection: Connection): void {
    const { socket } = connection;
    if (socket.destroyed) return;
    const error = Object.assign(new Error('The head of the request does not end.'), {
      code: 'ERR_HTTP_REQUEST_TIMEOUT',
    });
    this.#server.emit('clientError', error, socket);
    // Whatever is said to it, what it has sent is not kept.
    socket.destroySoon();
  }

  #forget(connection: Connection): void {
    connection.arrival?.end();
    connection.arrival = undefined;
    connection.held = 0;
  }
}
