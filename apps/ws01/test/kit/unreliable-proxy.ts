import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A TCP proxy that can fall silent: it accepts, takes what it is sent, and neither passes anything on nor answers. */
export interface UnreliableProxy {
  readonly port: number;
  silent: boolean;
  /** Connections that are open to it. */
  readonly connections: number;
  /** Connections that were ever made to it. */
  readonly accepted: number;
}

/** Starts it on a free port; it ends after the test. */
export async function startUnreliableProxy(
  test: TestContext,
  target: number,
): Promise<UnreliableProxy> {
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let accepted = 0;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    clients.add(client);
    accepted++;
    client.on('close', () => clients.delete(client));
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {}).on('close', () => sockets.delete(from));
      from.on('data', (bytes: Buffer) => proxy.silent || to.write(bytes));
      from.on('close', () => to.destroy());
    }
  });
  test.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const proxy = {
    port,
    silent: false,
    get connections() {
      return clients.size;
    },
    get accepted() {
      return accepted;
    },
  };
  return proxy;
}
