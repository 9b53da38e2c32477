import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { PATIENCE_MS } from './until.ts';

/**
 * Lets a server listen on a free port of the loopback until the test ends; open connections end with it. None is closed
 * because its client is slow to send the next request: on a busy machine that request met the end of its connection.
 * @returns the port.
 */
export async function listen(
  test: { after(close: () => unknown): void },
  server: Server & { closeAllConnections?(): void },
): Promise<number> {
  if (server instanceof HttpServer) server.keepAliveTimeout = PATIENCE_MS;
  test.after(() => {
    server.close();
    server.closeAllConnections?.();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

/** As {@link listen}. @returns the origin of the server. */
export async function originOf(...args: Parameters<typeof listen>): Promise<string> {
  return `http://127.0.0.1:${await listen(...args)}`;
}

/**
 * A port of the loopback that nobody listens on now, for programs that cannot be told to take one. It is below those that
 * the system gives to connections, so that nobody else gets it before that program does, or between two of its starts.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000);
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return freePort();
  }
  await once(server.close(), 'close');
  return port;
}
