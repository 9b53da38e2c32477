import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { TestContext } from 'node:test';
import {
  type Answered,
  createEndpoint,
  defineLimits,
  type Limits,
  nodeListener,
  operation,
  service,
  string,
} from '@ws01/asmx';
import { fastPath } from '@ws01/asmx/fast';
import { attachFastPath, type FastConnections } from '@ws01/fast-http';
import { RawConnection } from '../../../asmx/test/kit/http.ts';
import { listen } from '../../../asmx/test/kit/listen.ts';

const says = operation({ input: { text: string }, result: string });
/** Fill says it until no socket can hold more, Wait when it is let go. */
const SERVICE = service('Echo', {
  namespace: 'urn:echo',
  operations: { Say: says, Fill: says, Wait: says },
});

interface Fixture {
  readonly server: Server;
  readonly connections: FastConnections;
  /** Requests that `node:http` was given. */
  readonly general: { requests: number };
  /** Lets go of those that wait. */
  readonly waiting: (() => void)[];
  /** Targets of the requests that the endpoint was given on the fast path. */
  readonly begun: string[];
  /** What the log is told. */
  readonly answered: Answered[];
  open(): Promise<RawConnection>;
}

export async function start(
  test: TestContext,
  options: Parameters<typeof createServer>[0] = {},
  limits: Partial<Limits> = {},
): Promise<Fixture> {
  const waiting: (() => void)[] = [];
  const answered: Answered[] = [];
  const endpoint = createEndpoint(SERVICE, {
    handlers: {
      Say: ({ text }) => text ?? '',
      Fill: ({ text }) => (text ?? '').repeat(8 * 1024 * 1024),
      Wait: ({ text }) => new Promise((resolve) => waiting.push(() => resolve(text ?? ''))),
    },
    path: '/Echo.asmx',
    baseUrl: () => 'http://localhost',
    onAnswered: (told) => void answered.push(told),
    fastPath,
    limits: defineLimits(limits),
  });
  const serve = nodeListener(endpoint);
  const general = { requests: 0 };
  const server = createServer(options, (req, res) => {
    general.requests++;
    if (!serve(req, res)) res.writeHead(404, { 'Content-Length': 0 }).end();
  });
  const begun: string[] = [];
  const request: typeof endpoint.request = (received) => {
    begun.push(received.target);
    return endpoint.request(received);
  };
  const connections = attachFastPath(server, { ...endpoint, request }, ({ target }) => {
    if (!target.startsWith('/page')) return undefined;
    const page = {
      status: 200,
      headers: {},
      rawHeaders: ['X-Page', target],
      body: Buffer.from(target),
    };
    return new Promise((resolve) =>
      waiting.push(() => resolve(target === '/page?rare' ? undefined : page)),
    );
  });
  const port = await listen(test, server);
  test.after(() => connections.destroy());
  return {
    server,
    connections,
    general,
    waiting,
    begun,
    answered,
    open: () => RawConnection.open(test, port),
  };
}

/** The same, and a connection to it. */
export async function connected(...given: Parameters<typeof start>) {
  const fixture = await start(...given);
  return { ...fixture, connection: await fixture.open() };
}

/** Sees the texts answered next, in this order. */
export async function answersSay(connection: RawConnection, texts: readonly string[]) {
  for (const text of texts) assert.match((await connection.answer()).body, said(text));
}

export const get = (operation: string, text: string, ...headers: string[]): string =>
  [`GET /Echo.asmx/${operation}?text=${text} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');

/** A call whose client sends the body when it is asked to. */
export function expecting(
  text: string,
  type = 'application/x-www-form-urlencoded',
): { head: string; body: string } {
  const body = `text=${text}`;
  const headers = [
    'Host: x',
    'Expect: 100-continue',
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
  ];
  return { head: ['POST /Echo.asmx/Say HTTP/1.1', ...headers, '', ''].join('\r\n'), body };
}

export const said = (text: string): RegExp => new RegExp(`>${text}</string>`);
