import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { readStatements } from './wire-statements.ts';

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
    /** The transaction so far: its bytes, and the texts of the prepared statements that they name. */
    let sent = '';
    let arrived = '';
    let cutting: Order | undefined;
    const read = readStatements((texts) => {
      for (const text of texts) {
        sent = text === 'begin' ? arrived : sent + text;
        if (text !== 'commit' || order === undefined || !sent.includes(order.text)) continue;
        cutting = order;
        order = undefined;
      }
    });
    client.on('data', (bytes: Buffer) => {
      arrived = bytes.toString();
      sent += arrived;
      read(bytes);
      if (cutting?.forwarded === false) end(cutting);
      else upstream.write(bytes);
    });
    // What the server answers to the commit is read, so that it has surely been carried out, and not passed on.
    upstream.on('data', (bytes: Buffer) =>
      cutting === undefined ? client.write(bytes) : end(cutting),
    );
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
