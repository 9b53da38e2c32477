import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';

// `import` would read every export of the module, and the export `WebSocket` loads all of fetch: 16
// MB, 60 ms.
const http = process.getBuiltinModule('node:http');

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
