import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { createEndpoint, defineService } from '@ws01/asmx';
import { nodeListener } from '@ws01/asmx/node';
import { PATIENCE_MS } from '../kit/until.ts';

const SERVICE = defineService({
  name: 'Echo',
  operations: [{ name: 'Say', documentation: 'Says nothing.', parameters: [], result: 'string' }],
});

/** Announces a long body of a type that is refused at once, and sends its first bytes. */
async function refusedInMidBody(t: TestContext): Promise<Socket> {
  const endpoint = createEndpoint({
    service: SERVICE,
    handlers: { Say: () => 'said' },
    namespace: 'urn:echo',
    path: '/Echo.asmx',
    baseUrl: () => 'http://localhost',
    authorize: () => undefined,
  });
  const server = createServer(nodeListener(endpoint)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  socket.on('error', () => {});
  socket.write(
    'POST /Echo.asmx HTTP/1.1\r\nHost: x\r\nContent-Type: image/png\r\nContent-Length: 100000000\r\n\r\nfirst',
  );
  return socket;
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

describe('a client that is refused in mid-body', () => {
  it('has its answer, and its connection closed once it is silent for 2 s', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const socket = await refusedInMidBody(t);
    const answered = untilClosed(socket);
    await once(socket, 'data', { signal: AbortSignal.timeout(PATIENCE_MS) });
    t.mock.timers.tick(2_000);
    assert.match(await answered, /^HTTP\/1\.1 415 [\s\S]*\r\nConnection: close\r\n/);
  });

  it('may go on sending to the end of its body, and has its answer then', async (t) => {
    const socket = await refusedInMidBody(t);
    const answered = untilClosed(socket);
    const piece = Buffer.alloc(1_000_000);
    let left = 100_000_000 - 'first'.length;
    while (left > 0) {
      const next = piece.subarray(0, Math.min(left, piece.length));
      left -= next.length;
      if (!socket.write(next)) await once(socket, 'drain', { signal: AbortSignal.timeout(PATIENCE_MS) });
    }
    assert.match(await answered, /^HTTP\/1\.1 415 /);
  });

  it('is cut off when it sends so little at a time that it is in no haste to finish', async (t) => {
    const socket = await refusedInMidBody(t);
    socket.setNoDelay(true);
    let closed = false;
    const answered = untilClosed(socket).finally(() => {
      closed = true;
    });
    let pieces = 0;
    while (!closed) {
      if (socket.writable) socket.write('x');
      pieces++;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.match(await answered, /^HTTP\/1\.1 415 /);
    assert.ok(pieces > 500 && pieces < 4_000, `after ${pieces} pieces`);
  });
});
