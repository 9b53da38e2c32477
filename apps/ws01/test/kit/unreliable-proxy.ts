import type { Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { startTcpProxy } from './tcp-proxy.ts';

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
  const clients = new Set<Socket>();
  let accepted = 0;
  const port = await startTcpProxy(test, target, (client, upstream) => {
    clients.add(client);
    accepted++;
    client.on('close', () => clients.delete(client));
    client.on('data', (bytes: Buffer) => proxy.silent || upstream.write(bytes));
    upstream.on('data', (bytes: Buffer) => proxy.silent || client.write(bytes));
  });
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
