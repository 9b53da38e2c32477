import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A TCP proxy before a PostgreSQL server that cuts a connection when a commit goes through it. */
export interface CuttingProxy {
  readonly port: number;
  /**
   * Cuts the next connection that commits a transaction in which a text was sent.
   * @param forwarded whether the server gets the commit, and carries it out, before its client loses the connection.
   * @returns a promise of when it has happened.
   */
  cutCommitOf(text: string, forwarded: boolean): Promise<void>;
}

interface Order {
  readonly text: string;
  readonly forwarded: boolean;
  readonly done: () => void;
}

/** Statements as the protocol has them: their text or, once they are prepared, their name, which ends with it; and a zero. */
const BEGIN = Buffer.from('begin\0');
const COMMIT = Buffer.from('commit\0');

/** Starts the proxy on a free port; it ends after the test. */
export async function startCuttingProxy(test: TestContext, target: number): Promise<CuttingProxy> {
  let order: Order | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    let sent: Buffer = Buffer.alloc(0);
    let cutting: Order | undefined;
    client.on('data', (bytes: Buffer) => {
      const begins = bytes.lastIndexOf(BEGIN);
      sent = begins < 0 ? Buffer.concat([sent, bytes]) : bytes.subarray(begins);
      if (order !== undefined && bytes.includes(COMMIT) && sent.includes(order.text)) {
        cutting = order;
        order = undefined;
        if (!cutting.forwarded) return end(cutting);
      }
      upstream.write(bytes);
    });
    // What the server answers to the commit is read, so that it has surely been carried out, and not passed on.
    upstream.on('data', (bytes: Buffer) => (cutting === undefined ? client.write(bytes) : end(cutting)));
    const end = ({ done }: Order) => {
      client.destroy();
      upstream.destroy();
      done();
    };
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  test.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    port,
    cutCommitOf: (text, forwarded) =>
      new Promise((done) => {
        order = { text, forwarded, done };
      }),
  };
}
