import { words } from '../../../../../packages/asmx/src/contract/words.ts';
import type { Random } from '../../../../../packages/asmx/test/kit/random.ts';

/** What stands in bodies: were it taken for a request, it would be one that no proxy has passed on. */
const HIDDEN = 'GET /WS01.asmx/Hidden HTTP/1.1\r\nHost: x\r\n\r\n';

const TARGETS = words(
  '/WS01.asmx/countUserPosted /WS01.asmx / http://x/WS01.asmx/countUserPosted /WS01.asmx/a?b=c *',
  '//x/y',
);
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/1.2',
  'HTTP/2.0',
  'http/1.1',
  'HTTP/01.1',
  'HTTP/1.1 ',
];
const METHODS = ['POST', 'POST', 'POST', 'GET', 'PUT', 'DELETE', 'OPTIONS', 'post', 'PO ST'];
const ENDS = ['\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r', ' \r\n', '\t\r\n', '\r\r\n', '\0\r\n'];
const OTHERS = [
  'Connection: close',
  'Connection: keep-alive',
  'Connection: Content-Length',
  'Connection: Transfer-Encoding',
  'Connection: Upgrade\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  'Upgrade: websocket\r\nConnection: Upgrade',
  'Expect: 100-continue',
  'Expect: 200-ok',
  'TE: trailers',
  'Trailer: Content-Length',
  ': nameless',
  ' folded',
  'X-A: b\r\n folded',
  'X-A: b\r\n\tContent-Length: 3',
  'X A: b',
  'X-A',
  'X-A:',
  'X-\0: b',
  'X-A: \x01\x7f\xff',
  'Content-Type: application/json',
  'Content-Type: text/xml',
  'Keep-Alive: timeout=5',
  'Proxy-Connection: keep-alive',
  'Host: y',
];

/** Content-Length, for a body of so many bytes. */
const LENGTHS: readonly ((bytes: number) => string)[] = [
  (bytes) => `Content-Length: ${bytes}`,
  (bytes) => `Content-Length: ${bytes}`,
  (bytes) => `Content-Length: +${bytes}`,
  (bytes) => `Content-Length: -${bytes}`,
  (bytes) => `Content-Length: 0x${bytes.toString(16)}`,
  (bytes) => `Content-Length: 0${bytes}`,
  (bytes) => `Content-Length: ${bytes}, ${bytes}`,
  (bytes) => `Content-Length: ${bytes}, 0`,
  (bytes) => `Content-Length: ${bytes}\r\nContent-Length: ${bytes}`,
  (bytes) => `Content-Length: ${bytes}\r\nContent-Length: 0`,
  (bytes) => `Content-Length: 0\r\nContent-Length: ${bytes}`,
  (bytes) => `Content-Length : ${bytes}`,
  (bytes) => `Content-Length\t: ${bytes}`,
  (bytes) => ` Content-Length: ${bytes}`,
  (bytes) => `Content-Length:${bytes} `,
  (bytes) => `Content-Length: \t${bytes}`,
  (bytes) => `Content-Length:\r\n ${bytes}`,
  (bytes) => `Content_Length: ${bytes}`,
  (bytes) => `Content-Length: ${bytes}.0`,
  (bytes) => `Content-Length: ${bytes}_0`,
  (bytes) => `Content-Length: ${bytes};a`,
  (bytes) => `Content-Length: "${bytes}"`,
  (bytes) => `Content-Length: ${2n ** 64n + BigInt(bytes)}`,
  (bytes) => `Content-Length: ${2n ** 32n + BigInt(bytes)}`,
  (bytes) => `Content-Length: ${Math.max(0, bytes - 1)}`,
  (bytes) => `Content-Length: ${bytes + 1}`,
  () => 'Content-Length: ',
  () => 'Content-Length: 0',
  (bytes) => `\0Content-Length: ${bytes}`,
  (bytes) => `Content-Length\0: ${bytes}`,
];

const CODINGS = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked',
  'transfer-encoding: CHUNKED',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, gzip',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked;a=b',
  'Transfer-Encoding: ,chunked',
  'Transfer-Encoding: chunked,',
  'Transfer-Encoding: \x0bchunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding: chunked\t',
  'Transfer-Encoding:\r\n chunked',
  'Transfer-Encoding : chunked',
  ' Transfer-Encoding: chunked',
  'Transfer-Encoding',
  'Transfer-Encoding:',
  'Transfer_Encoding: chunked',
  'X-A: b\nTransfer-Encoding: chunked',
  'X-A: b\rTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\0',
];

const SIZES: readonly ((bytes: number) => string)[] = [
  (bytes) => bytes.toString(16),
  (bytes) => bytes.toString(16),
  (bytes) => bytes.toString(16).toUpperCase(),
  (bytes) => `000${bytes.toString(16)}`,
  (bytes) => `0x${bytes.toString(16)}`,
  (bytes) => `+${bytes.toString(16)}`,
  (bytes) => `-${bytes.toString(16)}`,
  (bytes) => ` ${bytes.toString(16)}`,
  (bytes) => `${bytes.toString(16)} `,
  (bytes) => `${bytes.toString(16)}_0`,
  (bytes) => `${bytes.toString(16)};a=b`,
  (bytes) => `${bytes.toString(16)};a="b\r\nc"`,
  (bytes) => `${bytes.toString(16)};\n`,
  (bytes) => `${bytes.toString(16)};${'x'.repeat(300)}`,
  (bytes) => `${bytes.toString(16)} ; a`,
  (bytes) => `${bytes.toString(16)}\t`,
  (bytes) => `${bytes.toString(16)}g`,
  (bytes) => `1${'0'.repeat(16)}${bytes.toString(16)}`,
  (bytes) => (bytes + 2).toString(16),
  (bytes) => Math.max(1, bytes - 2).toString(16),
];
const LAST = [
  '0\r\n\r\n',
  '0\r\n\r\n',
  '0\r\n\r\n',
  '000\r\n\r\n',
  '0;a\r\n\r\n',
  '0\n\n',
  '0\r\n\n',
  '0\r\nX-A: b\r\n\r\n',
  '0\r\nContent-Length: 5\r\n\r\n',
  '0\r\n folded\r\n\r\n',
  '0\r\n',
  '',
  '0 \r\n\r\n',
];

/**
 * What one client sends on one connection: some messages, of which most are strange, and then a plain one, which mostly
 * asks for the end, so that nobody waits for it.
 */
export function conversation(random: Random): Buffer {
  const messages = Array.from({ length: 1 + random.below(2) }, () => message(random));
  const end = random.below(8) === 0 ? '' : 'Connection: close\r\n';
  messages.push(`GET /WS01.asmx/countUserPosted?userId=a HTTP/1.1\r\nHost: x\r\n${end}\r\n`);
  return Buffer.from(messages.join(''), 'latin1');
}

/** Nine times of ten the first one, which is plain. */
const mostly = (random: Random, items: readonly string[]): string =>
  random.below(10) > 0 ? items[0]! : random.of(items);

function message(random: Random): string {
  const body = random.of(['', 'hello', HIDDEN, `userId=a&x=${HIDDEN}`, `${HIDDEN}${HIDDEN}`]);
  const lines = [
    `${mostly(random, METHODS)} ${mostly(random, TARGETS)} ${mostly(random, VERSIONS)}`,
    mostly(random, ['Host: x', 'Host:', 'Host: x, y', 'X: y']),
  ];
  const chunked = random.below(2) === 0;
  const both = random.below(4) === 0;
  const sent = chunked ? chunks(random, body) : body;
  if (chunked || both) lines.push(random.below(2) === 0 ? CODINGS[0]! : random.of(CODINGS));
  if (!chunked || both)
    lines.push((random.below(2) === 0 ? LENGTHS[0]! : random.of(LENGTHS))(body.length));
  for (let others = random.below(3); others > 0; others--)
    lines.splice(2 + random.below(lines.length - 1), 0, random.of(OTHERS));
  const head = lines.map((line) => line + mostly(random, ENDS)).join('');
  return `${random.below(20) === 0 ? '\r\n' : ''}${head}${mostly(random, ['\r\n', '\n', '\r\r\n', ' \r\n'])}${sent}`;
}

function chunks(random: Random, body: string): string {
  const end = () => mostly(random, ['\r\n', '\n', '', '\r', 'x\r\n']);
  const size = random.below(3) === 0 ? random.of(SIZES) : SIZES[0]!;
  const first = body === '' ? '' : `${size(body.length)}${end()}${body}${end()}`;
  return first + (random.below(3) === 0 ? random.of(LAST) : LAST[0]!);
}
