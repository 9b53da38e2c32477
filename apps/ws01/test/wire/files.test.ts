import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { ServiceError } from '../../../../packages/asmx/src/contract/errors.ts';
import { countingSinks } from '../../../../packages/asmx/test/kit/counting-sink.ts';
import { exchange, postTo, RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import {
  call,
  callSoap,
  envelopeOf,
  SOAP11,
  VERSIONS,
} from '../../../../packages/asmx/test/kit/soap.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { echoForSuite, startEcho } from '../kit/echo.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const PATH = '/WS01.asmx/InsertArticleImageFile';

/** Bytes whose base64 has `+`, `/` and padding. */
const PICTURE = Buffer.concat([
  Buffer.from([0xfb, 0xef, 0xbe, 0xff, 0xfe, 0xff, 0x3f, 0]),
  randomBytes(995),
]);
const LARGE = randomBytes(3 * 1024 * 1024);

const escaped = encodeURIComponent;
const lines = (text: string) => text.replace(/.{76}/g, '$&\r\n');
const urlSafe = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_');

describe('a file outside SOAP', () => {
  let received: Buffer[] = [];
  const { sinks, createBinarySink } = countingSinks();
  const echo = echoForSuite({
    createBinarySink,
    onAnswered: () => {
      received = sinks
        .filter(({ finished }) => finished > 0)
        .map(({ pieces }) => Buffer.concat(pieces));
      assert.deepEqual(
        sinks.filter(({ released, overlapped }) => released !== 1 || overlapped),
        [],
      );
      sinks.length = 0;
    },
  });

  const send = async (type: string, body: string | Uint8Array) => {
    const answer = await postTo(echo.url + PATH, body, type);
    return { ...answer, file: received[0] };
  };
  const form = (body: string) => send(FORM_TYPE, body);
  const get = async (query: string) => ({
    ...(await exchange(`${echo.url}${PATH}?${query}`)),
    file: received[0],
  });
  const json = (value: unknown) => send('application/json', JSON.stringify({ FileImg: value }));

  const base64 = PICTURE.toString('base64');
  const numbers = [...PICTURE];
  const series = (values: readonly (number | string)[]) =>
    values.map((value) => `FileImg=${value}`).join('&');

  for (const [what, body] of [
    ['base64, escaped', `FileImg=${escaped(base64)}`],
    ['base64 whose + was not escaped', `FileImg=${base64}`],
    ['base64 without padding', `FileImg=${escaped(base64.replaceAll('=', ''))}`],
    ['base64 in the URL-safe alphabet', `FileImg=${urlSafe(base64)}`],
    ['base64 in lines', `FileImg=${escaped(lines(base64))}`],
    ['base64 with blanks', `FileImg=${base64.slice(0, 5)}%20${base64.slice(5)}`],
    ['base64 twice: once', `FileImg=${escaped(base64)}&FileImg=${escaped(base64)}`],
    ['base64 twice in two ways: once', `FileImg=${base64}&ip=1&fileimg=${urlSafe(base64)}`],
    ['base64 and an empty value', `FileImg=${escaped(base64)}&FileImg=`],
    ['an empty value and base64', `FileImg=&FileImg=${escaped(base64)}`],
    [
      'base64 in two halves: put together',
      `FileImg=${escaped(base64.slice(0, 400))}&FileImg=${escaped(base64.slice(400))}`,
    ],
    ['one number a byte', series(numbers)],
    [
      'one number a byte, in three digits',
      series(numbers.map((byte) => String(byte).padStart(3, '0'))),
    ],
    [
      'one number a byte, with other parameters between',
      `ip=1&${series(numbers.slice(0, 7))}&category=x&${series(numbers.slice(7))}`,
    ],
  ] as const) {
    for (const [binding, call] of [
      ['POST', form],
      ['GET', get],
    ] as const) {
      it(`${binding}: ${what}`, async () => {
        const { status, file } = await call(body);
        assert.equal(status, 200);
        assert.deepEqual(file, PICTURE);
      });
    }
  }

  for (const [what, value] of [
    ['base64', base64],
    ['an array of numbers', numbers],
    ['an array of base64', [base64, base64]],
    ['escaped base64', base64.replaceAll('/', '\\/')],
  ] as const) {
    it(`JSON: ${what}`, async () => {
      const body = `{"FileImg":${JSON.stringify(value).replaceAll('\\\\/', '\\/')}}`;
      const { status, file } = await send('application/json', body);
      assert.equal(status, 200);
      assert.deepEqual(file, PICTURE);
    });
  }

  it('different values are put together, in their order, a repeat of any of them once', async () => {
    const value = (text: string) => `FileImg=${Buffer.from(text).toString('base64')}`;
    const { file } = await form(['one-', 'two-', 'one-', 'three', 'two-'].map(value).join('&'));
    assert.equal(file?.toString(), 'one-two-three');
  });

  it('one number a byte, for longer than one piece of them is', async () => {
    const bytes = LARGE.subarray(0, 40_000);
    const { status, file } = await form(series([...bytes]));
    assert.equal(status, 200);
    assert.ok(file?.equals(bytes), `${file?.length} bytes`);
  });

  it('a number that is no byte makes all of them base64', async () => {
    const { file } = await form('FileImg=123&FileImg=300&FileImg=123');
    assert.deepEqual(
      file,
      Buffer.concat([Buffer.from('123', 'base64'), Buffer.from('300', 'base64')]),
    );
  });

  it('values larger than what waits in memory', async (t) => {
    // Of its own: other test files use that of the system at the same time.
    const { TMPDIR } = process.env;
    process.env.TMPDIR = await mkdtemp(join(tmpdir(), 'ws01-files-'));
    t.after(async () => {
      const folder = process.env.TMPDIR!;
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
      await rm(folder, { recursive: true });
    });
    const other = randomBytes(2 * 1024 * 1024);
    const value = (bytes: Buffer) => `FileImg=${escaped(bytes.toString('base64'))}`;
    const { file } = await form(
      ['verifyCode=t', ...[LARGE, LARGE, other, LARGE, other].map(value)].join('&'),
    );
    assert.ok(file?.equals(Buffer.concat([LARGE, other])), `${file?.length} bytes`);
    assert.deepEqual(
      (await readdir(tmpdir())).filter((name) => /^[0-9a-f-]{36}$/.test(name)),
      [],
    );
  });

  for (const [what, call, reason] of [
    ['POST: text that is no base64', () => form('FileImg=%21%21%21%21'), /not base64/],
    [
      'POST: a number that is neither a byte nor base64',
      () => form('FileImg=1&FileImg=256'),
      /not base64/,
    ],
    ['GET: text that is no base64', () => get('FileImg=AAAA%2CBBBB'), /not base64/],
    ['JSON: text that is no base64', () => json('!!!!'), /not base64/],
    ['JSON: a number over 255', () => json([1, 256]), /0 to 255/],
    ['JSON: a negative number', () => json([-1]), /0 to 255/],
    ['JSON: a fraction', () => json([1.5]), /0 to 255/],
    ['JSON: an object', () => json({ a: 1 }), /base64 in a string/],
    ['JSON: true', () => json(true), /base64 in a string/],
    ['JSON: numbers and base64', () => json([base64, 7]), /0 to 255/],
  ] as const) {
    it(`${what} is InvalidParameter`, async () => {
      const answer = await call();
      assert.equal(answer.status, 400);
      assert.equal(answer.headers['x-error-code'], 'InvalidParameter');
      assert.match(answer.body, reason);
      assert.match(answer.body, /FileImg/);
    });
  }

  for (const version of VERSIONS) {
    it(`in ${version.name} base64 in lines, and text that is none`, async () => {
      const good = await callSoap(
        echo.url,
        version,
        'InsertArticleImageFile',
        `<FileImg>${lines(base64)}</FileImg>`,
      );
      assert.equal(good.status, 200);
      assert.deepEqual(received[0], PICTURE);
      const bad = await callSoap(
        echo.url,
        version,
        'InsertArticleImageFile',
        '<FileImg>!!!!</FileImg>',
      );
      assert.equal(bad.status, 500);
      assert.equal(bad.detail.code, 'InvalidParameter');
      assert.equal(bad.detail.parameter, 'FileImg');
    });
  }
});

describe('a file on its way', () => {
  const begun: readonly (readonly [string, string, string, string])[] = [
    [
      'SOAP',
      '/WS01.asmx',
      'text/xml',
      envelopeOf(SOAP11, call('InsertArticleImageFile', '<FileImg>AAAA')),
    ],
    ['POST', PATH, FORM_TYPE, 'FileImg='],
    ['POST, one number a byte', PATH, FORM_TYPE, ''],
    ['JSON', PATH, 'application/json', '{"FileImg":"'],
    [
      'multipart',
      PATH,
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name=FileImg; filename=f\r\n\r\n',
    ],
  ];

  for (const [binding, path, type, head] of begun) {
    const piece =
      binding === 'POST, one number a byte' ? 'FileImg=065&'.repeat(1_000) : 'AAAA'.repeat(3_000);
    const start =
      binding === 'SOAP' ? head.slice(0, head.indexOf('</FileImg>') >>> 0).split('</')[0]! : head;

    const begun = async (test: TestContext, port: number) => {
      const connection = await RawConnection.open(test, port);
      connection.ask(`POST ${path}`, [`Content-Type: ${type}`, 'Content-Length: 90000000'], start);
      return connection;
    };

    it(`${binding}: the sink has the first bytes before the last are sent, and a slow sink holds the client`, async (test) => {
      let open = () => {};
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      const { sinks, createBinarySink } = countingSinks(() => gate);
      const echo = await startEcho(test, { createBinarySink });
      const connection = await begun(test, echo.port);
      let accepted = 0;
      for (let full = false; !full && accepted < 60_000_000; accepted += piece.length) {
        full = !connection.socket.write(piece) && connection.socket.writableLength > 2_000_000;
        if (accepted % (piece.length * 20) === 0)
          await new Promise((resolve) => setImmediate(resolve));
      }
      await until(() => sinks.length > 0 && sinks[0]!.pieces.length > 0);
      assert.ok(accepted < 60_000_000, 'the server reads no further than the sink takes');
      open();
      connection.socket.destroy();
      await until(() => sinks[0]!.released === 1);
    });

    it(`${binding}: a sink that fails is answered once, and released once`, async (test) => {
      const full = new ServiceError('StorageUnavailable', 'The disk is full.');
      const { sinks, createBinarySink } = countingSinks(async () => {
        throw full;
      });
      const echo = await startEcho(test, { createBinarySink });
      const connection = await begun(test, echo.port);
      const sending = setInterval(() => connection.socket.write(piece.repeat(10)), 5);
      const { head: answer } = await connection.answer();
      clearInterval(sending);
      assert.match(answer, /^x-error-code: StorageUnavailable/im);
      assert.match(answer, /^retry-after: 5/im);
      assert.deepEqual([sinks[0]!.finished, sinks[0]!.released], [0, 1]);
    });
  }
});
