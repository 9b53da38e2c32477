import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import {
  createEndpoint,
  type Endpoint,
  nodeListener,
  operation,
  service,
  string,
  type WireResponse,
} from '@ws01/asmx';
import { fastPath } from '@ws01/asmx/fast';
import { attachFastPath } from '@ws01/fast-http';
import { Random, runs } from '../../asmx/test/kit/random.ts';
import { PATIENCE_MS } from '../../asmx/test/kit/until.ts';

const SEED = Number(process.env.SEED ?? 20261121);
/** How many connections the comparison opens to each server. */
const RUNS = runs(3_000);
const AT_ONCE = 16;

const NS = 'urn:echo';

const SERVICE = service('Echo', {
  namespace: NS,
  operations: { Say: operation({ input: { text: string }, result: string }) },
});
const OPTIONS = {
  handlers: { Say: ({ text = '' }: { readonly text?: string | undefined }) => text },
  path: '/Echo.asmx' as const,
  baseUrl: () => 'http://localhost',
  authorize: () => undefined,
};
const fastEndpoint = createEndpoint(SERVICE, { ...OPTIONS, fastPath });

/** The switch off: a server of `node:http` alone; and on: one with every short cut. */
const plain = serverOf(createEndpoint(SERVICE, OPTIONS));
const short = serverOf(fastEndpoint);
const connections = attachFastPath(short.server, fastEndpoint, ({ target }) =>
  elsewhereShort(target),
);

/** What is there besides the endpoint, and on which way it comes. */
const ELSEWHERE: Readonly<
  Record<string, { readonly body: Buffer; readonly comes: 'at once' | 'later' | 'handed over' }>
> = {
  '/small': { body: Buffer.from('small'), comes: 'at once' },
  '/nothing': { body: Buffer.alloc(0), comes: 'at once' },
  '/longer': { body: Buffer.alloc(20_000, 'longer '), comes: 'later' },
  '/longest': { body: Buffer.alloc(200_000, 'longest '), comes: 'at once' },
  '/handed-over': { body: Buffer.from('handed over'), comes: 'handed over' },
};

function elsewhereShort(target: string): Promise<WireResponse | undefined> | undefined {
  const found = ELSEWHERE[target];
  if (found === undefined) return undefined;
  const answer = { status: 200, headers: {}, rawHeaders: ['X-Way', 'any'], body: found.body };
  if (found.comes === 'at once') return Promise.resolve(answer);
  return pause(1).then(() => (found.comes === 'later' ? answer : undefined));
}

function elsewhere(req: IncomingMessage, res: ServerResponse): void {
  const found = req.method === 'GET' ? ELSEWHERE[req.url ?? ''] : undefined;
  if (found === undefined) res.writeHead(404, { 'Content-Length': 0 }).end();
  else res.writeHead(200, { 'X-Way': 'any', 'Content-Length': found.body.length }).end(found.body);
}

interface Counted {
  readonly server: Server;
  /** Requests that `node:http` was given. */
  requests: number;
  port: number;
}

function serverOf(endpoint: Endpoint): Counted {
  const serve = nodeListener(endpoint);
  const counted: Counted = {
    server: createServer({ maxHeaderSize: 512 * 1024 }),
    requests: 0,
    port: 0,
  };
  const open = new Set<ServerResponse>();
  const answer = (req: IncomingMessage, res: ServerResponse, awaitsContinue: boolean) => {
    counted.requests++;
    open.add(res);
    res.on('close', () => open.delete(res));
    if (!serve(req, res, awaitsContinue)) elsewhere(req, res);
  };
  counted.server.on('request', (req, res) => answer(req, res, false));
  // Node's own says nothing where an answer has begun, which is a matter of time; this waits for the answers to what
  // came before.
  counted.server.on('clientError', async (_error, socket) => {
    const before = [...open].filter(({ req }) => req.socket === socket && req.complete);
    await Promise.all(before.map((res) => once(res, 'close')));
    socket.destroy();
  });
  // Node's own answer leaves the connection open, and the body in it unread.
  counted.server.on('checkExpectation', (_req, res) =>
    res.writeHead(417, { Connection: 'close' }).end(),
  );
  counted.server.on('checkContinue', (req, res) => answer(req, res, true));
  return counted;
}

before(async () => {
  for (const one of [plain, short]) {
    await new Promise<void>((resolve) => one.server.listen(0, '127.0.0.1', resolve));
    one.port = (one.server.address() as AddressInfo).port;
  }
});
after(() => {
  for (const { server } of [plain, short]) {
    server.close();
    server.closeAllConnections();
  }
  connections.destroy();
});

describe('requests are answered as node:http would answer them', () => {
  it(`whatever they are like: ${RUNS} connections`, async () => {
    const random = new Random(SEED);
    const cases = Array.from({ length: RUNS }, () => conversation(random));
    let next = 0;
    const worker = async () => {
      for (let at = next++; at < cases.length; at = next++) await compare(cases[at]!, at);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const taken = plain.requests - short.requests;
    assert.ok(taken > RUNS / 3, `of ${plain.requests} requests only ${taken} went the fast path`);
  });

  /** On a machine with other work an answer may come later than it was waited for: then once more, with patience. */
  async function compare(messages: readonly Message[], at: number): Promise<void> {
    for (const patience of [60, 500, 5_000, PATIENCE_MS]) {
      const [expected, found] = await Promise.all([
        converse(plain.port, messages, patience),
        converse(short.port, messages, patience),
      ]);
      if (expected === found || (messages.some(mayOutrun) && isSameUntilClosed(expected, found)))
        return;
      if (patience === PATIENCE_MS) {
        assert.equal(found, expected, `connection ${at}: ${shown(messages)}`);
      }
    }
  }
});

/** Whether the body, or some of it, is sent without being asked for. */
const mayOutrun = ({ pieces, expects }: Message): boolean =>
  !expects && (pieces.length > 1 || pieces[0]!.includes('Expect: 100-continue'));

/**
 * Whether one said the same as the other until it closed the connection. `node:http` does so where it refuses a request
 * whose body is yet to come, or whose client said that it waits; what is read in one piece has all come. Nor has a body
 * that has come to be asked for.
 */
function isSameUntilClosed(closed: string, open: string): boolean {
  const without = (text: string) =>
    text.replace(/^(?:Connection|Keep-Alive): .*\r\n|HTTP\/1\.1 100 Continue\r\n\r\n/gm, '');
  return (
    (closed.includes('\r\nConnection: close\r\n') || closed.includes('100 Continue')) &&
    without(open).startsWith(without(closed))
  );
}

/** What is written in one go, and whether its answer is waited for before the next. */
interface Message {
  readonly pieces: readonly Buffer[];
  readonly waits: boolean;
  /** Whether the second piece is sent when the server has said something to the first. */
  readonly expects?: boolean;
}

/** Ends a conversation: the server closes behind its answer. */
const LAST: Message = {
  pieces: [Buffer.from('GET /elsewhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')],
  waits: true,
};

/**
 * One to three requests: in whatever shape; or in order, then also in several packets, or all at once. What is wrong may
 * overtake answers, so nothing comes before or behind it.
 */
function conversation(random: Random): Message[] {
  const shape = random.of([
    'anyhow',
    'anyhow',
    'anyhow',
    'in packets',
    'in packets',
    'at once',
    'expecting',
    'expecting',
    'alike',
  ]);
  if (shape === 'alike') return [...alike(random), LAST];
  if (shape === 'expecting') {
    const messages = Array.from({ length: 1 + random.below(3) }, () => expecting(random));
    // A client sends the same head with each call.
    return [...messages, ...(random.below(2) === 0 ? messages : []), LAST];
  }
  const requests = Array.from({ length: 1 + random.below(3) }, () =>
    request(random, shape === 'anyhow'),
  );
  const messages = requests.map((bytes) => ({
    pieces: shape === 'in packets' ? cut(random, bytes) : [bytes],
    waits: shape !== 'at once',
  }));
  return [...messages, LAST];
}

/** Requests of a client whose headers are the same each time, all but the length, which may be wrong. */
function alike(random: Random): Message[] {
  const first = random.of([soap, form, json])({ random, anyhow: false }, random.of(TEXTS));
  const bodyAt = first.indexOf('\r\n\r\n') + 4;
  const head = first.toString('latin1', 0, bodyAt);
  const other = () => {
    const body = first.subarray(bodyAt, bodyAt + random.below(first.length - bodyAt));
    const length = random.of([String(body.length), String(body.length), ...LENGTHS]);
    const written = head.replace(/(?<=Content-Length: )\d+/, length);
    const line = random.below(4) === 0 ? 'GET /Echo.asmx/Say?text=x HTTP/1.1' : undefined;
    return Buffer.concat([
      Buffer.from(line === undefined ? written : written.replace(/.*/, line), 'latin1'),
      body,
    ]);
  };
  return [first, other(), other()].map((bytes) => ({ pieces: [bytes], waits: true }));
}

/** A request as .NET Framework sends it: the body when it is asked for; here now and then only a part of it, or more. */
function expecting(random: Random): Message {
  const way = { random, anyhow: false };
  const of = random.of([soap, soap, form, json, refused, missing]);
  const bytes = of(way, random.of(TEXTS));
  const at = bytes.indexOf('\r\n');
  const to = bytes.indexOf('\r\n\r\n') + 4;
  const expectation = random.of([
    '100-continue',
    '100-continue',
    '100-Continue',
    '100-continue, 100-continue',
    'more',
  ]);
  const head = [
    bytes.subarray(0, at),
    Buffer.from(`\r\nExpect: ${expectation}`),
    bytes.subarray(at, to),
  ];
  const body = random.of([bytes.subarray(to), bytes.subarray(to), bytes.subarray(to, -1)]);
  const next = random.below(4) === 0 ? LAST.pieces : [];
  return {
    pieces: [Buffer.concat(head), Buffer.concat([body, ...next])],
    waits: true,
    expects: true,
  };
}

/** Refused before the body is read. */
function refused(way: Way, text: string): Buffer {
  return post(way, '/Echo.asmx', ['Content-Type: image/png'], text || 'x');
}

/** Not the endpoint's. */
function missing(way: Way, text: string): Buffer {
  return post(way, '/elsewhere', [], text);
}

/** The same bytes in one to three packets. */
function cut(random: Random, bytes: Buffer): Buffer[] {
  const at = random.below(bytes.length);
  const to = at + random.below(bytes.length - at);
  return [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)].filter(
    (piece) => piece.length > 0,
  );
}

const TEXTS = [
  'hello',
  '',
  'a b',
  '中 🏠 <&>"\'',
  'x'.repeat(3_000),
  'é'.repeat(900),
  'y'.repeat(70_000),
];

/** @param anyhow whether it may be out of order. */
function request(random: Random, anyhow: boolean): Buffer {
  const text = random.of(TEXTS);
  const of = random.of([soap, soap, form, json, get, get]);
  const whole = of({ random, anyhow }, text);
  return anyhow && random.below(3) === 0 ? mutate(random, whole) : whole;
}

interface Way {
  readonly random: Random;
  readonly anyhow: boolean;
}

function soap(way: Way, text: string): Buffer {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Say xmlns="${NS}"><text>${escaped}</text></Say></e:Body></e:Envelope>`;
  return post(
    way,
    '/Echo.asmx',
    ['Content-Type: text/xml; charset=utf-8', `SOAPAction: "${NS}/Say"`],
    body,
  );
}

function form(way: Way, text: string): Buffer {
  const type = 'Content-Type: application/x-www-form-urlencoded';
  return post(way, '/echo.asmx/Say', [type], `text=${encodeURIComponent(text)}`);
}

function json(way: Way, text: string): Buffer {
  return post(way, '/Echo.asmx/Say', ['content-type:application/json'], JSON.stringify({ text }));
}

function get(way: Way, text: string): Buffer {
  const call = `/Echo.asmx/Say?text=${encodeURIComponent(text)}`;
  const target = way.random.of([
    call,
    '/Echo.asmx?WSDL',
    '/Echo.asmx',
    '/other',
    ...Object.keys(ELSEWHERE),
  ]);
  return Buffer.from(`GET ${target} HTTP/1.1\r\n${section(way, [])}\r\n`, 'latin1');
}

const LENGTHS = ['', '0', '-1', '1e1', ' 5', '007', '5, 5', '70000'];

function post(way: Way, target: string, headers: readonly string[], text: string): Buffer {
  const { random, anyhow } = way;
  const body = Buffer.from(text);
  const length = anyhow && random.below(20) === 0 ? random.of(LENGTHS) : String(body.length);
  const head = `POST ${target} HTTP/1.1\r\n${section(way, [...headers, `Content-Length: ${length}`])}\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

/** Headers that change nothing, and some that change what becomes of the message or the connection. */
const USUAL = [
  'User-Agent: PHP-SOAP/7.4',
  'Accept: */*',
  'Accept-Encoding: gzip, deflate',
  'Connection: Keep-Alive',
  'X-Forwarded-For: 203.0.113.7',
  'Cache-Control: no-cache',
  'X-Empty:',
  'X-Blanks:   a  b   ',
  '__proto__: x',
];
const UNUSUAL = [
  'Connection: close',
  'Connection: upgrade',
  'Connection: TE, close',
  'Upgrade: h2c',
  'Expect: 100-continue',
  'Expect: everything',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: identity',
  'Content-Length: 3',
  'Content-Encoding: gzip',
  'Keep-Alive: 5',
  'TE: trailers',
  'Trailer: X',
  'Host: y',
  'Accept: text/xml',
  'X-Tab:\ta\tb',
  'X-Latin: \xe9',
  'X-Zero: \0',
  'X Blank: a',
  'X-Colon : a',
  ' folded',
  'no colon',
  ': no name',
  `X-Long: ${'y'.repeat(9_000)}`,
];

function section({ random, anyhow }: Way, own: readonly string[]): string {
  const lines = [...own];
  if (!anyhow || random.below(30) > 0) lines.unshift('Host: localhost:8080');
  for (let count = random.below(4); count > 0; count--)
    lines.splice(random.below(lines.length + 1), 0, random.of(USUAL));
  if (anyhow && random.below(4) === 0)
    lines.splice(random.below(lines.length + 1), 0, random.of(UNUSUAL));
  return lines.map((line) => `${line}\r\n`).join('');
}

const PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  '\xff',
  'HTTP/1.0',
  'HTTP/1.1\r\n\r\n',
  '#',
  '%',
  'Content-Length: 1\r\n',
  '\r\n\r\n',
];

/** Some bytes left out, doubled or put in, mostly in the head. */
function mutate(random: Random, bytes: Buffer): Buffer {
  const headEnd = bytes.indexOf('\r\n\r\n') + 4;
  const at = random.below(random.below(4) > 0 ? headEnd : bytes.length);
  const to = at + random.below(5);
  const middle = random.of([
    Buffer.alloc(0),
    Buffer.from(random.of(PIECES), 'latin1'),
    bytes.subarray(at, to + 20),
  ]);
  return Buffer.concat([
    bytes.subarray(0, at),
    middle,
    bytes.subarray(random.below(2) === 0 ? at : to),
  ]);
}

/** A conversation as a message of a failed test shows it. */
function shown(messages: readonly Message[]): string {
  const text = (piece: Buffer) =>
    JSON.stringify(piece.toString('latin1').replace(/(.)\1{50,}/g, '$1…'));
  return messages
    .map(({ pieces, waits }) => `\n${pieces.map(text).join('\n  ')} ${waits ? 'waits' : ''}`)
    .join('');
}

/** How often a client that waits looks again; ms. */
const TURN_MS = 5;

/** All that a server says in a conversation, but for what is different each time. */
async function converse(
  port: number,
  messages: readonly Message[],
  patience: number,
): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
  let received = '';
  let closed = false;
  let wake = () => {};
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    received += chunk;
    wake();
  });
  const close = () => {
    closed = true;
    wake();
  };
  socket.on('end', close);
  socket.on('error', close);
  socket.on('close', close);
  // Counted in turns of the event loop, which client and servers share: on a busy machine all of them come later.
  const until = async (holds: () => boolean) => {
    for (let turns = 0; !closed && !holds() && turns < patience / TURN_MS; ) {
      let turn: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
        turn = setTimeout(() => {
          turns++;
          resolve();
        }, TURN_MS);
      });
      clearTimeout(turn);
    }
  };
  let asked = 0;
  for (const { pieces, waits, expects } of messages) {
    const before = received.length;
    for (const [index, piece] of pieces.entries()) {
      if (index > 0 && expects) await until(() => received.length > before);
      // Far enough apart to arrive one by one.
      else if (index > 0) await pause(3);
      if (closed) break;
      socket.write(piece);
    }
    asked++;
    if (waits) await until(() => answersIn(received) >= asked);
  }
  await until(() => false);
  // It waits for the rest of something.
  socket.end();
  await until(() => false);
  socket.destroy();
  // Whether a body is still asked for behind which the parser finds what it refuses is a matter of time.
  if (closed) received = received.replace(/HTTP\/1\.1 100 Continue\r\n\r\n$/, '');
  const ofOneOrder = received
    .replace(/^Date: .*$/gm, 'Date')
    .replace(/^(Connection: close\r\n)(Date\r\n)/gm, '$2$1');
  return ofOneOrder.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id');
}

/** How many final answers have come whole. */
function answersIn(received: string): number {
  let answers = 0;
  for (let at = 0; ; ) {
    const end = received.indexOf('\r\n\r\n', at) + 4;
    if (end < 4) return answers;
    const head = received.slice(at, end);
    at = end + Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? 0);
    if (at > received.length) return answers;
    if (!head.startsWith('HTTP/1.1 100')) answers++;
  }
}
