import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { defineLimits } from '../../../../packages/asmx/src/contract/limits.ts';
import { countingSinks } from '../../../../packages/asmx/test/kit/counting-sink.ts';
import { postTo, RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { call, envelopeOf, postSoap, VERSIONS } from '../../../../packages/asmx/test/kit/soap.ts';
import { bePatient } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { echoForSuite, startEcho } from '../kit/echo.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const MEGABYTE = 1024 * 1024;

describe('compressed request bodies', () => {
  const echo = echoForSuite();
  const post = (body: Uint8Array, encoding: string) =>
    postTo(`${echo.url}/WS01.asmx/DeleImgById`, body, {
      'Content-Type': FORM_TYPE,
      'Content-Encoding': encoding,
    });
  const form = Buffer.from('FileGuid=f1');

  for (const [encoding, body] of [
    ['gzip', gzipSync(form)],
    ['x-gzip', gzipSync(form)],
    ['GZIP', gzipSync(form)],
    ['deflate', deflateSync(form)],
    ['deflate', deflateRawSync(form)],
    ['identity', form],
    ['', form],
  ] as const) {
    it(`Content-Encoding: ${encoding}${body[0] === 0x78 ? ' (zlib)' : ''} is read`, async () => {
      const answer = await post(body, encoding);
      assert.equal(answer.status, 200);
      assert.ok(answer.body.includes('"FileGuid":"f1"'));
    });
  }

  for (const version of VERSIONS) {
    it(`gzip is read in ${version.name}`, async () => {
      const body = gzipSync(envelopeOf(version, call('DeleImgById', '<FileGuid>f1</FileGuid>')));
      const answer = await postSoap(echo.url, version, body, { 'Content-Encoding': 'gzip' });
      assert.equal(answer.echo?.FileGuid, 'f1');
    });
  }

  for (const [what, encoding, body, status, code] of [
    ['an unknown coding', 'br', form, 415, 'UnsupportedMediaType'],
    ['two codings', 'gzip, gzip', gzipSync(gzipSync(form)), 415, 'UnsupportedMediaType'],
    ['what is no gzip', 'gzip', form, 400, 'MalformedRequest'],
    ['gzip that ends early', 'gzip', gzipSync(form).subarray(0, 20), 400, 'MalformedRequest'],
    ['an empty body', 'gzip', Buffer.alloc(0), 400, 'MalformedRequest'],
    ['a bomb', 'gzip', gzipSync(Buffer.alloc(64 * MEGABYTE)), 413, 'TooLarge'],
    ['a bomb in deflate', 'deflate', deflateSync(Buffer.alloc(64 * MEGABYTE)), 413, 'TooLarge'],
  ] as const) {
    it(`${what} is ${status}`, async () => {
      const answer = await post(body, encoding);
      assert.equal(answer.status, status);
      assert.equal(answer.headers['x-error-code'], code);
    });
  }

  it('a bomb where a file may come is stopped before a credential is read', async () => {
    const bomb = gzipSync(
      Buffer.concat([Buffer.from('FileImg='), Buffer.alloc(100 * MEGABYTE, 'A')]),
    );
    const answer = await postTo(`${echo.url}/WS01.asmx/InsertArticleImageFile`, bomb, {
      'Content-Type': FORM_TYPE,
      'Content-Encoding': 'gzip',
    });
    assert.equal(answer.headers['x-error-code'], 'TooLarge');
    assert.match(answer.body, /limit unauthenticatedInflatedBytes of 1048576 bytes/);
  });
});

describe('the limit of the body', () => {
  const limits = defineLimits({
    bodyBytes: 100_000,
    binaryBytes: 300_000,
    binaryBodyBytes: 500_000,
  });
  const echo = echoForSuite({ limits });
  const file = Buffer.alloc(300_000, 7).toString('base64');

  it('by Content-Length: refused before it is read, and the client that sends it all reads why', async (test) => {
    bePatient(test);
    const connection = await RawConnection.open(test, echo.port);
    const length = 20 * MEGABYTE;
    connection.ask('POST /WS01.asmx/InsertArticle', [
      `Content-Type: ${FORM_TYPE}`,
      `Content-Length: ${length}`,
    ]);
    connection.socket.pause();
    for (let sent = 0; sent < length; sent += MEGABYTE) {
      if (connection.socket.write(Buffer.alloc(MEGABYTE, 'a'))) continue;
      await new Promise((resolve) => connection.socket.once('drain', resolve));
    }
    connection.socket.resume();
    const { status, head } = await connection.answer();
    assert.equal(status, 413);
    assert.match(head, /^connection: close/im);
    assert.match(head, /^x-error-code: TooLarge/im);
    assert.equal(await connection.ended(), '');
  });

  it('chunked: refused when it is passed', async (test) => {
    const connection = await RawConnection.open(test, echo.port);
    connection.send(
      'POST /WS01.asmx/InsertArticle HTTP/1.1',
      'Host: x',
      `Content-Type: ${FORM_TYPE}`,
      'Transfer-Encoding: chunked',
      '',
      (200_000).toString(16),
      'a'.repeat(200_000),
    );
    const { status, head } = await connection.answer();
    assert.equal(status, 413);
    assert.match(head, /^connection: close/im);
  });

  it('what comes behind a refused body on the same connection is not called', async (test) => {
    const operations: (string | undefined)[] = [];
    const own = await startEcho(test, {
      limits,
      onAnswered: ({ call: { operation } }) => operations.push(operation?.name),
    });
    const connection = await RawConnection.open(test, own.port);
    connection.ask('POST /WS01.asmx/InsertArticle', [
      `Content-Type: ${FORM_TYPE}`,
      'Content-Length: 200000',
    ]);
    assert.equal((await connection.answer()).status, 413);
    connection.send(`${'a'.repeat(200_000)}GET /WS01.asmx/DeleImgById HTTP/1.1`, 'Host: x', '', '');
    assert.equal(await connection.ended(), '');
    assert.deepEqual(operations, ['InsertArticle']);
  });

  for (const version of VERSIONS) {
    it(`in ${version.name} it is a fault with ASP.NET’s words`, async () => {
      const body = envelopeOf(
        version,
        call('InsertArticle', `<content>${'a'.repeat(100_000)}</content>`),
      );
      const answer = await postSoap(echo.url, version, body);
      assert.equal(answer.status, 500);
      assert.equal(answer.fault?.code, version.sender);
      assert.match(answer.fault.reason, /^Maximum request length exceeded\./);
      assert.equal(answer.detail.code, 'TooLarge');
    });

    it(`in ${version.name} an operation with a file has its own, one byte more is refused`, async () => {
      const content = (base64: string) =>
        call('InsertArticleImageFile', `<FileImg>${base64}</FileImg>`);
      assert.equal(
        (await postSoap(echo.url, version, envelopeOf(version, content(file)))).status,
        200,
      );
      const more = Buffer.alloc(300_001).toString('base64');
      const answer = await postSoap(echo.url, version, envelopeOf(version, content(more)));
      assert.equal(answer.detail.code, 'TooLarge');
      assert.equal(answer.detail.parameter, 'FileImg');
    });
  }

  it('of a file over POST and JSON too', async () => {
    const url = `${echo.url}/WS01.asmx/InsertArticleImageFile`;
    const more = Buffer.alloc(300_001).toString('base64');
    for (const [type, body] of [
      [FORM_TYPE, (base64: string) => `FileImg=${encodeURIComponent(base64)}`],
      ['application/json', (base64: string) => JSON.stringify({ FileImg: base64 })],
    ] as const) {
      const send = (base64: string) => postTo(url, body(base64), type);
      assert.equal((await send(file)).status, 200);
      const answer = await send(more);
      assert.equal(answer.status, 413);
      assert.equal(answer.headers['x-error-code'], 'TooLarge');
    }
  });
});

describe('a body that does not arrive', () => {
  const sent: readonly (readonly [string, string, string])[] = [
    [
      'SOAP',
      'text/xml',
      // Up to its file: an end tag too early would be refused before the client goes away.
      envelopeOf(
        VERSIONS[0]!,
        call('InsertArticleImageFile', `<FileImg>${'AAAA'.repeat(50_000)}`),
      ).split('</')[0]!,
    ],
    ['POST', FORM_TYPE, `FileImg=${'AAAA'.repeat(50_000)}`],
    ['JSON', 'application/json', `{"FileImg":"${'AAAA'.repeat(50_000)}`],
    [
      'multipart',
      'multipart/form-data; boundary=b',
      `--b\r\nContent-Disposition: form-data; name=FileImg; filename=f\r\n\r\n${'AAAA'.repeat(50_000)}`,
    ],
  ];

  for (const [binding, type, begun] of sent) {
    it(`${binding}: the client goes away in the middle of a file, and nothing is left open`, async (test) => {
      const { sinks, createBinarySink } = countingSinks();
      const errors: (string | undefined)[] = [];
      const echo = await startEcho(test, {
        createBinarySink,
        onAnswered: ({ error }) => errors.push(error?.code),
      });
      const connection = await RawConnection.open(test, echo.port);
      const path = binding === 'SOAP' ? '/WS01.asmx' : '/WS01.asmx/InsertArticleImageFile';
      connection.ask(`POST ${path}`, [`Content-Type: ${type}`, 'Content-Length: 900000'], begun);
      await until(() => sinks.length > 0 && sinks[0]!.pieces.length > 0);
      assert.equal(sinks[0]!.released, 0);
      connection.socket.destroy();
      await until(() => errors.length > 0);
      assert.deepEqual(errors, ['MalformedRequest']);
      assert.deepEqual(
        sinks.map(({ finished, released, overlapped }) => ({ finished, released, overlapped })),
        [{ finished: 0, released: 1, overlapped: false }],
      );
    });
  }

  it('a short body that is cut off is no call', async (test) => {
    const errors: (string | undefined)[] = [];
    const echo = await startEcho(test, { onAnswered: ({ error }) => errors.push(error?.code) });
    const connection = await RawConnection.open(test, echo.port);
    connection.ask(
      'POST /WS01.asmx/DeleImgById',
      [`Content-Type: ${FORM_TYPE}`, 'Content-Length: 20'],
      'FileGuid=f1',
    );
    await new Promise((resolve) => setImmediate(resolve));
    connection.socket.destroy();
    await until(() => errors.length > 0);
    assert.deepEqual(errors, ['MalformedRequest']);
  });
});
