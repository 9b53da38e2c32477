import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createEndpoint, defineService } from '@ws01/asmx';
import { DEFAULT_READER_LIMITS, disconnectSlowReaders, inTurn, nodeListener, type ReaderLimits } from '@ws01/asmx/node';
import { attachFastPath } from '@ws01/asmx/node/fast';
import { RawConnection } from '../kit/http.ts';

const MIB = 1024 * 1024;

const text = { name: 'text', type: 'string', documentation: 'What is said.', sample: 'hello' } as const;
const SERVICE = defineService({
  name: 'Echo',
  operations: [
    { name: 'Say', documentation: 'Says it again.', parameters: [text], result: 'string' },
    { name: 'Fill', documentation: 'Says it 16 million times.', parameters: [text], result: 'string' },
  ],
});

interface Fixture {
  /** Calls that were answered. */
  readonly calls: string[];
  open(): Promise<RawConnection>;
}

async function start(test: TestContext, limits: Partial<ReaderLimits>): Promise<Fixture> {
  const calls: string[] = [];
  const endpoint = createEndpoint({
    service: SERVICE,
    handlers: {
      Say: ({ text = '' }) => {
        calls.push(text);
        return text;
      },
      Fill: ({ text = '' }) => {
        calls.push(text);
        return text.repeat(16 * MIB);
      },
    },
    namespace: 'urn:echo',
    path: '/Echo.asmx',
    baseUrl: () => 'http://localhost',
    authorize: () => undefined,
  });
  const serve = nodeListener(endpoint);
  const server = createServer(inTurn((req, res) => void serve(req, res)));
  disconnectSlowReaders(server, { ...DEFAULT_READER_LIMITS, ...limits });
  const connections = attachFastPath(server, endpoint);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  test.after(() => {
    server.close();
    server.closeAllConnections();
    connections.destroy();
  });
  const { port } = server.address() as AddressInfo;
  return { calls, open: () => RawConnection.open(test, port) };
}

/** What sends a request past `node:http`, and what to it. */
const WAYS = { 'the fast path': [], 'node:http': ['TE: trailers'] };

describe('a client that does not read its answers', () => {
  for (const [way, headers] of Object.entries(WAYS)) {
    const get = (operation: string, text: string): string =>
      [`GET /Echo.asmx/${operation}?text=${text} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');

    const asksAndStops = async ({ open, calls }: Fixture, text: string): Promise<RawConnection> => {
      const connection = await open();
      connection.socket.pause();
      connection.send(get('Fill', text));
      while (!calls.includes(text)) await pause(5);
      return connection;
    };

    it(`is disconnected when it has read too little for too long: ${way}`, async (test) => {
      const fixture = await start(test, { progressMs: 300 });
      const connection = await asksAndStops(fixture, 'x');
      await pause(1_500);
      connection.socket.resume();
      await assert.rejects(connection.answer(), /the connection ended/);
    });

    it(`is left alone as long as it reads as much as it must: ${way}`, async (test) => {
      const fixture = await start(test, { progressMs: 2_500, progressBytes: 1 });
      const connection = await asksAndStops(fixture, 'x');
      for (let reads = 0; reads < 60; reads++) {
        connection.socket.resume();
        await pause(1);
        connection.socket.pause();
        await pause(50);
      }
      connection.socket.resume();
      assert.equal((await connection.answer()).body.length > 16 * MIB, true);
    });

    it(`is disconnected for others when all unread answers hold too much, the slowest first: ${way}`, async (test) => {
      const fixture = await start(test, { totalUnreadBytes: 40 * MIB });
      const connections: RawConnection[] = [];
      for (const text of ['a', 'b', 'c', 'd']) {
        connections.push(await asksAndStops(fixture, text));
        await pause(100);
      }
      const kept = await Promise.all(
        connections.map(async (connection) => {
          connection.socket.resume();
          return connection.answer().then(
            () => true,
            () => false,
          );
        }),
      );
      assert.deepEqual(kept, [false, false, true, true]);
    });

    it(`gets its answer, when it is the only one, however large that is: ${way}`, async (test) => {
      const fixture = await start(test, { totalUnreadBytes: MIB });
      const connection = await asksAndStops(fixture, 'x');
      await pause(100);
      connection.socket.resume();
      assert.equal((await connection.answer()).status, 200);
    });

    it(`gets no further request served: ${way}`, async (test) => {
      const fixture = await start(test, {});
      const connection = await asksAndStops(fixture, 'x');
      connection.send(get('Say', 'y').repeat(50));
      await pause(200);
      assert.deepEqual(fixture.calls, ['x']);
      connection.socket.resume();
      for (let answers = 0; answers < 51; answers++) assert.equal((await connection.answer()).status, 200);
      assert.equal(fixture.calls.length, 51);
    });
  }

  it('may have as many requests in node:http as waitingRequests says, and is disconnected with one more', async (test) => {
    const get = ['GET /Echo.asmx/Say?text=x HTTP/1.1', 'Host: x', 'TE: trailers', '', ''].join('\r\n');
    const { open } = await start(test, {});
    const within = await open();
    within.send(get.repeat(100));
    for (let answers = 0; answers < 100; answers++) assert.equal((await within.answer()).status, 200);
    const beyond = await open();
    beyond.send(get.repeat(101));
    await assert.rejects(beyond.answer(), /the connection ended/);
  });
});
