import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../../../../packages/asmx/test/kit/listen.ts';

/**
 * Starts a TCP proxy on a free port of the loopback; it ends after the test. When one side of a
 * connection closes, so does the other.
 * @param pass what to do with the bytes of a new connection, whose two sides are given.
 */
export async function startTcpProxy(
  test: { after(close: () => unknown): void },
  target: number,
  pass: (client: Socket, upstream: Socket) => void,
): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from
        .on('error', () => {})
        .on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
    }
    pass(client, upstream);
  });
  const port = await listen(test, server);
  test.after(() => {
    for (const socket of sockets) socket.destroy();
  });
  return port;
}
