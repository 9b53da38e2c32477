import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

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
  test.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as { port: number }).port;
}
