// slow: it fills the buffers of sockets
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { pipeline, Readable } from 'node:stream';
import { describe, type TestContext, test } from 'node:test';
import { createEndpoint, defineLimits, operation, service, string } from '../../src/index.ts';
import {
  countBody,
  DEFAULT_READER_LIMITS,
  LongResponse,
  slowReaders,
} from '../../src/node/index.ts';
import { exchange, peerOf, postTo, RawConnection } from '../kit/http.ts';
import { someOf } from '../kit/lane.ts';
import { listen } from '../kit/listen.ts';
import { steerTime } from '../kit/steered-time.ts';
import { until } from '../kit/until.ts';

type Serve = (req: IncomingMessage, res: ServerResponse) => void;

async function serverOf(
  t: TestContext,
  serve: Serve,
  totalUnreadBytes = 16 * 1024 * 1024,
  onClosed = () => {},
) {
  const server = createServer({ ServerResponse: LongResponse }, serve);
  slowReaders({ ...DEFAULT_READER_LIMITS, totalUnreadBytes })(server);
  // Who reads nothing is not told that its connection is gone.
  server.on('connection', (socket) => socket.on('close', onClosed));
  return listen(t, server);
}

/** A connection that asks and reads nothing. */
function unread(t: TestContext, port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  t.after(() => socket.destroy());
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

/** More than the system takes of an answer for a client that does not read. */
const LONG = 16 * 1024 * 1024;

/** No power of two: a piece that stood in the place of another would be seen. */
const BYTES = Buffer.from(Array.from({ length: 251 }, (_, at) => at));

/** How answers are written. */
const WAYS: Readonly<Record<string, (res: ServerResponse, body: Buffer) => void>> = {
  'end with bytes': (res, body) => void res.end(body),
  'end with a text': (res, body) => void res.end(body.toString('latin1'), 'latin1'),
  'a head, then end': (res, body) =>
    void res.writeHead(200, { 'Content-Length': body.length }).end(body),
  'write, then end': (res, body) => {
    res.write(body);
    res.end();
  },
  'pieces and a long one between them': (res, body) => {
    res.write(body.subarray(0, 3));
    res.write(body.subarray(3, body.length - 3));
    res.write(body.subarray(body.length - 3));
    res.end();
  },
  'a stream of one piece': (res, body) => pipeline(Readable.from([body]), res, () => {}),
};

describe('long answers', () => {
  test('come whole, however they are written, on both sides of a piece', async (t) => {
    for (const [way, write] of Object.entries(WAYS)) {
      let body = Buffer.alloc(0);
      const port = await serverOf(t, (_, res) => write(res, body));
      for (const size of [6, 65_535, 65_536, 65_537, 131_072, 131_073, 1_000_001]) {
        body = Buffer.alloc(size, BYTES);
        const got = await exchange(`http://127.0.0.1:${port}/`);
        assert.ok(got.bytes.equals(body), `${way} ${size}`);
        const head = await exchange(`http://127.0.0.1:${port}/`, { method: 'HEAD' });
        assert.deepEqual([head.status, head.bytes.length], [200, 0], way);
      }
    }
  });

  test('have a length that is said, and texts are in UTF-8', async (t) => {
    const text = 'é€😀'.repeat(30_000);
    const port = await serverOf(t, (_, res) => void res.end(text));
    const { headers, body } = await exchange(`http://127.0.0.1:${port}/`);
    assert.equal(headers['content-length'], String(Buffer.byteLength(text)));
    assert.equal(body, text);
  });

  for (const [way, write] of someOf(Object.entries(WAYS), 2)) {
    if (way.startsWith('pieces')) continue;
    test(`of which not all have place come whole or are refused, and none is cut off: ${way}`, async (t) => {
      steerTime(t);
      const answer = (_: unknown, res: ServerResponse) => write(res, Buffer.alloc(LONG, 'x'));
      const port = await serverOf(t, answer, LONG + 1024 * 1024);
      const ask = () => exchange(`http://127.0.0.1:${port}/`);
      const answers = await Promise.all(Array.from({ length: 4 }, ask));
      const whole = answers.filter(({ status }) => status === 200);
      assert.ok(whole.length > 0 && whole.length < 4, String(whole.length));
      for (const { status, headers, bytes } of answers) {
        if (status === 200) assert.equal(bytes.length, LONG);
        else assert.deepEqual([status, headers['retry-after']], [503, '1']);
      }
      assert.equal((await ask()).bytes.length, LONG);
    });

    test(`that somebody leaves unread keep nobody else out: ${way}`, async (t) => {
      const { pass } = steerTime(t);
      let closed = 0;
      const answer = (_: unknown, res: ServerResponse) => write(res, Buffer.alloc(LONG, 'x'));
      const port = await serverOf(t, answer, LONG + 1024 * 1024, () => closed++);
      const still = unread(t, port);
      const peer = await peerOf(still);
      await until(() => peer.bytesWritten > 0);
      // It counts as unread once the system takes no more of it, which on a busy machine is later.
      await until(async () => {
        pass(3_000);
        return (await exchange(`http://127.0.0.1:${port}/`)).bytes.length === LONG;
      });
      assert.ok(closed >= 1);
    });
  }

  for (const [way, write] of someOf(Object.entries(WAYS).toReversed(), 2)) {
    test(`that nobody reads are bounded together: ${way}`, async (t) => {
      let closed = 0;
      const answer = (_: unknown, res: ServerResponse) => write(res, Buffer.alloc(LONG, 'x'));
      const port = await serverOf(t, answer, 1024 * 1024, () => closed++);
      for (let at = 0; at < 6; at++) unread(t, port);
      await until(() => closed >= 5);
    });
  }

  test('of the same bytes count once', async (t) => {
    const body = Buffer.alloc(LONG, 'x');
    const port = await serverOf(t, (_, res) => void res.end(body), LONG + 1024 * 1024);
    const others = Array.from({ length: 5 }, () => unread(t, port));
    for (const socket of others) await once(socket, 'connect');
    const got = await exchange(`http://127.0.0.1:${port}/`);
    assert.equal(got.bytes.length, LONG);
    assert.ok(others.every((socket) => !socket.destroyed));
  });
});

describe('bodies that somebody else than the endpoint reads', () => {
  const endpoint = (limits: Parameters<typeof defineLimits>[0]) =>
    createEndpoint(
      service('A', { namespace: 'urn:a', operations: { Ask: operation({ result: string }) } }),
      {
        handlers: { Ask: () => 'x' },
        path: '/a',
        baseUrl: () => 'http://localhost',
        limits: defineLimits(limits),
      },
    );

  async function reading(t: TestContext, limits: Parameters<typeof defineLimits>[0]) {
    const own = endpoint(limits);
    const port = await serverOf(t, async (req, res) => {
      countBody(req, res, own);
      let bytes = 0;
      try {
        for await (const chunk of req) bytes += (chunk as Buffer).length;
        res.end(String(bytes));
      } catch {}
    });
    return port;
  }

  test('are read as ever', async (t) => {
    const port = await reading(t, {});
    for (const size of [0, 1, 65_536, 65_537, 3_000_000]) {
      const body = 'x'.repeat(size);
      assert.equal((await postTo(`http://127.0.0.1:${port}/`, body)).body, String(size));
      const chunked = { 'transfer-encoding': 'chunked' };
      const got = await postTo(`http://127.0.0.1:${port}/`, body, chunked);
      assert.equal(got.body, String(size));
    }
  });

  for (const framing of ['Content-Length: 200000', 'Transfer-Encoding: chunked']) {
    test(`count while they arrive, and the oldest give way: ${framing}`, async (t) => {
      const port = await reading(t, { totalUnauthenticatedBytes: 250_000 });
      const piece = 'x'.repeat(100_000);
      let closed = 0;
      for (let at = 0; at < 6; at++) {
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        t.after(() => socket.destroy());
        socket.on('close', () => closed++);
        socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`);
        socket.write(framing.startsWith('T') ? `186a0\r\n${piece}\r\n` : piece);
      }
      await until(() => closed >= 4);
      const got = await postTo(`http://127.0.0.1:${port}/`, 'abc');
      assert.equal(got.body, '3');
    });
  }

  test('that pause too long are told, and end', async (t) => {
    const port = await reading(t, { bodyPauseMs: 100 });
    const connection = await RawConnection.open(t, port);
    connection.send('POST / HTTP/1.1', 'Host: x', 'Content-Length: 10', '', 'x');
    const { status, body } = await connection.answer();
    assert.equal(status, 408);
    assert.match(body, /the limit bodyPauseMs of 0\.1 s/);
    await connection.ended();
  });
});
