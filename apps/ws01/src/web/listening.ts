import { chmod, rm, stat } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { connect, type ListenOptions } from 'node:net';

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
    await removeStale(where.path);
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

/**
 * Removes a stale Unix socket.
 * @throws {Error} `EADDRINUSE` when a process listens on it.
 */
async function removeStale(path: string): Promise<void> {
  const isSocket = await stat(path).then(
    (found) => found.isSocket(),
    () => false,
  );
  if (!isSocket) return;
  const answers = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => resolve(true)).on('error', () => resolve(false));
    probe.on('connect', () => probe.destroy());
  });
  // If a process listens, listening fails with the error.
  if (!answers) await rm(path, { force: true });
}
