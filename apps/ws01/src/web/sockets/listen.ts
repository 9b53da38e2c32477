import { chmod } from 'node:fs/promises';
import type { Server as HttpServer } from 'node:http';
import type { ListenOptions, Server, Socket } from 'node:net';
import { time } from '@ws01/asmx/time';

/**
 * Connections that wait to be accepted; the system has a limit, too (Linux: `net.core.somaxconn`).
 * Node's default is 511.
 */
const BACKLOG = 4096;

/**
 * Where to listen: an address of the machine; a Unix socket with its access mode; or an open file
 * descriptor.
 */
export type ListenAddress =
  | { readonly host: string; readonly port: number }
  | { readonly path: string; readonly mode: number }
  | { readonly fd: number };

/** Where a server listens. */
export interface BoundAddress {
  /** Differs from a requested 0; `undefined` for a Unix socket, and for a descriptor of one. */
  readonly port: number | undefined;
  /** Whether its clients are on this machine: those of a Unix socket. */
  readonly isLocal: boolean;
}

/**
 * Has another process accept the connections of an address for this one.
 * @param take is called with each connection, from which nothing has been read.
 * @throws {Error} with `code` when the address cannot be bound.
 */
export type Accept = (
  address: ListenAddress,
  take: (connection: Socket) => void,
) => Promise<BoundAddress>;

/**
 * Listens on an address.
 * @throws {Error} with `code` when it cannot be bound.
 */
export async function listen(server: Server, address: ListenAddress): Promise<BoundAddress> {
  await bind(server, 'path' in address ? { path: address.path } : address);
  if ('path' in address) await chmod(address.path, address.mode);
  // For a Unix socket Node knows the requested path; for a passed one, nothing.
  const bound = server.address();
  return bound === null || typeof bound === 'string'
    ? { port: undefined, isLocal: true }
    : { port: bound.port, isLocal: false };
}

function bind(server: Server, where: ListenOptions | { readonly fd: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...where, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Serves the connections of an address.
 * @param accept accepts them, if another process does: they are served as if the server had
 *   accepted them.
 * @throws {Error} with `code` when the address cannot be bound.
 */
export function serveAt(
  server: HttpServer,
  address: ListenAddress,
  accept: Accept | undefined,
): Promise<BoundAddress> {
  if (accept === undefined) return listen(server, address);
  // node:http counts and checks its connections from this event on.
  server.emit('listening');
  return accept(address, (connection) => {
    // As Node creates the connections that a server of node:http accepts itself.
    connection.allowHalfOpen = true;
    connection.setNoDelay(true);
    server.emit('connection', connection);
  });
}

/** Timeout of the wait for a turn without a new connection; ms. */
const QUIET_WAIT_MS = 2_000;

/**
 * Resolves after a turn of the event loop in which no connection came, and so none waited: Node
 * accepts one per turn. Then stop accepting in the same turn. The system resets those that it has
 * established and the process has not accepted, and a proxy cannot repeat the call that it has sent
 * on one.
 */
export async function acceptedAll(server: Server): Promise<void> {
  let came = true;
  const note = () => {
    came = true;
  };
  server.on('connection', note);
  for (const end = time.steady() + QUIET_WAIT_MS; came && time.steady() < end; ) {
    came = false;
    // Between two of them the event loop looks at its sockets once.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
  }
  server.off('connection', note);
}
