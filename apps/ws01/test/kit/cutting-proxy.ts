import type { TestContext } from 'node:test';
import { startTcpProxy } from './tcp-proxy.ts';
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
  const port = await startTcpProxy(test, target, (client, upstream) => {
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
    let answered = '';
    upstream.on('data', (bytes: Buffer) => {
      if (cutting === undefined) client.write(bytes);
      else {
        // The answer to the commit is read, so that it has surely been carried out, and not passed on; what was sent
        // before it may be answered before.
        answered += bytes.toString('latin1');
        if (answered.includes('COMMIT\0')) end(cutting);
      }
    });
    const end = ({ done }: Order) => {
      client.destroy();
      upstream.destroy();
      done();
    };
  });
  return {
    port,
    cutCommitOf: (text, forwarded) =>
      new Promise((done) => {
        order = { text, forwarded, done };
      }),
  };
}
