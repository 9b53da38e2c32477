import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ServiceError } from '../../../../packages/asmx/src/contract/errors.ts';
import { defineLimits, type Limits } from '../../../../packages/asmx/src/contract/limits.ts';
import { credentialOf } from '../../../../packages/asmx/src/contract/service.ts';
import type { IncomingCall } from '../../../../packages/asmx/src/exchange/handler-call.ts';
import { countingSinks } from '../../../../packages/asmx/test/kit/counting-sink.ts';
import { RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { steerTime } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { ECHO_NAMESPACE, startEcho } from '../kit/echo.ts';
import { startService, TOKEN } from '../kit/service.ts';
import {
  ARTICLE,
  begunInChunks,
  FORM,
  GZIP,
  get,
  type Headers,
  IMAGE,
  JSON_TYPE,
  MTOM,
  MULTIPART,
  post,
  SERVICE,
  SOAP,
  soapHead,
} from './kit/requests.ts';

type Test = { after(close: () => unknown): void };

/** The credential of operations 1 and 5 is checked by its text: `good` is. */
function checking(limits: Partial<Limits>, checked: string[] = []) {
  return {
    limits: defineLimits(limits),
    authorize: ({ operation, text }: IncomingCall) => {
      const parameter = credentialOf(operation);
      const credential = parameter && text(parameter.name);
      if (parameter !== undefined) checked.push(credential ?? '');
      if (parameter !== undefined && credential !== 'good')
        throw new ServiceError('Unauthenticated', 'Not good.');
      return undefined;
    },
  };
}

async function send(test: Test, port: number, bytes: Uint8Array): Promise<RawConnection> {
  const connection = await RawConnection.open(test, port);
  connection.socket.write(bytes);
  return connection;
}

async function codeOf(connection: RawConnection): Promise<string> {
  const { status, head, body } = await connection.answer();
  const limit = /the limit (\w+)/.exec(body)?.[1];
  return [status, /^x-error-code: (\w+)/im.exec(head)?.[1], limit]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** Without a `+`: a form that did not encode one near its beginning is decoded at its end (semantics 5.5). */
const file = Buffer.alloc(60_000, 'a picture').toString('base64');
/** Beginnings of an upload in each way: up to the credential, and from there on. */
const WAYS: readonly {
  name: string;
  path: string;
  headers: Headers;
  before: (credential: string) => string;
  begun: string;
}[] = [
  {
    name: 'form',
    path: IMAGE,
    headers: FORM,
    before: (text) => `verifyCode=${text}&FileGuid=a&`,
    begun: `FileImg=${file}`,
  },
  {
    name: 'JSON',
    path: IMAGE,
    headers: JSON_TYPE,
    before: (text) => `{"verifyCode":"${text}",`,
    begun: `"FileImg":"${file}`,
  },
  {
    name: 'multipart form',
    path: IMAGE,
    headers: MULTIPART,
    before: (text) => `--b\r\nContent-Disposition: form-data; name=verifyCode\r\n\r\n${text}\r\n`,
    begun: `--b\r\nContent-Disposition: form-data; name=FileImg; filename=f\r\n\r\n${file}`,
  },
  {
    name: 'SOAP',
    path: SERVICE,
    headers: SOAP,
    before: (text) =>
      `${soapHead('InsertArticleImageFile', ECHO_NAMESPACE)}<verifyCode>${text}</verifyCode>`,
    begun: `<FileImg>${file}`,
  },
  {
    name: 'MTOM',
    path: SERVICE,
    headers: MTOM,
    before: (text) =>
      `--b\r\nContent-Type: application/xop+xml; type="text/xml"\r\nContent-ID: <root>\r\n\r\n${soapHead('InsertArticleImageFile', ECHO_NAMESPACE)}` +
      `<verifyCode>${text}</verifyCode><FileImg><xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:f"/></FileImg>` +
      '</InsertArticleImageFile></s:Body></s:Envelope>\r\n',
    begun: `--b\r\nContent-ID: <f>\r\n\r\n${file}`,
  },
];

describe('the credential is checked as soon as it is read', () => {
  for (const { name, path, headers, before, begun } of WAYS) {
    it(`${name}: a wrong one before a file is refused before the file has come, and no sink is made`, async (test) => {
      const { sinks, createBinarySink } = countingSinks();
      const echo = await startEcho(test, { ...checking({}), createBinarySink });
      const connection = await send(
        test,
        echo.port,
        post(path, headers, before('wrong') + begun, 1_000_000),
      );
      assert.match(await codeOf(connection), /^(403|500) Unauthenticated$/);
      assert.equal(sinks.length, 0);
    });

    it(`${name}: a good one is checked once, and the file goes to its sink while it comes`, async (test) => {
      const { sinks, createBinarySink } = countingSinks();
      const checked: string[] = [];
      const echo = await startEcho(test, { ...checking({}, checked), createBinarySink });
      const connection = await send(
        test,
        echo.port,
        post(path, headers, before('good') + begun, 1_000_000),
      );
      await until(() => sinks[0] !== undefined && sinks[0].pieces.length > 0);
      assert.deepEqual(checked, ['good']);
      connection.socket.destroy();
      await until(() => sinks[0]!.released === 1);
    });
  }

  it('a long text behind a wrong credential is refused before it has come', async (test) => {
    const echo = await startEcho(test, checking({}));
    const bytes = post(ARTICLE, FORM, `token=wrong&content=${'x'.repeat(100_000)}`, 1_000_000);
    assert.equal(await codeOf(await send(test, echo.port, bytes)), '403 Unauthenticated');
  });

  it('a good credential that is repeated is another text: it is checked again', async (test) => {
    const checked: string[] = [];
    const echo = await startEcho(test, checking({}, checked));
    const body = `token=good&content=${'x'.repeat(100_000)}&token=good`;
    assert.equal(
      await codeOf(await send(test, echo.port, post(ARTICLE, FORM, body))),
      '403 Unauthenticated',
    );
    assert.deepEqual(checked, ['good', 'good,good']);
  });

  it('a short request is read to its end first: what is malformed is told as such', async (test) => {
    const echo = await startEcho(test, checking({}));
    const bytes = post(ARTICLE, JSON_TYPE, '{"token":"wrong",,}');
    assert.equal(await codeOf(await send(test, echo.port, bytes)), '400 MalformedRequest');
  });

  it('of the service: nothing of an upload with a wrong credential goes to the disk, of one with a good one it does', async (test) => {
    const { app, database } = await startService(test);
    const incoming = () => readdir(join(database.dataDir, 'files', 'incoming')).catch(() => []);
    const begun = `FileImg=${randomBytes(900_000).toString('base64')}`;
    const upload = (token: string) => post(IMAGE, FORM, `verifyCode=${token}&${begun}`, 3_000_000);
    assert.equal(
      await codeOf(await send(test, app.port, upload('wrong-token-of-nobody'))),
      '403 Unauthenticated',
    );
    assert.deepEqual(await incoming(), []);
    const good = await send(test, app.port, upload(TOKEN));
    for (let names: string[] = []; names.length === 0; names = await incoming())
      await new Promise(setImmediate);
    good.socket.destroy();
  });
});

describe('what a request may cost before its credential is checked is bounded', () => {
  const FILE_FIRST = (bytes: number) => `FileImg=${'A'.repeat(bytes)}&verifyCode=good`;

  for (const [limit, limits, path, within, over] of [
    [
      'unauthenticatedBodyBytes',
      { unauthenticatedBodyBytes: 100_000 },
      IMAGE,
      FILE_FIRST(99_900),
      FILE_FIRST(400_000),
    ],
    [
      'unauthenticatedBytes',
      { unauthenticatedBytes: 100_000 },
      ARTICLE,
      `content=${'x'.repeat(99_000)}&token=good`,
      `content=${'x'.repeat(300_000)}&token=good`,
    ],
  ] as const) {
    it(`${limit}: at it a request is answered, over it not`, async (test) => {
      const echo = await startEcho(test, checking(limits));
      assert.equal(await codeOf(await send(test, echo.port, post(path, FORM, within))), '200');
      assert.equal(
        await codeOf(await send(test, echo.port, post(path, FORM, over))),
        `413 TooLarge ${limit}`,
      );
    });

    it(`${limit}: behind a good credential it does not hold`, async (test) => {
      const echo = await startEcho(test, checking(limits));
      const first = path === IMAGE ? 'verifyCode=good' : 'token=good';
      const body = `${first}&${over.replace(/&\w+=good$/, '')}`;
      assert.equal(await codeOf(await send(test, echo.port, post(path, FORM, body))), '200');
    });
  }

  it('unauthenticatedInflatedBytes: of a compressed body', async (test) => {
    const echo = await startEcho(test, checking({ unauthenticatedInflatedBytes: 50_000 }));
    const packed = (body: string) => post(ARTICLE, { ...FORM, ...GZIP }, gzipSync(body));
    const text = (bytes: number) => `content=${randomBytes(bytes / 2).toString('hex')}`;
    assert.equal(
      await codeOf(await send(test, echo.port, packed(`${text(49_900)}&token=good`))),
      '200',
    );
    assert.equal(
      await codeOf(await send(test, echo.port, packed(`${text(200_000)}&token=good`))),
      '413 TooLarge unauthenticatedInflatedBytes',
    );
    assert.equal(
      await codeOf(await send(test, echo.port, packed(`token=good&${text(200_000)}`))),
      '200',
    );
  });

  it('inflationAllowance and inflationRatio: from the first bytes on', async (test) => {
    const echo = await startEcho(test, checking({ inflationAllowance: 2_000, inflationRatio: 10 }));
    const packed = (bytes: number) =>
      post(ARTICLE, { ...FORM, ...GZIP }, gzipSync(`token=good&content=${'x'.repeat(bytes)}`));
    assert.equal(await codeOf(await send(test, echo.port, packed(1_900))), '200');
    assert.equal(
      await codeOf(await send(test, echo.port, packed(20_000))),
      '413 TooLarge inflationRatio',
    );
  });

  it('chunkOverhead: of a body in chunks of HTTP', async (test) => {
    const echo = await startEcho(test, checking({}));
    const inChunks = (size: number, bytes: number) => {
      const head = Buffer.from(
        `POST ${ARTICLE} HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM['Content-Type']}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      const first = 'token=good&content=';
      const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
      return Buffer.concat([
        head,
        Buffer.from(`${chunk(first)}${chunk('x'.repeat(size)).repeat(bytes / size)}0\r\n\r\n`),
      ]);
    };
    assert.equal(await codeOf(await send(test, echo.port, inChunks(1, 2_000))), '200');
    assert.equal(await codeOf(await send(test, echo.port, inChunks(64, 400_000))), '200');
    assert.equal(
      await codeOf(await send(test, echo.port, inChunks(30, 400_000))),
      '400 MalformedRequest chunkOverhead',
    );
    assert.equal(
      await codeOf(await send(test, echo.port, inChunks(1, 100_000))),
      '400 MalformedRequest chunkOverhead',
    );
  });

  it('fileContents: of one file parameter', async (test) => {
    const echo = await startEcho(test, checking({ fileContents: 3 }));
    const many = (values: readonly string[]) =>
      `verifyCode=good&${values.map((value) => `FileImg=${value}`).join('&')}`;
    assert.equal(
      await codeOf(await send(test, echo.port, post(IMAGE, FORM, many(['AAAA', '', 'AAAA'])))),
      '200',
    );
    for (const values of [
      ['AAAA', '', 'AAAA', 'BBBB'],
      ['', '', '', ''],
    ]) {
      assert.equal(
        await codeOf(await send(test, echo.port, post(IMAGE, FORM, many(values)))),
        '413 TooLarge fileContents',
      );
    }
  });

  it('queryChars: of a GET', async (test) => {
    const echo = await startEcho(test, checking({ queryChars: 100 }));
    const query = (chars: number) =>
      get(`${ARTICLE}?token=good&content=${'x'.repeat(chars - 'token=good&content='.length)}`);
    assert.equal(await codeOf(await send(test, echo.port, query(100))), '200');
    assert.equal(await codeOf(await send(test, echo.port, query(101))), '413 TooLarge queryChars');
  });

  it('earlyParts: of a message with attachments', async (test) => {
    const echo = await startEcho(test, checking({ earlyParts: 2 }));
    const { before } = WAYS.find(({ name }) => name === 'MTOM')!;
    const part = (id: string) => `--b\r\nContent-ID: <${id}>\r\n\r\nx\r\n`;
    const message = (...ids: readonly string[]) =>
      post(SERVICE, MTOM, `${ids.map(part).join('')}${before('good')}--b--`);
    assert.equal(await codeOf(await send(test, echo.port, message('f', 'g'))), '200');
    assert.equal(
      await codeOf(await send(test, echo.port, message('f', 'g', 'h'))),
      '400 MalformedRequest earlyParts',
    );
  });

  it('totalUnauthenticatedBytes: all together; the one that began first gives way, and is told so', async (test) => {
    const echo = await startEcho(test, checking({ totalUnauthenticatedBytes: 560_000 }));
    // Beside 200,000 bytes each may have a piece of 64 KiB under way.
    const begun = post(ARTICLE, FORM, `content=${'x'.repeat(200_000)}`, 200_019);
    const first = await send(test, echo.port, begun);
    await first.read();
    const second = await send(test, echo.port, begun);
    await second.read();
    const third = await send(test, echo.port, begun);
    const answer = await first.answer();
    assert.equal(answer.status, 503);
    assert.match(answer.head, /^x-error-code: Busy/im);
    assert.match(answer.head, /^retry-after: 5/im);
    for (const one of [second, third]) {
      one.socket.write('&token=good');
      assert.equal(await codeOf(one), '200');
    }
  });

  it('totalUnauthenticatedBytes: a request that is whole at once passes while others hold all there is', async (test) => {
    const echo = await startEcho(test, checking({ totalUnauthenticatedBytes: 160_000 }));
    const stalled = await send(
      test,
      echo.port,
      post(ARTICLE, FORM, `content=${'x'.repeat(90_000)}`, 200_000),
    );
    assert.equal(
      await codeOf(await send(test, echo.port, post(ARTICLE, FORM, 'token=good&content=x'))),
      '200',
    );
    assert.equal(
      await codeOf(await send(test, echo.port, get(`${ARTICLE}?token=good&content=x`))),
      '200',
    );
    stalled.socket.destroy();
  });

  it('totalUnauthenticatedBytes: who gives way does not wait until its file is written', async (test) => {
    const given: (() => void)[] = [];
    let released = 0;
    const echo = await startEcho(test, {
      ...checking({ totalUnauthenticatedBytes: 220_000 }),
      // A disk that takes nothing.
      createBinarySink: () => ({
        write: () =>
          new Promise<void>((_, refuse) => given.push(() => refuse(new Error('Nobody wants it.')))),
        abandon() {
          for (const refuse of given) refuse();
        },
        finish: () => new Uint8Array(0),
        release: () => {
          released++;
        },
      }),
    });
    const first = await send(
      test,
      echo.port,
      post(IMAGE, FORM, `FileImg=${'A'.repeat(80_000)}`, 200_000),
    );
    await until(() => given.length > 0);
    const second = await send(
      test,
      echo.port,
      post(ARTICLE, FORM, `content=${'x'.repeat(210_000)}`, 300_000),
    );
    assert.equal(await codeOf(first), '503 Busy');
    await until(() => released === 1);
    second.socket.destroy();
  });

  it('totalUnauthenticatedFileBytes: files that come before the credential, all together', async (test) => {
    const { sinks, createBinarySink } = countingSinks();
    const echo = await startEcho(test, {
      ...checking({ totalUnauthenticatedFileBytes: 100_000 }),
      createBinarySink,
    });
    const begun = post(IMAGE, FORM, `FileImg=${'A'.repeat(80_000)}`, 200_000);
    const first = await send(test, echo.port, begun);
    await until(() => sinks[0] !== undefined && sinks[0].pieces.length > 0);
    assert.equal(await codeOf(await send(test, echo.port, begun)), '503 Busy');
    first.socket.destroy();
    await until(() => sinks[0]!.released === 1);
    assert.equal(
      await codeOf(await send(test, echo.port, post(IMAGE, FORM, FILE_FIRST(80_000)))),
      '200',
    );
  });
});

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
    pass(60_000);
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
    pass(60_000);
    open();
    assert.equal(await codeOf(connection), '200');
  });
});
