// needs: nginx apache2 haproxy varnishd=varnish squid h2o traffic_server=trafficserver nghttpx=nghttp2-proxy
/**
 * Our listener behind other HTTP servers, which are sent what readers of HTTP disagree about. Where a message ends the
 * proxy and we must see alike: each request that we read is one that it has passed on, and each that it has passed on is
 * answered, unless we have closed the connection. `GARDEN_CONVERSATIONS` says how many for each proxy and path, and
 * `GARDEN_SEED` which; `GARDEN_AT_ONCE`, how many of them are held at once.
 */
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createEndpoint } from '../../../../packages/asmx/src/engine/endpoint.ts';
import type { Endpoint } from '../../../../packages/asmx/src/engine/endpoint-options.ts';
import { fastPath } from '../../../../packages/asmx/src/fast/index.ts';
import { inTurn } from '../../../../packages/asmx/src/node/in-turn.ts';
import { nodeListener } from '../../../../packages/asmx/src/node/listener.ts';
import { acceptRawTarget } from '../../../../packages/asmx/src/node/raw-targets.ts';
import { answerBeforeBody, dropRest } from '../../../../packages/asmx/src/node/unread-request.ts';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { Random } from '../../../../packages/asmx/test/kit/random.ts';
import { attachFastPath } from '../../../../packages/fast-http/src/index.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { WS01 } from '../../src/contract/service.ts';
import { HttpServer } from '../../src/web/http-server.ts';
import { echoHandlers } from '../kit/echo-handlers.ts';
import { conversation } from './garden/conversations.ts';
import { type OtherServer, PROXIES } from './garden/proxies.ts';
import { Tap, type TappedConnection } from './garden/tap.ts';

const CONVERSATIONS = Number(process.env.GARDEN_CONVERSATIONS ?? 2_000);
const SEED = Number(process.env.GARDEN_SEED ?? 20261122);
const AT_ONCE = Number(process.env.GARDEN_AT_ONCE ?? 24);
/** A client that has said all waits so long for the end; ms. */
const PATIENCE_MS = 250;
/** So long the service may take for its last answers; ms. */
const ANSWER_MS = 30_000;

type Headers =
  | IncomingHttpHeaders
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The listener of the service, with the echo behind it. @param read told of the headers of each request that it reads. */
async function startListener(
  test: TestContext,
  fast: boolean,
  read: (headers: Headers) => void,
): Promise<number> {
  const plain = createEndpoint(WS01, {
    namespace: 'urn:ws01',
    path: '/WS01.asmx',
    baseUrl: () => 'http://localhost',
    errors: ERRORS,
    authorize: () => undefined,
    fastPath: fast ? fastPath : undefined,
    handlers: echoHandlers(),
  });
  const endpoint: Endpoint = {
    ...plain,
    request(request) {
      const answering = plain.request(request);
      if (answering !== undefined) read(request.headers);
      return answering;
    },
  };
  const server = new HttpServer({
    first: nodeListener(endpoint),
    rest: (req, res) => {
      read(req.headers);
      res.writeHead(404, { 'Content-Length': 0 }).end();
    },
    requestId: () => crypto.randomUUID(),
    inTurn,
    acceptRawTarget,
    answerBeforeBody,
    dropRest,
    takeConnections: (server) => (fast ? attachFastPath(server, endpoint) : undefined),
  });
  test.after(() => server.stop(0));
  const { port = 0 } = await server.listen({ host: '127.0.0.1', port: 0 });
  return port;
}

/** Sends all of it, and closes this side; resolves when the other is closed, or says no more. */
async function hold(port: number, bytes: Buffer): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await new Promise<void>((resolve) => {
    const patience = setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.on('data', () => patience.refresh());
    socket.on('end', () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(patience);
      resolve();
    });
    socket.write(bytes);
  });
}

function disagreements({ connections }: Tap): readonly TappedConnection[] {
  return connections.filter(
    ({ passedOn, complete, answered, closedByUs }) =>
      answered > passedOn || (answered < complete && !closedByUs),
  );
}

async function grow(test: TestContext, proxy: OtherServer, fast: boolean): Promise<string> {
  const folder = await temporaryFolder(test, 'ws01-garden-');
  const unmarked: Headers[] = [];
  let read = 0;
  const servicePort = await startListener(test, fast, (headers) => {
    read++;
    const text = Object.entries(headers).map(([name, value]) => `\n${name}: ${value}`);
    if (!text.some((line) => proxy.mark.test(line))) unmarked.push(headers);
  });
  const tap = await Tap.open(servicePort, proxy.mark);
  test.after(() => tap.close());
  const port = await freePort();
  await proxy.start(test, folder, port, tap.port);
  const random = new Random(SEED);
  let left = CONVERSATIONS;
  const converse = async () => {
    while (left-- > 0) await hold(port, conversation(random));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, converse));
  // What is still being answered.
  const deadline = performance.now() + ANSWER_MS;
  while (disagreements(tap).length > 0 && performance.now() < deadline) await pause(500);
  const disagreed = disagreements(tap);
  assert.deepEqual(unmarked, [], 'requests that no proxy has passed on');
  assert.equal(disagreed.length, 0, JSON.stringify(disagreed[0]));
  assert.ok(read > CONVERSATIONS / 20, `${read} requests came through`);
  const closed = tap.connections.filter(({ closedByUs }) => closedByUs).length;
  return `| ${proxy.name} | ${fast ? 'on' : 'off'} | ${CONVERSATIONS} | ${read} | ${tap.connections.length} | ${closed} | 0 |`;
}

describe('our listener and others agree where a message ends', () => {
  for (const proxy of PROXIES) {
    for (const fast of [true, false]) {
      it(`${proxy.name}, FAST_PATH ${fast ? 'on' : 'off'}`, async (test) => {
        console.log(await grow(test, proxy, fast));
      });
    }
  }
});
