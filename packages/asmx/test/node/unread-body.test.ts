import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { createEndpoint, operation, service, string } from '@ws01/asmx';
import { fastPath } from '@ws01/asmx/fast';
import { nodeListener } from '@ws01/asmx/node';
import { attachFastPath } from '@ws01/fast-http';
import { bePatient } from '../kit/steered-time.ts';
import { PATIENCE_MS, until } from '../kit/until.ts';

const SERVICE = service('Echo', {
  namespace: 'urn:echo',
  operations: { Say: operation({ result: string }) },
});

interface Refused {
  /** The client's end of the connection. */
  readonly socket: Socket;
  /** The server's end of it. */
  readonly served: Promise<Socket>;
}

/** Announces a long body of a type that is refused at once, and sends its first bytes if nobody must ask for them. */
async function refusedInMidBody(
  t: TestContext,
  door: 'node:http' | 'the fast path' = 'node:http',
): Promise<Refused> {
  const endpoint = createEndpoint(SERVICE, {
    handlers: { Say: () => 'said' },
    path: '/Echo.asmx',
    baseUrl: () => 'http://localhost',
    fastPath,
  });
  const server = createServer(nodeListener(endpoint)).listen(0, '127.0.0.1');
  const fast = door === 'the fast path';
  const connections = fast ? attachFastPath(server, endpoint) : undefined;
  await once(server, 'listening');
  const served = once(server, 'connection').then(([socket]: Socket[]) => socket!);
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
    connections?.destroy();
  });
  socket.on('error', () => {});
  const head = 'POST /Echo.asmx HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\n';
  // The fast path takes longer bodies, and those that have begun before the answer, to node:http.
  if (fast) socket.write(`${head}Content-Length: 60000\r\nExpect: 100-continue\r\n\r\n`);
  else socket.write(`${head}Content-Length: 100000000\r\n\r\nfirst`);
  return { socket, served };
}

/** All that the server says until it closes the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  let said = '';
  socket.setEncoding('latin1').on('data', (text) => {
    said += text;
  });
  await once(socket, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) });
  return said;
}

/** Waits until the server has read so many bytes; mocked timers stand still meanwhile. @throws if it closes first. */
async function untilRead(served: Socket, bytes: number): Promise<void> {
  while (served.bytesRead < bytes) {
    assert.ok(served.writable, 'the server has closed');
    await turn();
  }
}

/** Turns of the event loop in which a connection that is to be closed would close. */
const TURNS = 20;

for (const door of ['node:http', 'the fast path'] as const) {
  describe(`a client that is refused in mid-body, served by ${door}`, () => {
    it('has its answer, and its connection closed once it is silent for 2 s', async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const { socket, served } = await refusedInMidBody(t, door);
      const answered = untilClosed(socket);
      await once(socket, 'data', { signal: AbortSignal.timeout(PATIENCE_MS) });
      t.mock.timers.tick(1_999);
      for (let turns = 0; turns < TURNS; turns++) await turn();
      assert.ok((await served).writable);
      t.mock.timers.tick(1);
      assert.match(await answered, /^HTTP\/1\.1 415 [\s\S]*\r\nConnection: close\r\n/i);
    });

    it('has its connection closed after 30 s, however often it sends', async (t) => {
      t.mock.timers.enable({ apis: ['setTimeout'] });
      const { socket, served } = await refusedInMidBody(t, door);
      const answered = untilClosed(socket);
      await once(socket, 'data', { signal: AbortSignal.timeout(PATIENCE_MS) });
      const server = await served;
      const piece = Buffer.alloc(100);
      const send = async () => {
        const before = server.bytesRead;
        socket.write(piece);
        await untilRead(server, before + piece.length);
      };
      for (let seconds = 0; seconds < 29; seconds++) {
        await send();
        t.mock.timers.tick(1_000);
      }
      await send();
      t.mock.timers.tick(999);
      await send();
      assert.ok(server.writable, 'before its 30 s');
      t.mock.timers.tick(1);
      assert.match(await answered, /^HTTP\/1\.1 415 /);
    });
  });
}

describe('a client that is refused in mid-body', () => {
  it('may go on sending to the end of its body, and has its answer then', async (t) => {
    bePatient(t);
    const { socket } = await refusedInMidBody(t);
    const answered = untilClosed(socket);
    const piece = Buffer.alloc(1_000_000);
    let left = 100_000_000 - 'first'.length;
    while (left > 0) {
      const next = piece.subarray(0, Math.min(left, piece.length));
      left -= next.length;
      if (!socket.write(next))
        await once(socket, 'drain', { signal: AbortSignal.timeout(PATIENCE_MS) });
    }
    assert.match(await answered, /^HTTP\/1\.1 415 /);
  });

  it('is cut off when it sends so little at a time that it is in no haste to finish', async (t) => {
    bePatient(t);
    const { socket, served } = await refusedInMidBody(t);
    socket.setNoDelay(true);
    let closed = false;
    const answered = untilClosed(socket).finally(() => {
      closed = true;
    });
    const server = await served;
    let pieces = 0;
    for (; !closed; pieces++) {
      const before = server.bytesRead;
      if (socket.writable) socket.write('x');
      await until(() => closed || server.bytesRead > before);
    }
    assert.match(await answered, /^HTTP\/1\.1 415 /);
    assert.ok(pieces > 500 && pieces < 1_100, `after ${pieces} pieces`);
  });
});
