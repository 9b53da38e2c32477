import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { XmlDocument } from 'libxml2-wasm';
import { Random, runs } from '../../../../packages/asmx/test/kit/random.ts';
import { call, envelopeOf, VERSIONS } from '../../../../packages/asmx/test/kit/soap.ts';
import { bePatient } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { PATIENCE_MS } from '../../../../packages/asmx/test/kit/until.ts';
import { echoForSuite } from '../kit/echo.ts';
import { goldenExchanges } from './golden/exchanges.ts';

const SEED = 20261121;
const REQUESTS = runs(8_000);
const AT_ONCE = 16;

/** Requests that are mutated: recorded ones, and of what was not recorded one each. */
const CORPUS: readonly Buffer[] = [
  ...goldenExchanges()
    .filter(({ name }) => !name.startsWith('meta/') || name === 'meta/wsdl')
    .filter(({ request }) => !request.includes('__throw'))
    .map(({ request }) => request),
  ...VERSIONS.map(({ contentType, envelope, name, sender, receiver }) => {
    const version = { contentType, envelope, name, sender, receiver };
    return message(
      '/WS01.asmx',
      contentType,
      envelopeOf(version, call('InsertArticleImageFile', '<FileImg>AAAA</FileImg>')),
    );
  }),
  message(
    '/WS01.asmx/InsertArticleImageFile',
    'application/json',
    '{"FileImg":[1,2,3],"IsIcons":true,"ip":"\\u4e2d"}',
  ),
  message(
    '/WS01.asmx/UpdatePinnedTopDueDateByGuid',
    'application/json',
    '{"pinnedTopDueDate":"/Date(0)/"}',
  ),
  message(
    '/WS01.asmx/InsertArticleImageFile',
    'application/x-www-form-urlencoded',
    'FileImg=1&FileImg=22&FileImg=AAAA&ip=%u4e2d',
  ),
  message(
    '/WS01.asmx/InsertArticleImageFile',
    'multipart/form-data; boundary=b',
    '--b\r\nContent-Disposition: form-data; name="FileImg"; filename="x"\r\n\r\nabc\r\n' +
      '--b\r\nContent-Disposition: form-data; name=ip\r\n\r\n1\r\n--b--\r\n',
  ),
  message(
    '/WS01.asmx/DeleImgById',
    'application/x-www-form-urlencoded\r\nContent-Encoding: gzip',
    gzipSync('ip=1'),
  ),
  Buffer.from(
    'POST /WS01.asmx/DeleImgById HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      'Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n8\r\n{"ip":1}\r\n0\r\n\r\n',
  ),
];

function message(path: string, type: string, body: string | Uint8Array): Buffer {
  const bytes = Buffer.from(body as string);
  return Buffer.concat([
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    ),
    bytes,
  ]);
}

/** What breaks parsers, beside random bytes. */
const PIECES = [
  '\0', '\xff', '\xfe\xff', '\r\n', '\r\n\r\n', '<', '>', '&', '&#0;', '&#xD800;', ']]>', '<![CDATA[', '<!--', '<?x', '"', "'", '%', '%u', '%zz',
  '+', '=', '{', '[', '\\', '\\u', '--b', '--b--', ': ', 'xsi:nil="1"', ' xmlns:a="b"', '9'.repeat(400), 'A'.repeat(5_000), '0001-01-01', '-1',
  'Content-Length: 0\r\n', 'Transfer-Encoding: chunked\r\n', 'Content-Encoding: deflate\r\n', 'Accept-Encoding: gzip\r\n', 'Expect: x\r\n',
].map((piece) => Buffer.from(piece, 'latin1')); // biome-ignore format: one per cell would be forty lines

function mutate(random: Random): Buffer {
  let bytes = random.of(CORPUS);
  for (let rounds = 1 + random.below(4); rounds > 0; rounds--) bytes = mutateOnce(random, bytes);
  return bytes;
}

function mutateOnce(random: Random, bytes: Buffer): Buffer {
  const at = random.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + 1 + random.below(20));
  const before = bytes.subarray(0, at);
  switch (random.below(6)) {
    case 0:
      return Buffer.concat([
        before,
        Buffer.from([random.below(256)]),
        bytes.subarray(Math.min(bytes.length, at + 1)),
      ]);
    case 1:
      return Buffer.concat([before, random.of(PIECES), bytes.subarray(at)]);
    case 2:
      return Buffer.concat([before, bytes.subarray(end)]);
    case 3:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)]);
    case 4: {
      const other = random.of(CORPUS);
      return Buffer.concat([before, other.subarray(random.below(other.length))]);
    }
    default:
      return before;
  }
}

/** Sends bytes, closes its side, and takes what comes until the server closes too. */
function sendAndClose(port: number, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => {
      socket.destroy();
      resolve(Buffer.concat(chunks));
    });
    socket.on('error', reject);
    socket.setTimeout(PATIENCE_MS, () => reject(new Error('the answer has no end')));
    socket.end(bytes);
  });
}

/** Checks every answer in what came back, one behind the other. */
function checkAnswers(raw: Buffer): void {
  let rest = raw;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    assert.ok(end > 0, 'a head without end');
    const head = rest.toString('latin1', 0, end);
    assert.match(head, /^HTTP\/1\.1 \d{3} [^\r\n]*(?:\r\n[\w-]+: [^\r\n]*)*$/);
    const status = Number(head.slice(9, 12));
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1];
    const hasBody = status >= 200 && status !== 204 && status !== 304;
    const length = hasBody ? Number(header('content-length')) : 0;
    const body = rest.subarray(end + 4, end + 4 + length);
    // HEAD is answered without the body that it tells of; nothing follows, or another answer.
    const without =
      rest.length === end + 4 || rest.subarray(end + 4).toString('latin1', 0, 5) === 'HTTP/';
    rest = rest.subarray(end + 4 + (without ? 0 : length));
    if (without && length > 0) continue;
    assert.equal(body.length, length, 'a body shorter than it was told');
    checkAnswer(status, header, body);
  }
}

function checkAnswer(
  status: number,
  header: (name: string) => string | undefined,
  body: Buffer,
): void {
  const code = header('x-error-code');
  if (status === 501) assert.match(body.toString(), /^Of transfer codings only chunked is known/);
  else if (status >= 500) {
    assert.equal(status, 500);
    assert.notEqual(code, 'Internal');
    assert.match(body.toString(), /<soap:Fault>/);
    assert.match(body.toString(), /soap:(Client|Sender|MustUnderstand|VersionMismatch)</);
  } else if (status >= 400 && body.length > 0) {
    assert.ok(code, `an error without code: ${status} ${body}`);
  }
  const type = header('content-type')?.split(';')[0] ?? '';
  if (header('content-encoding') !== undefined) return;
  if (type === 'text/xml' || type === 'application/soap+xml')
    XmlDocument.fromBuffer(body).dispose();
  if (type.endsWith('json')) JSON.parse(body.toString());
}

describe('hostile requests', () => {
  const echo = echoForSuite();

  it(`${REQUESTS} mutated ones: every answer is well-formed, none is the server’s fault`, async (test) => {
    bePatient(test);
    const random = new Random(SEED);
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    const counts = new Map<string, number>();
    for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
      const requests = Array.from({ length: AT_ONCE }, () => mutate(random));
      const answers = await Promise.all(requests.map((bytes) => sendAndClose(echo.port, bytes)));
      for (const [index, answer] of answers.entries()) {
        const status = answer.toString('latin1', 9, 12);
        counts.set(status, (counts.get(status) ?? 0) + 1);
        try {
          checkAnswers(answer);
        } catch (error) {
          const shown = `${requests[index]!.toString('latin1').slice(0, 3_000)}\n=>\n${answer.toString('utf8').slice(0, 3_000)}`;
          throw new Error(`${error}\n${shown}`, { cause: error });
        }
      }
    }
    process.off('unhandledRejection', onRejection);
    assert.deepEqual(rejections, []);
    for (const status of ['200', '400', '404', '415', '500'])
      assert.ok((counts.get(status) ?? 0) > REQUESTS / 400, `${status}: ${counts.get(status)}`);
  });
});
