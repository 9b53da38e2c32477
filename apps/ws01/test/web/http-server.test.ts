import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_LIMITS } from '../../../../packages/asmx/src/contract/limits.ts';
import { Arrivals } from '../../../../packages/asmx/src/exchange/intake/arrivals.ts';
import { inTurn } from '../../../../packages/asmx/src/node/in-turn.ts';
import { nodeListener } from '../../../../packages/asmx/src/node/listener.ts';
import { acceptRawTarget } from '../../../../packages/asmx/src/node/raw-targets.ts';
import { answerBeforeBody, dropRest } from '../../../../packages/asmx/src/node/unread-request.ts';
import { PATIENCE_MS } from '../../../../packages/asmx/test/kit/until.ts';
import { attachFastPath } from '../../../../packages/fast-http/src/attach.ts';
import { HttpServer } from '../../src/web/http-server.ts';
import { sendBytes } from '../wire/golden/exchanges.ts';

/**
 * A server that answers what it was asked for, and `/events` with a stream that does not end.
 * @param onLeft called when the client of a stream has left.
 */
async function start(test: TestContext, onLeft = () => {}): Promise<number> {
  return (await startServer(test, onLeft)).port;
}

async function startServer(test: TestContext, onLeft = () => {}) {
  const arrivals = new Arrivals(DEFAULT_LIMITS);
  const endpoint = { request: () => undefined, arriving: arrivals.begin.bind(arrivals) };
  const server = new HttpServer({
    first: nodeListener(endpoint),
    rest: (req, res) => {
      if (req.url === '/events') {
        res
          .on('close', onLeft)
          .writeHead(200, { 'Content-Type': 'text/event-stream' })
          .flushHeaders();
        return;
      }
      let body = '';
      req.on('data', (chunk) => {
        body += chunk;
      });
      req.on('end', () => res.end(`<${req.method} ${req.url} ${body}>\n`));
    },
    inTurn,
    requestId: () => 'an-id',
    acceptRawTarget,
    answerBeforeBody,
    dropRest,
    takeConnections: (server) => attachFastPath(server, endpoint),
  });
  const { port = 0 } = await server.listen({ host: '127.0.0.1', port: 0 });
  test.after(() => server.stop(0));
  return { server, port };
}

const ask = async (port: number, text: string): Promise<string> =>
  (await sendBytes(port, Buffer.from(text))).toString();

describe('the HTTP server', () => {
  it('takes a request target with raw UTF-8, as IIS does', async (t) => {
    const answer = await ask(
      await start(t),
      'GET /x?a=中&b=é HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    assert.match(answer, /^HTTP\/1\.1 200 /);
    assert.match(answer, /<GET \/x\?a=%e4%b8%ad&b=%c3%a9 >\n$/);
  });

  it('takes raw UTF-8 again on the same connection, and with a body', async (t) => {
    const port = await start(t);
    const body =
      'POST /é HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbody';
    const answer = await ask(port, body);
    assert.match(answer, /<POST \/%c3%a9 body>\n$/);
  });

  it('goes on with a connection on which a raw target came, also when what follows comes in pieces', async (t) => {
    const socket = connect(await start(t), '127.0.0.1');
    t.after(() => socket.destroy());
    const answers = createInterface(socket)[Symbol.asyncIterator]();
    const answerWith = async (end: string) => {
      for (let line = await answers.next(); !line.done; line = await answers.next()) {
        if (/^HTTP\/1\.1 (?!200 )/.test(line.value)) assert.fail(line.value);
        if (line.value.startsWith('<')) return assert.equal(line.value, end);
      }
      assert.fail('the connection ended');
    };
    // Far enough apart to arrive one by one.
    const send = async (bytes: string) => {
      socket.write(bytes);
      await pause(20);
    };
    await send('GET /é HTTP/1.1\r\nHost: x\r\n\r\n');
    await answerWith('<GET /%c3%a9 >');
    await send('GET /plain HTTP/1.1\r\nHost: x\r\n\r\n');
    await answerWith('<GET /plain >');
    for (const piece of ['POST /中 HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n', 'bo', 'dy'])
      await send(piece);
    await answerWith('<POST /%e4%b8%ad body>');
  });

  for (const upgrade of ['', 'Connection: Upgrade\r\nUpgrade: h2c\r\n']) {
    it(`refuses a request whose body ends too soon${upgrade === '' ? '' : ', also one with Upgrade'}`, async (t) => {
      const socket = connect({ port: await start(t), host: '127.0.0.1', allowHalfOpen: true });
      t.after(() => socket.destroy());
      socket
        .setEncoding('latin1')
        .write(`POST /x HTTP/1.1\r\nHost: x\r\n${upgrade}Content-Length: 9\r\n\r\nbo`);
      await pause(20);
      socket.end();
      let answer = '';
      for await (const chunk of socket) answer += chunk;
      assert.match(answer, /^HTTP\/1\.1 400 .*X-Error-Code: MalformedRequest\r\n/s);
    });
  }

  it('ends a stream of events when its client has closed its side, and still answers others', async (t) => {
    const left = Promise.withResolvers<void>();
    const port = await start(t, left.resolve);
    const open = (path: string) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      t.after(() => socket.destroy());
      socket.setEncoding('latin1').write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      return socket;
    };
    const stream = open('/events');
    await once(stream, 'data');
    stream.end();
    await left.promise;
    const other = open('/x');
    other.end();
    let answer = '';
    for await (const chunk of other) answer += chunk;
    assert.match(answer, /<GET \/x >\n/);
  });

  it('cuts what comes while it stops, though its time was over before', async (t) => {
    const { server, port } = await startServer(t);
    const open = () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      t.after(() => socket.destroy());
      socket.write('POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nbo');
      return socket;
    };
    const before = open();
    // Else it may have stopped, with nobody to cut, before this one came.
    await once(before, 'connect');
    const stopped = server.stop(0);
    const sockets = [before, ...Array.from({ length: 20 }, open)];
    // Not `once`, which rejects when one is cut off.
    const closed = sockets.map((socket) => new Promise((resolve) => socket.on('close', resolve)));
    assert.equal(await stopped, false);
    await Promise.all(closed);
    assert.equal(await server.stop(PATIENCE_MS), true, 'and again');
  });

  it('never serves a pipelined request twice for the sake of a raw target behind it', async (t) => {
    const pipelined = 'GET /first HTTP/1.1\r\nHost: x\r\n\r\nGET /é HTTP/1.1\r\nHost: x\r\n\r\n';
    const answer = await ask(await start(t), pipelined);
    assert.ok(answer.split('<GET /first').length <= 2, answer);
    assert.ok(!answer.includes('<GET /%c3%a9'), answer);
  });

  for (const [what, text, status, code] of [
    ['a lower-case method', 'get / HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'MethodNotAllowed'],
    ['an unknown method', 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'MethodNotAllowed'],
    ['what is no HTTP', '\u0016\u0003\u0001\r\n\r\n', 405, 'MethodNotAllowed'],
    [
      'headers over the bound',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(530_000)}\r\n\r\n`,
      431,
      'TooLarge',
    ],
    [
      'a broken chunk',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
      'MalformedRequest',
    ],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      400,
      'MalformedRequest',
    ],
  ] as const) {
    it(`answers ${what} with ${status} and closes`, async (t) => {
      const answer = await ask(await start(t), text);
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `));
      assert.match(
        answer,
        new RegExp(`X-Error-Code: ${code}\r\nX-Request-Id: [\\w-]+\r\nConnection: close`),
      );
    });
  }
});
