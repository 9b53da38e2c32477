import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { countingSinks } from '../../../../packages/asmx/test/kit/counting-sink.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { startEcho } from '../kit/echo.ts';
import { checking, codeOf, send, WAYS } from './kit/intake.ts';
import { ARTICLE, FORM, GZIP, get, IMAGE, MTOM, post, SERVICE } from './kit/requests.ts';

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
    // The first has sent all that it will: otherwise it could be the one that is refused.
    await until(() => sinks.length > 0 && Buffer.concat(sinks[0]!.pieces).length >= 59_000);
    assert.equal(await codeOf(await send(test, echo.port, begun)), '503 Busy');
    first.socket.destroy();
    await until(() => sinks[0]!.released === 1);
    assert.equal(
      await codeOf(await send(test, echo.port, post(IMAGE, FORM, FILE_FIRST(80_000)))),
      '200',
    );
  });
});
