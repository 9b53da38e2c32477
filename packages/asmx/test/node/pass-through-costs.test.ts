import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { exchange, postTo, type RawAnswer, RawConnection } from '../kit/http.ts';
import { newServer, oldServer, soap, XML } from '../kit/passing.ts';
import { steerTime } from '../kit/steered-time.ts';
import { until } from '../kit/until.ts';

async function stalled(
  t: TestContext,
  port: number,
  count: number,
  path: string,
  bytes: number,
): Promise<RawConnection[]> {
  const connections: RawConnection[] = [];
  for (let at = 0; at < count; at++) {
    const connection = await RawConnection.open(t, port);
    const length = `Content-Length: ${bytes + 100}`;
    connection.send(`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: text/plain', length, '', '');
    connection.send('x'.repeat(bytes));
    connections.push(connection);
  }
  return connections;
}

describe('pass-through: what it costs', () => {
  for (const [what, path] of [
    ['of operations', '/New.asmx/Later'],
    ['of messages', '/New.asmx'],
  ] as const) {
    test(`bodies ${what} that stall are in the endpoint's account, and the oldest gives way`, async (t) => {
      const { passUntil } = steerTime(t);
      const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
      const { port } = await newServer(t, oldPort, {
        limits: { totalUnauthenticatedBytes: 250_000 },
      });
      // Of a message no more is looked at than its beginning, until it is known whose it is.
      const bytes = path === '/New.asmx' ? 60_000 : 100_000;
      const connections = await stalled(t, port, 6, path, bytes);
      const refused: RawConnection[] = [];
      for (const connection of connections) {
        const onAnswer = ({ status }: RawAnswer) => status === 503 && refused.push(connection);
        connection.answer().then(onAnswer, () => {});
      }
      await until(() => refused.length >= 6 - Math.floor(250_000 / bytes));
      await passUntil(Promise.all(refused.map((connection) => connection.ended())));
      assert.equal(received.length, 0);
    });
  }

  test('a body that pauses too long is refused', async (t) => {
    const { passUntil } = steerTime(t);
    const { port: oldPort } = await oldServer(t, (res) => res.end('old'));
    const { port } = await newServer(t, oldPort, {
      limits: { bodyPauseMs: 100 },
    });
    for (const path of ['/New.asmx/Later', '/New.asmx']) {
      const [connection] = await stalled(t, port, 1, path, 10);
      const { status, body } = await passUntil(connection!.answer());
      assert.ok([408, 500].includes(status), String(status));
      assert.match(body, /the limit bodyPauseMs/);
      await passUntil(connection!.ended());
    }
  });

  test('a body that was asked for is not slow while it comes fast enough', async (t) => {
    const { pass } = steerTime(t);
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const limits = { bodyGraceMs: 300, minBodyRate: 100, slowBodies: 1 };
    const { port } = await newServer(t, oldPort, { limits });
    const begin = async (bytes: number) => {
      const connection = await RawConnection.open(t, port);
      const length = `Content-Length: ${bytes}`;
      connection.send('POST /New.asmx/Later HTTP/1.1', 'Host: x', 'Expect: 100-continue', length);
      connection.send('', '', '');
      assert.equal((await connection.answer()).status, 100);
      return connection;
    };
    const moves = await begin(2_000);
    // The slower of two that are slow is refused.
    pass(10);
    const still = await begin(2);
    for (let sent = 0; sent < 2_000; sent += 100) {
      moves.socket.write('x'.repeat(100));
      await moves.read();
      pass(900);
    }
    still.send('yz');
    for (const connection of [moves, still]) assert.equal((await connection.answer()).status, 200);
    assert.deepEqual(received.map(({ body }) => body.length).sort(), [2, 2_000]);
  });

  test('chunks of any size are passed on; a body of tiny ones is refused', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { port } = await newServer(t, oldPort);
    const post = (size: number, bytes: number) =>
      'POST /New.asmx/Later HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n' +
      `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`.repeat(bytes / size) +
      '0\r\n\r\n';
    const answerTo = (request: string) => {
      const socket = connect(port, '127.0.0.1');
      socket.write(request);
      return text(socket);
    };
    for (const size of [1, 64, 1_024, 8_192]) {
      const bytes = size === 1 ? 1_000 : 32_768;
      assert.match(await answerTo(post(size, bytes)), /^HTTP\/1\.1 200 /, `${size}`);
      assert.equal(received.pop()?.body.length, bytes);
    }
    assert.match(await answerTo(post(1, 10_000)), /^HTTP\/1\.1 400 [\s\S]*the limit chunkOverhead/);
    assert.equal(received.length, 0);
  });

  test('calls that wait for the other server, and what they hold, are bounded', async (t) => {
    const waiting: ServerResponse[] = [];
    const { port: oldPort, received } = await oldServer(t, (res, { url }) => {
      if (url.endsWith('Long')) res.end('x'.repeat(5_000));
      else waiting.push(res);
    });
    const { url } = await newServer(t, oldPort, { calls: 3, totalBytes: 10_000 });
    const post = (bytes: number) => postTo(`${url}/Later`, 'x'.repeat(bytes));
    const kept = [post(4_000), post(4_000)];
    await until(() => received.length === 2);
    assert.equal((await post(2_001)).status, 503);
    kept.push(post(2_000));
    await until(() => waiting.length === 3);
    assert.equal((await exchange(`${url}/Later`)).status, 503, 'more calls than three');
    for (const res of waiting) res.end('old');
    assert.deepEqual(
      (await Promise.all(kept)).map(({ status }) => status),
      [200, 200, 200],
    );
    for (let round = 0; round < 3; round++) {
      assert.equal(
        (await exchange(`${url}/Long`)).status,
        200,
        'what was answered is counted no longer',
      );
    }
  });

  test('answers that arrive are bounded together', async (t) => {
    const arriving: ServerResponse[] = [];
    const { port: oldPort } = await oldServer(t, (res) => {
      res.write('x'.repeat(6_000));
      arriving.push(res);
    });
    const { url, passed } = await newServer(t, oldPort, { totalBytes: 10_000 });
    const asked = [exchange(`${url}/Later`), exchange(`${url}/Later`)];
    await until(() => passed.length === 1);
    assert.equal(passed[0]?.error?.message, 'Too many answers arrive at a time.');
    for (const res of arriving) res.end('y');
    assert.deepEqual((await Promise.all(asked)).map(({ status }) => status).sort(), [200, 502]);
  });

  test('bodies on both sides of every buffer go whole', async (t) => {
    const { port: oldPort, received } = await oldServer(t, (res) => res.end('old'));
    const { url } = await newServer(t, oldPort, { requestBytes: 2_000_000 });
    const sizes = [0, 1, 65_535, 65_536, 65_537, 131_072, 1_000_000];
    for (const size of sizes) {
      const body = soap('Gone', 'x'.repeat(size));
      assert.equal((await postTo(url, body, XML)).body, 'old');
      assert.equal((await postTo(`${url}/Later`, 'y'.repeat(size))).body, 'old');
      assert.equal(received.at(-2)?.body.toString(), body);
      assert.equal(received.at(-1)?.body.length, size);
    }
  });
});
