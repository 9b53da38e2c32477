import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/**
 * Lets a server listen on a free port of the loopback until the test ends; open connections end with it.
 * @returns the port.
 */
export async function listen(
  test: { after(close: () => unknown): void },
  server: Server & { closeAllConnections?(): void },
): Promise<number> {
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

/** A port of the loopback that nobody listens on now, for programs that cannot be told to take one. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  await once(server.close(), 'close');
  return port;
}
