import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { steerTime } from '../../asmx/test/kit/steered-time.ts';
import { until } from '../../asmx/test/kit/until.ts';
import { answersSay, connected, expecting, get, said, start } from './kit/connection.ts';

describe('the body of a request on the fast path', () => {
  it('asks for the body of a request with Expect: 100-continue when it is read, call after call', async (test) => {
    const { connection, general } = await connected(test);
    for (const text of ['one', 'longer', 'two']) {
      const { head, body } = expecting(text);
      connection.send(head);
      assert.equal((await connection.answer()).head, 'HTTP/1.1 100 Continue');
      connection.send(body.slice(0, 3));
      await pause(5);
      connection.send(body.slice(3));
      assert.match((await connection.answer()).body, said(text));
    }
    // Who sends it unasked needs no asking; nor does what comes behind it wait for that.
    const { head, body } = expecting('three');
    connection.send(head + body + get('Say', 'four'));
    await answersSay(connection, ['three', 'four']);
    assert.equal(general.requests, 0);
  });

  it('asks at once for the body of a request like one that was asked for, and of no other', async (test) => {
    const { passUntil } = steerTime(test);
    const { connection, open, general, begun, answered, waiting } = await connected(test);
    const first = expecting('one');
    connection.send(first.head);
    assert.equal((await connection.answer()).status, 100);
    connection.send(first.body);
    assert.match((await connection.answer()).body, said('one'));
    const second = expecting('two');
    connection.send(second.head);
    assert.equal((await connection.answer()).status, 100);
    // The endpoint hears of it when the body has come.
    assert.equal(begun.length, 1);
    connection.socket.end();
    await connection.ended();
    await until(() => answered.length === 2);
    assert.equal(answered[1]!.error?.code, 'MalformedRequest');

    const other = await open();
    for (const { head, body } of [expecting('one'), expecting('two')]) {
      other.send(head);
      assert.equal((await other.answer()).status, 100);
      other.send(`${body}${get('Wait', 'three')}`);
      assert.match((await other.answer()).body, /one|two/);
      await until(() => waiting.length === 1);
      waiting.pop()!();
      assert.match((await other.answer()).body, said('three'));
    }
    other.send(expecting('six', 'image/png').head);
    assert.equal((await other.answer()).status, 415);
    await passUntil(other.ended());
    assert.equal(general.requests, 0);
  });

  it('refuses a request with Expect: 100-continue without its body, and reads what is sent of it all the same', async (test) => {
    const { connection, general } = await connected(test);
    const { head, body } = expecting('one', 'image/png');
    connection.send(head);
    const answer = await connection.answer();
    assert.equal(answer.status, 415);
    assert.match(answer.head, /Connection: close$/);
    connection.send(body, get('Say', 'two'));
    assert.equal(await connection.ended(), '');
    assert.equal(general.requests, 0);
  });

  it('tells of a client that closes its side instead of sending the body that was asked for', async (test) => {
    const { connection, answered } = await connected(test);
    connection.send(expecting('one').head);
    assert.equal((await connection.answer()).status, 100);
    connection.socket.end();
    await connection.ended();
    await until(() => answered.length === 1);
    assert.equal(answered[0]!.error?.code, 'MalformedRequest');
  });

  it('refuses a body in the middle, and reads what is sent of it all the same', async (test) => {
    const { open } = await start(test, {}, { totalUnauthenticatedBytes: 1_000 });
    const body = `text=${'x'.repeat(3_000)}`;
    const headers = [
      'Host: x',
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${body.length}`,
    ];
    const head = ['POST /Echo.asmx/Say HTTP/1.1', ...headers, '', ''].join('\r\n');
    const connection = await open();
    connection.send(head + body.slice(0, 2_000));
    const answer = await connection.answer();
    assert.equal(answer.status, 503);
    assert.match(answer.head, /Connection: close/);
    await pause(50);
    assert.equal(connection.socket.readableEnded, false);
    connection.send(body.slice(2_000));
    assert.equal(await connection.ended(), '');
  });

  it('waits for no body when the client has closed its side before its request was read', async (test) => {
    const { server, open, waiting, answered } = await start(test);
    Object.assign(server, { httpAllowHalfOpen: true });
    const connection = await open();
    connection.send(get('Wait', 'first') + expecting('second').head);
    await until(() => waiting.length === 1);
    connection.socket.end();
    await pause(20);
    waiting.pop()!();
    assert.match((await connection.answer()).body, said('first'));
    await connection.ended();
    await until(() => answered.length === 2);
    assert.match(answered[1]!.error!.message, /ended before the request body/);
  });

  it('waits for a slow body, in the care of node:http', async (test) => {
    const { pass } = steerTime(test);
    const { connection, general } = await connected(test);
    const type = 'Content-Type: application/x-www-form-urlencoded';
    connection.ask('POST /Echo.asmx/Say', [type, 'Content-Length: 9'], 'text');
    await connection.read();
    pass(5_000);
    await until(() => general.requests === 1);
    connection.send('=slow');
    assert.match((await connection.answer()).body, said('slow'));
  });

  it('waits for a slow body that was asked for at once, and asks no second time', async (test) => {
    const { pass } = steerTime(test);
    const { open, general, answered } = await start(test);
    const [slow, silent] = [await open(), await open()];
    const first = expecting('one');
    for (const connection of [slow, silent]) {
      connection.send(first.head);
      assert.equal((await connection.answer()).status, 100);
      connection.send(first.body);
      assert.match((await connection.answer()).body, said('one'));
    }
    const { head, body } = expecting('two');
    slow.send(head);
    silent.send(head);
    assert.equal((await slow.answer()).status, 100);
    assert.equal((await silent.answer()).status, 100);
    slow.send(body.slice(0, 3));
    await slow.read();
    pass(5_000);
    for (const [connection, rest] of [
      [slow, body.slice(3)],
      [silent, body],
    ] as const) {
      connection.send(rest);
      assert.match((await connection.answer()).body, said('two'));
    }
    assert.deepEqual([general.requests, answered.length], [0, 4]);
  });
});
