import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { startTcpProxy } from './tcp-proxy.ts';

/** What is undone after a test, or by a script that has no test. */
type Scope = Pick<TestContext, 'after'>;

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
  /** When it was sent; ms. */
  readonly at: number;
  readonly statements: readonly string[];
  /** What each statement was given. */
  readonly values: readonly Values[];
}

/** Values of `$1`, `$2` and so on, as text; bytes in PostgreSQL's hexadecimal form. */
export type Values = readonly (string | null)[];

/** A proxy before PostgreSQL that reads the protocol's Query and Parse messages (PostgreSQL, 53.7). It ends after the test. */
export async function listenToPostgres(test: Scope, target: number): Promise<WireStatements> {
  const statements = new Set<string>();
  const flights: Flight[] = [];
  let connections = 0;
  const port = await startTcpProxy(test, target, (client, upstream) => {
    const connection = connections++;
    const read = readStatements(
      (texts, values) =>
        flights.push({ connection, at: performance.now(), statements: texts, values }),
      (text) => statements.add(text),
    );
    client.on('data', (bytes: Buffer) => {
      read(bytes);
      upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => client.write(bytes));
  });
  return { port, statements, flights };
}

/** What the service asks on its own account. */
const OWN = RegExp(
  [
    'event_sequence|"events" where "seq" is null|from "webhooks"|from "outbox"',
    '"call_counts"|search_(?:changes|records|slices)|from "settings"',
  ].join('|'),
);

/** Flights without those of transactions, and queries, that the service makes on its own account. */
export function ofCalls(flights: readonly Flight[]): readonly Flight[] {
  const own = new Set<Flight>();
  for (const [index, flight] of flights.entries()) {
    const isOwn = (text: string) => OWN.test(text);
    // A query of a call may go with one of the service's own; in a transaction nothing else does.
    const { statements } = flight;
    if (
      !(statements.includes('begin') || statements.includes('commit')
        ? statements.some(isOwn)
        : statements.every(isOwn))
    )
      continue;
    own.add(flight);
    if (flight.statements[0] !== 'begin') continue;
    for (const later of flights.slice(index + 1)) {
      if (later.connection !== flight.connection) continue;
      own.add(later);
      if (later.statements.at(-1) === 'commit') break;
    }
  }
  return flights.filter((flight) => !own.has(flight));
}

/**
 * Takes what a client sends to PostgreSQL on one connection, in whatever pieces.
 * @param landed gets the text of a simple query, or those of all statements up to a Sync with their values.
 * @param said gets each text that the client sends.
 */
export function readStatements(
  landed: (texts: readonly string[], values: readonly Values[]) => void,
  said: (text: string) => void = () => {},
): (bytes: Buffer) => void {
  /** The statements that are kept prepared, by their names. */
  const prepared = new Map<string, string>();
  let texts: string[] = [];
  let values: Values[] = [];
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
        landed([text], [[]]);
      } else if (type === 'P') {
        const name = textAt(body, 0);
        const text = textAt(body, body.indexOf(0) + 1);
        said(text);
        prepared.set(name, text);
      } else if (type === 'B') {
        // After the name of the portal.
        const name = body.indexOf(0) + 1;
        texts.push(prepared.get(textAt(body, name)) ?? '');
        values.push(valuesAt(body, body.indexOf(0, name) + 1));
      } else if (type === 'S') {
        landed(texts, values);
        texts = [];
        values = [];
      }
    }
  };
}

/** The values in a Bind message, from where their formats are: 1 for bytes, and what has none is text. */
function valuesAt(body: Buffer, from: number): Values {
  const formats = body.readInt16BE(from);
  let at = from + 2 + 2 * formats;
  const count = body.readInt16BE(at);
  at += 2;
  return Array.from({ length: count }, (_, n) => {
    const length = body.readInt32BE(at);
    at += 4;
    if (length < 0) return null;
    const bytes = body.subarray(at, at + length);
    at += length;
    const format = formats === 0 ? 0 : body.readInt16BE(from + 2 + 2 * (formats === 1 ? 0 : n));
    return format === 1 ? `\\x${bytes.toString('hex')}` : bytes.toString();
  });
}

/** Every statement that this process prepares on SQLite until the test ends; those of other threads are not heard. */
export function listenToSqlite(test: Scope): ReadonlySet<string> {
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
