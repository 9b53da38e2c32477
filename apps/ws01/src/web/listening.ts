import { chmod } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import type { ListenOptions } from 'node:net';

// `import` would read every export of the module, and the export `WebSocket` loads all of fetch: 16 MB, 60 ms.
const http = process.getBuiltinModule('node:http');

/**
 * Connections that wait to be accepted; the system has a limit, too (Linux: `net.core.somaxconn`). Node's default is
 * 511.
 */
const BACKLOG = 4096;

/** A Unix socket with its access mode; or an open file descriptor. */
export type LocalSocket = { readonly path: string; readonly mode: number } | { readonly fd: number };

/** A certificate with its chain, and its key; PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export const OLDEST_TLS = 'TLSv1.2';
/** Timeout of the TLS handshake; ms. */
const HANDSHAKE_MS = 10_000;

/** Creates a server that does not listen yet. @param tls of an HTTPS server. */
export function createServer(
  tls: Certificate | undefined,
  options: ServerOptions,
  serve: (req: IncomingMessage, res: ServerResponse) => void,
): Server {
  if (tls === undefined) return http.createServer(options, serve);
  const https = process.getBuiltinModule('node:https');
  const secure = { ...tls, minVersion: OLDEST_TLS, handshakeTimeout: HANDSHAKE_MS } as const;
  return https.createServer({ ...options, ...secure }, serve);
}

/**
 * Listens on an address.
 * @returns the port, which differs from a requested 0.
 * @throws {Error} with `code` when it cannot be bound.
 */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await bind(server, { host, port });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/**
 * Listens on a Unix socket, or on a socket that the parent process opened.
 * @returns whether its clients are on this machine.
 * @throws {Error} with `code`.
 */
export async function listenOnSocket(server: Server, where: LocalSocket): Promise<boolean> {
  if ('path' in where) {
    await bind(server, { path: where.path });
    await chmod(where.path, where.mode);
  } else await bind(server, where);
  // For a Unix socket Node knows the requested path; for a passed socket, nothing.
  const address = server.address();
  return typeof address === 'string' || address === null;
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

/** A turn of the event loop that takes less had nothing to do; ms. */
const IDLE_TURN_MS = 0.1;

/** Timeout of the wait for such a turn, after which the server stops accepting anyway; ms. */
const IDLE_WAIT_MS = 500;

/**
 * Stops accepting connections. The system resets those that it has established and the process has not accepted, and a
 * proxy cannot repeat the call that it has sent on one. So this happens at the end of an idle turn of the event loop, when all
 * have been accepted.
 * @param onClosed called when all connections have ended.
 */
export async function stopAccepting(server: Server, onClosed: () => void): Promise<void> {
  const end = performance.now() + IDLE_WAIT_MS;
  for (let began = 0, now = performance.now(); now < end; now = performance.now()) {
    if (now - began < IDLE_TURN_MS) break;
    began = now;
    await new Promise(setImmediate);
  }
  server.close(onClosed);
}
