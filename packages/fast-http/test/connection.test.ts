import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { steerTime } from '../../asmx/test/kit/steered-time.ts';
import { until } from '../../asmx/test/kit/until.ts';
import { answersSay, connected, get, said, start } from './kit/connection.ts';

describe('a connection on the fast path', () => {
  it('is answered without node:http, request after request', async (test) => {
    const { connection, general } = await connected(test);
    for (const text of ['one', 'two', 'three']) {
      connection.send(get('Say', text));
      const answer = await connection.answer();
      assert.equal(answer.status, 200);
      assert.match(answer.body, said(text));
      assert.match(answer.head, /Connection: keep-alive\r\nKeep-Alive: timeout=\d+$/);
    }
    for (const text of ['a', 'longer', 'b'.repeat(1_000), '']) {
      const body = `text=${text}`;
      connection.ask(
        'POST /Echo.asmx/Say',
        [`Content-Length: ${body.length}`, 'Content-Type: application/x-www-form-urlencoded'],
        body,
      );
      assert.match(
        (await connection.answer()).body,
        text === '' ? /<string xmlns="urn:echo" \/>/ : said(text),
      );
    }
    assert.equal(general.requests, 0);
  });

  it('has others answer a GET that is not the endpoint’s, in turn with it', async (test) => {
    const { connection, general, waiting } = await connected(test);
    const page = (query: string) => `GET /page?${query} HTTP/1.1\r\nHost: x\r\n\r\n`;
    connection.send(page('1') + get('Say', 'two') + page('3'));
    await until(() => waiting.length === 1);
    waiting.pop()!();
    assert.equal((await connection.answer()).body, '/page?1');
    assert.match((await connection.answer()).body, said('two'));
    await until(() => waiting.length === 1);
    waiting.pop()!();
    assert.equal((await connection.answer()).body, '/page?3');
    assert.equal(general.requests, 0);
  });

  it('gives node:http a GET that others will not answer after all, with what came behind it', async (test) => {
    for (const ends of [false, true]) {
      const { server, open, general, waiting } = await start(test);
      Object.assign(server, { httpAllowHalfOpen: true });
      const connection = await open();
      connection.send(`GET /page?rare HTTP/1.1\r\nHost: x\r\n\r\n${get('Say', 'two')}`);
      await until(() => waiting.length === 1);
      connection.send(get('Say', 'three'));
      if (ends) connection.socket.end();
      await pause(20);
      waiting.pop()!();
      assert.equal((await connection.answer()).status, 404);
      await answersSay(connection, ['two', 'three']);
      assert.equal(general.requests, 3);
    }
  });

  it('forgets a client that leaves while others look for its answer', async (test) => {
    const { server, open, general, waiting } = await start(test);
    for (const query of ['1', 'rare']) {
      const accepted = once(server, 'connection');
      const connection = await open();
      const [socket] = (await accepted) as [Socket];
      connection.send(`GET /page?${query} HTTP/1.1\r\nHost: x\r\n\r\n`);
      await until(() => waiting.length === 1);
      connection.socket.resetAndDestroy();
      await until(() => socket.closed);
      waiting.pop()!();
    }
    await pause(20);
    assert.equal(general.requests, 0);
  });

  it('goes to node:http with the first request that is for it, and stays there', async (test) => {
    const { connection, general } = await connected(test);
    connection.send(get('Say', 'one'));
    assert.match((await connection.answer()).body, said('one'));
    connection.send(get('Say', 'two', 'TE: trailers'));
    assert.match((await connection.answer()).body, said('two'));
    connection.send(get('Say', 'three'));
    assert.match((await connection.answer()).body, said('three'));
    assert.equal(general.requests, 2);
  });

  it('answers in order what comes before the answer is out', async (test) => {
    const { connection, general, waiting } = await connected(test);
    connection.send(get('Wait', 'one'));
    await until(() => waiting.length === 1);
    connection.send(get('Say', 'two') + get('Say', 'three'));
    await pause(20);
    waiting[0]!();
    await answersSay(connection, ['one', 'two', 'three']);
    assert.equal(general.requests, 0);
  });

  it('answers in order all that came in one piece, also when the rest of the last request comes later', async (test) => {
    const { connection, general } = await connected(test);
    const texts = Array.from({ length: 500 }, (_, index) => `text-${index}`);
    const all = texts.map((text) => get('Say', text)).join('');
    connection.send(all.slice(0, -20));
    for (const text of texts.slice(0, -1))
      assert.match((await connection.answer()).body, said(text));
    connection.send(all.slice(-20));
    assert.match((await connection.answer()).body, said('text-499'));
    assert.equal(general.requests, 0);
  });

  it('answers all that came before the client closed its side, and closes', async (test) => {
    const { connection } = await connected(test);
    connection.send(get('Say', 'one') + get('Say', 'two') + get('Say', 'three'));
    connection.socket.end();
    await answersSay(connection, ['one', 'two', 'three']);
    assert.equal(await connection.ended(), '');
  });

  it('goes to node:http with what comes behind a request on the fast path, when its turn comes', async (test) => {
    const { connection, general } = await connected(test);
    connection.send(get('Say', 'one') + get('Say', 'two', 'TE: trailers') + get('Say', 'three'));
    await answersSay(connection, ['one', 'two', 'three']);
    assert.equal(general.requests, 2);
  });

  it('holds a client back that sends more and more without waiting', async (test) => {
    const { connection, waiting } = await connected(test);
    connection.send(get('Wait', 'one'));
    await until(() => waiting.length === 1);
    const flood = Buffer.alloc(1024 * 1024, 'x');
    let sent = 0;
    while (sent < 64 && connection.socket.write(flood)) sent++;
    for (; sent < 64; sent++) connection.socket.write(flood);
    await pause(200);
    assert.ok(
      connection.socket.writableLength > 32 * 1024 * 1024,
      `${connection.socket.writableLength} bytes wait`,
    );
    waiting[0]!();
    assert.match((await connection.answer()).body, said('one'));
    assert.equal((await connection.answer()).status, 400);
  });

  it('holds a client back that does not read its answers', async (test) => {
    const { connection, general, waiting } = await connected(test);
    connection.socket.pause();
    connection.send(get('Fill', 'x') + get('Wait', 'two'));
    await until(() => connection.socket.readableLength > 0);
    for (let sent = 0; sent < 10; sent++) connection.send(get('Wait', 'x'));
    await pause(50);
    assert.deepEqual([general.requests, waiting.length], [0, 0]);
    connection.socket.resume();
    assert.ok((await connection.answer()).body.length > 8 * 1024 * 1024);
    await until(() => waiting.length === 1);
  });

  it('answers a client that has closed its side, and closes', async (test) => {
    const { server, open, waiting } = await start(test);
    const accepted = once(server, 'connection');
    const connection = await open();
    const [socket] = (await accepted) as [Socket];
    connection.send(get('Wait', 'one'));
    await until(() => waiting.length === 1);
    connection.socket.end();
    await until(() => socket.readableEnded);
    waiting[0]!();
    const answer = await connection.answer();
    assert.match(answer.body, said('one'));
    assert.match(answer.head, /Connection: close$/);
    assert.equal(await connection.ended(), '');
  });

  it('closes after its answer when the client says so', async (test) => {
    const { connection, general } = await connected(test);
    connection.send(get('Say', 'one', 'Connection: close'));
    const answer = await connection.answer();
    assert.match(answer.head, /Connection: close$/);
    assert.equal(await connection.ended(), '');
    assert.equal(general.requests, 0);
  });

  for (const who of ['client', 'server'] as const) {
    it(`serves nothing behind what the ${who} wants to be the last request`, async (test) => {
      const { connection, connections, general, waiting } = await connected(test);
      connection.send(get('Wait', 'one', ...(who === 'client' ? ['Connection: close'] : [])));
      await until(() => waiting.length === 1);
      connection.send(get('Wait', 'two'));
      await pause(20);
      if (who === 'server') connections.finish();
      waiting[0]!();
      const answer = await connection.answer();
      assert.match(answer.body, said('one'));
      assert.match(answer.head, /Connection: close$/);
      assert.equal(await connection.ended(), '');
      assert.deepEqual([waiting.length, general.requests], [1, 0]);
    });
  }

  it('serves nothing while the last answer is being read', async (test) => {
    const { connection, general, waiting } = await connected(test);
    connection.socket.pause();
    connection.send(get('Fill', 'x', 'Connection: close'));
    await pause(50);
    connection.send(get('Wait', 'two'));
    await pause(50);
    connection.socket.resume();
    const answer = await connection.answer();
    assert.equal(answer.status, 200);
    assert.ok(answer.body.length > 8 * 1024 * 1024);
    assert.equal(await connection.ended(), '');
    assert.deepEqual([waiting.length, general.requests], [0, 0]);
  });

  it('refuses a request that ends too soon', async (test) => {
    const { connection } = await connected(test);
    connection.send('POST /Echo.asmx/Say HTTP/1.1', 'Host: x', 'Content-Length: 9', '', 'text');
    await pause(20);
    connection.socket.end();
    // The server says what it says of anything unreadable; without a listener of `clientError`, nothing.
    assert.equal(await connection.ended(), '');
  });

  it('is let go when the server stops: the answer under way is the last, and who is idle is closed', async (test) => {
    const { open, connections, waiting } = await start(test);
    const [busy, idle, asking] = [await open(), await open(), await open()];
    busy.send(get('Wait', 'one'));
    for (const one of [idle, asking]) {
      one.send(get('Say', 'two'));
      assert.match((await one.answer()).head, /Connection: keep-alive/);
    }
    await until(() => waiting.length === 1);
    connections.finish();
    asking.send(get('Say', 'three'));
    assert.match((await asking.answer()).head, /Connection: close$/);
    connections.closeIdle();
    assert.equal(await idle.ended(), '');
    waiting[0]!();
    assert.match((await busy.answer()).head, /Connection: close$/);
    assert.equal(await busy.ended(), '');
  });

  it('leaves other listeners of connections what they had', async (test) => {
    const { open, server } = await start(test);
    let seen = 0;
    server.on('connection', () => seen++);
    await open();
    assert.equal(seen, 1);
  });
});

// They wait for seconds, each on a server of its own.
describe('a connection on the fast path over time', () => {
  it('is told when it says nothing for too long', async (test) => {
    const { passUntil } = steerTime(test);
    const { connection } = await connected(test, {
      headersTimeout: 300,
      requestTimeout: 300,
      connectionsCheckingInterval: 100,
    });
    assert.equal((await passUntil(connection.answer())).status, 408);
    assert.equal(await passUntil(connection.ended()), '');
  });

  it('is closed when it has been idle for as long as the server says, and not before', async (test) => {
    const { pass } = steerTime(test);
    const { open, server } = await start(test);
    server.keepAliveTimeout = 5_000;
    const connection = await open();
    connection.send(get('Say', 'one'));
    assert.match((await connection.answer()).head, /Keep-Alive: timeout=5$/);
    const peer = await connection.peer();
    pass(5_000);
    assert.ok(!peer.destroyed);
    pass(2_000);
    assert.equal(await connection.ended(), '');
  });
});
