import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';

/** What a service asks its database, as it goes over the wire or into SQLite: each text of SQL once, in order. */
export interface WireStatements {
  readonly port: number;
  readonly statements: ReadonlySet<string>;
  /** What the client waited for an answer to, in order: simple queries, and what was run until a Sync. */
  readonly flights: readonly Flight[];
}

/** What went to the server in one round trip. */
export interface Flight {
  readonly connection: number;
  readonly statements: readonly string[];
}

/** A proxy before PostgreSQL that reads the protocol's Query and Parse messages (PostgreSQL, 53.7). It ends after the test. */
export async function listenToPostgres(test: TestContext, target: number): Promise<WireStatements> {
  const statements = new Set<string>();
  const sockets = new Set<Socket>();
  const flights: Flight[] = [];
  let connections = 0;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    const connection = connections++;
    const read = readStatements(
      (texts) => flights.push({ connection, statements: texts }),
      (text) => statements.add(text),
    );
    client.on('data', (bytes: Buffer) => {
      read(bytes);
      upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => client.write(bytes));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
  });
  test.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as { port: number }).port, statements, flights };
}

/**
 * Takes what a client sends to PostgreSQL on one connection, in whatever pieces.
 * @param landed gets the text of a simple query, or those of all statements up to a Sync.
 * @param said gets each text that the client sends.
 */
export function readStatements(
  landed: (texts: readonly string[]) => void,
  said: (text: string) => void = () => {},
): (bytes: Buffer) => void {
  /** The statements that are kept prepared, by their names. */
  const prepared = new Map<string, string>();
  let texts: string[] = [];
  const textAt = (body: Buffer, from: number) => body.toString('utf8', from, body.indexOf(0, from));
  let rest: Buffer = Buffer.alloc(0);
  let started = false;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      // The first message has no type.
      const typed = started ? 1 : 0;
      if (rest.length < typed + 4) return;
      const end = typed + rest.readInt32BE(typed);
      if (rest.length < end) return;
      const type = started ? String.fromCharCode(rest[0]!) : '';
      const body = rest.subarray(typed + 4, end);
      rest = rest.subarray(end);
      started = true;
      if (type === 'Q') {
        const text = textAt(body, 0);
        said(text);
        landed([text]);
      } else if (type === 'P') {
        const name = textAt(body, 0);
        const text = textAt(body, body.indexOf(0) + 1);
        said(text);
        prepared.set(name, text);
      } else if (type === 'B') {
        // After the name of the portal.
        texts.push(prepared.get(textAt(body, body.indexOf(0) + 1)) ?? '');
      } else if (type === 'S') {
        landed(texts);
        texts = [];
      }
    }
  };
}

/** Every statement that this process prepares on SQLite until the test ends; those of other threads are not heard. */
export function listenToSqlite(test: TestContext): ReadonlySet<string> {
  const statements = new Set<string>();
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...args) {
    statements.add(args[0]);
    return prepare.apply(this, args);
  };
  test.after(() => {
    DatabaseSync.prototype.prepare = prepare;
  });
  return statements;
}
