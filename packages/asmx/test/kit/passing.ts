import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { attachFastPath } from '@ws01/fast-http';
import {
  createEndpoint,
  defineLimits,
  type Limits,
  nodeListener,
  operation,
  service,
  string,
} from '../../src/index.ts';
import { UPSTREAM_ANSWER_BYTES, Upstream } from '../../src/node/upstream/ask.ts';
import { Networks } from '../../src/node/upstream/networks.ts';
import { type Passed, passThrough } from '../../src/node/upstream/pass-through.ts';
import { listen } from './listen.ts';

const contract = service('New', {
  namespace: 'urn:new',
  operations: {
    Ask: operation({ input: { p: string }, result: string }),
    Later: operation({ result: string }),
  },
});

/** A request that an old server received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** An old server that keeps what it received. */
export async function oldServer(
  t: TestContext,
  answer: (res: ServerResponse, received: Received) => void,
) {
  const received: Received[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req as AsyncIterable<Buffer>) chunks.push(chunk);
    received.push({
      method: req.method!,
      url: req.url!,
      headers: req.headers,
      body: Buffer.concat(chunks),
    });
    answer(res, received.at(-1)!);
  });
  const port = await listen(t, server);
  return { received, server, port };
}

interface Options {
  readonly networks?: readonly string[];
  readonly host?: string;
  readonly answers?: readonly string[];
  readonly requestBytes?: number;
  readonly answerBytes?: number;
  readonly timeoutMs?: number;
  readonly totalBytes?: number;
  readonly calls?: number;
  readonly headers?: readonly string[];
  readonly limits?: Partial<Limits>;
  readonly trusted?: string;
}

/** The new server before the old one: it answers Ask itself. */
export async function newServer(t: TestContext, port: number, options: Options = {}) {
  const passed: Passed[] = [];
  const upstream = new Upstream({
    url: new URL(`http://${options.host ?? '127.0.0.1'}:${port}`),
    networks: new Networks(options.networks ?? ['127.0.0.0/8', '::1']),
    timeoutMs: options.timeoutMs ?? 10_000,
    answerBytes: options.answerBytes ?? UPSTREAM_ANSWER_BYTES,
  });
  t.after(() => upstream.close());
  const own = createEndpoint(contract, {
    handlers: { Ask: ({ p }) => `new ${p}`, Later: () => 'never' },
    path: '/New.asmx',
    baseUrl: () => 'http://localhost',
    limits: defineLimits(options.limits),
  });
  const endpoint = passThrough(own, {
    upstream,
    upstreamPath: '/old/Old.asmx',
    paths: ['/New.asmx'],
    answers: (operation) => (options.answers ?? ['Ask']).includes(operation),
    requestBytes: options.requestBytes ?? 1_000_000,
    ...(options.totalBytes === undefined ? {} : { totalBytes: options.totalBytes }),
    ...(options.calls === undefined ? {} : { calls: options.calls }),
    headers: options.headers ?? [],
    clientAddress: (peer, forwardedFor) => (peer === options.trusted && forwardedFor) || peer,
    onPassed: (call) => passed.push(call),
  });
  const listener = nodeListener(endpoint);
  const server = createServer((req, res) => listener(req, res) || res.writeHead(404).end());
  const connections = attachFastPath(server, { ...own, ...endpoint });
  const ownPort = await listen(t, server);
  t.after(() => connections.destroy());
  return { url: `http://127.0.0.1:${ownPort}/New.asmx`, port: ownPort, passed, own };
}

/** A SOAP message of an operation. */
export const soap = (operation: string, inside = '') =>
  `<?xml version="1.0"?>\n<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><${operation} xmlns="urn:new">${inside}</${operation}></soap:Body></soap:Envelope>`;
export const XML = { 'content-type': 'text/xml; charset=utf-8', soapaction: '""' };

/** Sends a request as it is written. @returns the answer, whole. */
export async function raw(port: number, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(request, 'latin1');
  return text(socket);
}
