import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MINUTE_MS } from '@ws01/asmx/time';
import { countingSinks } from '../../../../packages/asmx/test/kit/counting-sink.ts';
import type { RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { steerTime } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { ECHO_NAMESPACE, startEcho } from '../kit/echo.ts';
import { checking, codeOf, send, WAYS } from './kit/intake.ts';
import {
  ARTICLE,
  begunInChunks,
  FORM,
  GZIP,
  IMAGE,
  post,
  SERVICE,
  SOAP,
  soapHead,
} from './kit/requests.ts';

describe('a body must arrive', () => {
  const begun: readonly (readonly [string, Buffer])[] = [
    ...WAYS.map(
      ({ name, path, headers, before, begun }) =>
        [name, post(path, headers, before('good') + begun, 9_000_000)] as const,
    ),
    ['a short form', post(ARTICLE, FORM, 'token=good&content=', 1_000)],
    [
      'a short compressed form',
      post(ARTICLE, { ...FORM, ...GZIP }, gzipSync('token=good').subarray(0, 15), 1_000),
    ],
    ['a short envelope', post(SERVICE, SOAP, soapHead('InsertArticle', ECHO_NAMESPACE), 1_000)],
  ];

  for (const [name, bytes] of begun) {
    it(`bodyPauseMs: ${name} that stalls is refused, and its connection closed`, async (test) => {
      const time = steerTime(test);
      const echo = await startEcho(test, checking({ bodyPauseMs: 300 }));
      const connection = await send(test, echo.port, bytes);
      await connection.read();
      const { head, body } = await time.passUntil(connection.answer());
      const overSoap = bytes.subarray(0, 30).includes(`POST ${SERVICE} `);
      assert.match(head, overSoap ? /^HTTP\/1\.1 500 / : /^HTTP\/1\.1 408 /);
      assert.match(head, /^connection: close/im);
      assert.match(body, /paused for longer than the limit bodyPauseMs of 0\.3 s; send it again/);
      await time.passUntil(connection.ended());
    });
  }

  /** A form in two pieces, as it may be framed: `Expect` stays on the fast path, the others come to `node:http`. */
  const FRAMED: Readonly<Record<string, readonly [begun: Buffer, rest: string]>> = {
    length: [post(ARTICLE, FORM, 'token=good&content=x', 22), 'yz'],
    Expect: [post(ARTICLE, { ...FORM, Expect: '100-continue' }, 'token=good&content=x', 22), 'yz'],
    chunks: [
      begunInChunks(ARTICLE, FORM, Buffer.from('token=good&content=x')),
      '2\r\nyz\r\n0\r\n\r\n',
    ],
  };
  for (const [framing, [bytes, rest]] of Object.entries(FRAMED)) {
    it(`bodyPauseMs: ${framing}: who pauses goes on after it, or is refused`, async (test) => {
      const { pass, passUntil } = steerTime(test);
      const echo = await startEcho(test, checking({}));
      const [going, still] = [
        await send(test, echo.port, bytes),
        await send(test, echo.port, bytes),
      ];
      for (const connection of [going, still]) {
        await connection.read();
        // Who is asked for the body is told so.
        if (framing === 'Expect') await connection.read();
      }
      for (let waited = 0; waited < 119; waited++) {
        pass(1_000);
        await new Promise(setImmediate);
      }
      going.socket.write(rest);
      assert.equal(await codeOf(going), '200');
      assert.equal(await passUntil(codeOf(still)), '408 MalformedRequest bodyPauseMs');
    });
  }

  it('slowBodies: beyond it the slowest goes, who has shown a credential last', async (test) => {
    const { pass, passUntil } = steerTime(test);
    const echo = await startEcho(test, checking({ slowBodies: 2 }));
    const { path, headers, before, begun } = WAYS[0]!;
    const checked = await send(
      test,
      echo.port,
      // Behind the credential 20 kB have come, which is 83 s of minBodyRate.
      post(path, headers, `${before('good')}${begun.slice(0, 20_000)}`, 70_000),
    );
    await checked.read();
    pass(105_000);
    const others: RawConnection[] = [];
    for (let at = 0; at < 2; at++) {
      pass(1_000);
      others.push(await send(test, echo.port, post(ARTICLE, FORM, 'token=good&content=x', 22)));
      await others[at]!.read();
    }
    assert.equal(await passUntil(codeOf(others[0]!)), '408 MalformedRequest slowBodies');
    others[1]!.socket.write('yz');
    checked.socket.write('A'.repeat(50_000));
    assert.equal(await codeOf(others[1]!), '200');
    assert.match(await codeOf(checked), /^200|InvalidParameter/);
  });

  it('minBodyRate: one that comes fast enough is not slow, however long it takes', async (test) => {
    const { pass } = steerTime(test);
    const limits = { bodyGraceMs: 300, minBodyRate: 100, slowBodies: 1 };
    const echo = await startEcho(test, checking(limits));
    const still = await send(test, echo.port, post(ARTICLE, FORM, 'token=good&content=x', 22));
    const connection = await send(
      test,
      echo.port,
      post(ARTICLE, FORM, 'token=good&content=', 2_019),
    );
    for (let sent = 0; sent < 2_000; sent += 100) {
      await connection.read();
      pass(900);
      connection.socket.write('x'.repeat(100));
    }
    assert.equal(await codeOf(connection), '200');
    still.socket.write('yz');
    assert.equal(await codeOf(still), '200');
  });

  it('minBodyRate: what a chunk takes on the wire counts, not what it holds', async (test) => {
    const { pass } = steerTime(test);
    const limits = { bodyGraceMs: 300, minBodyRate: 100, slowBodies: 1 };
    const echo = await startEcho(test, checking(limits));
    const still = await send(test, echo.port, post(ARTICLE, FORM, 'token=good&content=x', 22));
    const begun = begunInChunks(ARTICLE, FORM, Buffer.from('token=good&content='));
    const connection = await send(test, echo.port, begun);
    const chunk = `1;extension=${'x'.repeat(90)}\r\nx\r\n`;
    for (let sent = 0; sent < 20; sent++) {
      await connection.read();
      pass(900);
      connection.socket.write(chunk);
    }
    connection.socket.write('0\r\n\r\n');
    assert.equal(await codeOf(connection), '200');
    still.socket.write('yz');
    assert.equal(await codeOf(still), '200');
  });

  it('bodyGraceMs: until then none is slow', async (test) => {
    const { pass } = steerTime(test);
    const limits = { bodyGraceMs: 60_000, minBodyRate: 1_000_000, slowBodies: 1 };
    const echo = await startEcho(test, checking(limits));
    const both = [];
    for (let at = 0; at < 2; at++)
      both.push(await send(test, echo.port, post(ARTICLE, FORM, 'token=good&content=', 20)));
    for (const connection of both) await connection.read();
    pass(MINUTE_MS);
    for (const connection of both) {
      connection.socket.write('x');
      assert.equal(await codeOf(connection), '200');
    }
  });

  it('a slow sink is not the client’s fault', async (test) => {
    const { pass } = steerTime(test);
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const { sinks, createBinarySink } = countingSinks(() => gate);
    const options = checking({ bodyGraceMs: 2_000, bodyPauseMs: 2_000, slowBodies: 1 });
    const echo = await startEcho(test, { ...options, createBinarySink });
    const connection = await send(
      test,
      echo.port,
      post(IMAGE, FORM, `verifyCode=good&FileImg=${'A'.repeat(400_000)}`),
    );
    await until(() => sinks.some(({ pieces }) => pieces.length > 0));
    pass(MINUTE_MS);
    open();
    assert.equal(await codeOf(connection), '200');
  });
});
