// slow: it sends megabytes in every framing
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { describe, it, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { defineLimits } from '../../../../packages/asmx/src/contract/limits.ts';
import { RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { BY_NIGHT, someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { Random } from '../../../../packages/asmx/test/kit/random.ts';
import { CERTIFICATES } from '../kit/certificates.ts';
import { ECHO_NAMESPACE, type EchoOptions, echoForSuite, startEcho } from '../kit/echo.ts';
import { cutEvery, sendInPackets } from '../kit/packets.ts';

/** The longest body here is 5 MB in base64. */
const MOST_BYTES = 8 * 1024 * 1024;
/** What was understood as the text, or as the bytes of the file; sha256. */
const understood: string[] = [];
const OPTIONS: EchoOptions = {
  limits: defineLimits({ bodyBytes: MOST_BYTES, textChars: MOST_BYTES }),
  handlers: {
    InsertArticle: ({ content = '' }) => `${understood.push(sha256(content))}`,
    InsertArticleImageFile: ({ FileImg }) => understood.push(sha256(FileImg as Uint8Array)) > 0,
  },
};
const echo = echoForSuite(OPTIONS);

/** Digits and letters, alike in each binding, which gzip makes no shorter than three quarters. */
const CONTENT = (() => {
  const random = new Random(34);
  const bytes = Buffer.alloc(3_750_000);
  for (let at = 0; at < bytes.length; at++) bytes[at] = random.below(256);
  return bytes.toString('base64url');
})();

interface Message {
  readonly path: string;
  readonly type: string;
  readonly body: string;
}

/** The longest that an article's text may be; characters. A longer one goes as the bytes of a file, in base64. */
const LONGEST_TEXT = 2_000_000;

/** A call whose parameters are the credential and what is varied. */
function callWith(text: string) {
  return text.length <= LONGEST_TEXT
    ? { operation: 'InsertArticle', values: { token: 't', content: text } }
    : {
        operation: 'InsertArticleImageFile',
        values: { verifyCode: 't', FileImg: Buffer.from(text).toString('base64') },
      };
}

const envelope = (uri: string, operation: string, values: Readonly<Record<string, string>>) =>
  `<s:Envelope xmlns:s="${uri}"><s:Body><${operation} xmlns="${ECHO_NAMESPACE}">` +
  Object.entries(values)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join('') +
  `</${operation}></s:Body></s:Envelope>`;

function soap(uri: string, type: string, text: string): Message {
  const { operation, values } = callWith(text);
  return {
    path: '/WS01.asmx',
    type: `${type}; charset=utf-8`,
    body: envelope(uri, operation, values),
  };
}

const SOAP11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const SOAP12 = 'http://www.w3.org/2003/05/soap-envelope';

const XOP = '<xop:Include xmlns:xop="http://www.w3.org/2004/08/xop/include" href="cid:f"/>';

/** The same text, or the bytes of it as a file, in each binding. */
const BINDINGS: Readonly<Record<string, (text: string) => Message>> = {
  'SOAP 1.1': (text) => soap(SOAP11, 'text/xml', text),
  'SOAP 1.2': (text) => soap(SOAP12, 'application/soap+xml', text),
  form: (text) => {
    const { operation, values } = callWith(text);
    const body = `${new URLSearchParams(values)}`;
    return { path: `/WS01.asmx/${operation}`, type: 'application/x-www-form-urlencoded', body };
  },
  JSON: (text) => {
    const { operation, values } = callWith(text);
    return {
      path: `/WS01.asmx/${operation}`,
      type: 'application/json',
      body: JSON.stringify(values),
    };
  },
  multipart: (text) => ({
    path: '/WS01.asmx/InsertArticleImageFile',
    type: 'multipart/form-data; boundary=b',
    body:
      '--b\r\nContent-Disposition: form-data; name=verifyCode\r\n\r\nt\r\n' +
      `--b\r\nContent-Disposition: form-data; name=FileImg; filename=f\r\n\r\n${text}\r\n--b--\r\n`,
  }),
  MTOM: (text) => ({
    path: '/WS01.asmx',
    type: 'multipart/related; type="application/xop+xml"; start-info="text/xml"; start="<root>"; boundary=b',
    body: `--b\r\nContent-Type: application/xop+xml; type="text/xml"\r\nContent-ID: <root>\r\n\r\n${envelope(
      SOAP11,
      'InsertArticleImageFile',
      { verifyCode: 't', FileImg: XOP },
    )}\r\n--b\r\nContent-ID: <f>\r\n\r\n${text}\r\n--b--\r\n`,
  }),
};

/** What a way to send says in the head beside the type, and whether it compresses and cuts into chunks. */
const WAYS = {
  length: { gzip: false, chunked: false, headers: [] },
  'gzip, length': { gzip: true, chunked: false, headers: ['Content-Encoding: gzip'] },
  'Expect, length': { gzip: false, chunked: false, headers: ['Expect: 100-continue'] },
  chunked: { gzip: false, chunked: true, headers: [] },
  'gzip, chunked': { gzip: true, chunked: true, headers: ['Content-Encoding: gzip'] },
  'Expect, chunked': { gzip: false, chunked: true, headers: ['Expect: 100-continue'] },
} as const;
type Way = keyof typeof WAYS;

/**
 * What a chunk has beside its bytes and the digits of its size. Extensions that come in one turn with the end of the body
 * are not counted; so whether they are refused depends on the packets, and there is a test of its own for them.
 */
const PLAIN = { extension: '', trailers: '' };
const DRESSES = [
  PLAIN,
  { extension: ';a=b;c="d"', trailers: '' },
  { extension: '', trailers: 'Digest: x\r\nExpires: 0\r\n' },
];

/** How what is sent falls into packets. */
const PACKETS: Readonly<
  Record<string, (head: Buffer, frames: readonly Buffer[]) => Iterable<Uint8Array>>
> = {
  'all in one': (head, frames) => [Buffer.concat([head, ...frames])],
  'the head apart': (head, frames) => [head, Buffer.concat(frames)],
  'a frame each': (head, frames) => [head, ...frames],
  '1,448 bytes': (head, frames) => cutEvery(1_448, Buffer.concat([head, ...frames])),
  'the head apart, 1,448 bytes': (head, frames) => [
    head,
    ...cutEvery(1_448, Buffer.concat(frames)),
  ],
  'one byte': (head, frames) => cutEvery(1, Buffer.concat([head, ...frames])),
};

const TEXT_SIZES = [100, 1_000, 20_000, 66_000, 200_000] as const;
const CHUNK_SIZES = [
  1, 10, 64, 500, 1_023, 1_024, 4_096, 8_192, 16_384, 32_768, 65_536, 100_000, 1_000_000,
] as const;

interface Case {
  readonly binding: string;
  readonly way: Way;
  readonly text: number;
  readonly chunk: number;
  readonly packets: string;
  readonly dress: typeof PLAIN;
}

/** @returns the frames of a body, and what they have beside it; bytes. */
function framed(
  body: Buffer,
  { way, chunk, dress: { extension, trailers } }: Pick<Case, 'way' | 'chunk' | 'dress'>,
) {
  if (!WAYS[way].chunked) return { frames: [body], overhead: 0 };
  const frames: Buffer[] = [];
  let overhead = 0;
  for (let from = 0; from < body.length; from += chunk) {
    const piece = body.subarray(from, from + chunk);
    const line = Buffer.from(`${piece.length.toString(16)}${extension}\r\n`);
    frames.push(Buffer.concat([line, piece, Buffer.from('\r\n')]));
    overhead += line.length + 2;
  }
  frames.push(Buffer.from(`0${extension}\r\n${trailers}\r\n`));
  return { frames, overhead };
}

/** docs/security/limits.md: `chunkOverhead`, 10 % beyond 16 KiB. */
const mostOverhead = (bodyBytes: number) => 16 * 1024 + bodyBytes / 10;

async function check(test: TestContext, one: Case): Promise<void> {
  const text = CONTENT.slice(0, one.text);
  const { path, type, body } = BINDINGS[one.binding]!(text);
  const { gzip, chunked, headers } = WAYS[one.way];
  const sent = gzip ? gzipSync(body) : Buffer.from(body);
  const { frames, overhead } = framed(sent, one);
  const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${sent.length}`;
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: x',
    `Content-Type: ${type}`,
    ...headers,
    length,
    '',
    '',
  ].join('\r\n');
  understood.length = 0;
  const packets = PACKETS[one.packets]!(Buffer.from(head), frames);
  const { status, body: said } = await sendInPackets(test, echo.port, packets);
  const told = JSON.stringify(one);
  if (overhead > mostOverhead(sent.length)) {
    assert.deepEqual(
      [status, /the limit (\w+)/.exec(said)?.[1]],
      [path === '/WS01.asmx' ? 500 : 400, 'chunkOverhead'],
      told,
    );
    return;
  }
  assert.equal(status, 200, `${told}: ${said.slice(0, 300)}`);
  assert.deepEqual(understood, [sha256(text)], told);
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Every chunk size × packets of a way in chunks, every packets of another; bindings, sizes and dresses by turns. And every
 * chunk size × binding as clients mostly send it: the head first, then what does not go into one packet.
 */
function casesOf(way: Way): readonly Case[] {
  const bindings = Object.keys(BINDINGS);
  const cases: Case[] = [];
  // By day every second size, and of what compresses or expects every fourth.
  const sizes = someOf(CHUNK_SIZES, way === 'chunked' ? 2 : 4);
  for (const chunk of WAYS[way].chunked ? sizes : [0, 0, 0]) {
    for (const packets of Object.keys(PACKETS)) {
      const at = cases.length;
      const bytewise = packets === 'one byte' || (chunk < 1_023 && packets === 'a frame each');
      cases.push({
        way,
        chunk,
        packets,
        binding: bindings[(at + Math.floor(at / bindings.length)) % bindings.length]!,
        text: bytewise ? TEXT_SIZES[at % 2]! : TEXT_SIZES[at % TEXT_SIZES.length]!,
        dress: chunk < 500 ? PLAIN : DRESSES[at % DRESSES.length]!,
      });
    }
  }
  for (const chunk of WAYS[way].chunked ? sizes : []) {
    for (const binding of bindings) {
      cases.push({ way, chunk, binding, packets: 'the head apart', text: 66_000, dress: PLAIN });
    }
  }
  return cases;
}

describe('a body is read alike, however it is framed and whatever packets it comes in', () => {
  for (const way of Object.keys(WAYS) as Way[]) {
    for (const binding of Object.keys(BINDINGS)) {
      it(`${way}: ${binding}`, async (test) => {
        const cases = casesOf(way).filter((one) => one.binding === binding);
        assert.ok(cases.length > 0);
        for (const one of cases) await check(test, one);
      });
    }
  }

  for (const [first, way] of (['length', 'chunked'] as const).entries()) {
    for (const [at, binding] of Object.keys(BINDINGS).entries()) {
      // By day a third of them, in small packets and in one in each way.
      if (!BY_NIGHT && (at + first) % 3 !== 0) continue;
      it(`${way}: ${binding}, 5 MB`, async (test) => {
        const packets = at % 2 === 0 ? 'the head apart, 1,448 bytes' : 'all in one';
        const chunk = CHUNK_SIZES[CHUNK_SIZES.length - 1 - at]!;
        await check(test, { way, binding, packets, chunk, text: CONTENT.length, dress: PLAIN });
      });
    }
  }
});

describe('a body in chunks is read alike', () => {
  it('over TLS, chunk by chunk or many in a record', async (test) => {
    const [{ cert, key }] = CERTIFICATES;
    const { url } = await startEcho(test, OPTIONS, {
      cert: Buffer.from(cert),
      key: Buffer.from(key),
    });
    for (const chunk of someOf(
      CHUNK_SIZES.filter((size) => size >= 64),
      2,
    )) {
      for (const corked of [false, true]) {
        const text = CONTENT.slice(0, 200_000);
        const { path, type, body } = BINDINGS.form!(text);
        const sent = request(url + path, {
          method: 'POST',
          headers: { 'Content-Type': type },
          rejectUnauthorized: false,
        });
        understood.length = 0;
        sent.flushHeaders();
        if (corked) sent.cork();
        for (const piece of cutEvery(chunk, Buffer.from(body))) sent.write(piece);
        sent.end();
        const [answer] = (await once(sent, 'response')) as [IncomingMessage];
        answer.resume();
        assert.equal(answer.statusCode, 200, `${chunk}, corked: ${corked}`);
        assert.deepEqual(understood, [sha256(text)]);
      }
    }
  });

  it('behind other requests on its connection, and before them', async (test) => {
    const { path, type, body } = BINDINGS.form!(CONTENT.slice(0, 30_000));
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\n`;
    const { frames } = framed(Buffer.from(body), { way: 'chunked', chunk: 1_024, dress: PLAIN });
    const inChunks = Buffer.concat([
      Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`),
      ...frames,
    ]);
    const whole = Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    const connection = await RawConnection.open(test, echo.port);
    connection.socket.write(Buffer.concat([whole, inChunks, whole, inChunks, inChunks]));
    for (let at = 0; at < 5; at++) assert.equal((await connection.answer()).status, 200, `${at}`);
  });
});

/** Chunks of one byte take six on the wire: so many are within 16 KiB and 10 %, and one more is over. */
const MOST_OF_ONE_BYTE = Math.floor((16 * 1024) / (5 - 0.1));

describe('chunkOverhead, at the limit that limits.md names', () => {
  it('extensions count, from the packets before the last', async (test) => {
    const dress = { extension: `;a=${'x'.repeat(1_000)}`, trailers: '' };
    await check(test, {
      binding: 'form',
      way: 'chunked',
      packets: 'a frame each',
      chunk: 1_000,
      text: 20_000,
      dress,
    });
  });

  for (const binding of ['SOAP 1.1', 'SOAP 1.2']) {
    it(`${binding}: the fault comes with 500, where clients read it`, async (test) => {
      const { path, type, body } = BINDINGS[binding]!(CONTENT.slice(0, 20_000));
      const one = { way: 'chunked', chunk: 1, dress: PLAIN } as const;
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const packets = [Buffer.from(head), ...framed(Buffer.from(body), one).frames];
      const answer = await sendInPackets(test, echo.port, [Buffer.concat(packets)]);
      assert.equal(answer.status, 500);
      assert.match(answer.body, /:Fault>.*the limit chunkOverhead of 10 %/s);
    });
  }

  // Of the last packet that comes in a turn, its first bytes may belong to a chunk that is counted.
  for (const [packets, over] of [
    ['all in one', 1],
    ['the head apart', 1],
    ['the head apart, 1,448 bytes', 2],
  ] as const) {
    for (const more of [0, over]) {
      it(`chunks of one byte, ${packets}: ${more === 0 ? 'as many as it lets' : `${more} more`}`, async (test) => {
        const around = BINDINGS.form!('').body.length;
        const text = MOST_OF_ONE_BYTE + more - around;
        await check(test, {
          binding: 'form',
          way: 'chunked',
          packets,
          chunk: 1,
          text,
          dress: PLAIN,
        });
      });
    }
  }
});
