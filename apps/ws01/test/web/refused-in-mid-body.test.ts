import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { ServiceError } from '../../../../packages/asmx/src/contract/errors.ts';
import { defineLimits } from '../../../../packages/asmx/src/contract/limits.ts';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { steerTime } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { PATIENCE_MS } from '../../../../packages/asmx/test/kit/until.ts';
import { echoForSuite } from '../kit/echo.ts';
import { serviceForSuite, startService, TOKEN } from '../kit/service.ts';

const BODY = Buffer.alloc(3_000_000, 'x');
const FORM = 'application/x-www-form-urlencoded';

/** A request that is refused, whatever its body is. */
interface Door {
  readonly status: number;
  readonly line: string;
  readonly headers?: readonly string[];
  /** Its first bytes. */
  readonly begun?: string;
}

/** Doors of the service. */
const DOORS: readonly Door[] = [
  { status: 404, line: 'POST /nothing' },
  { status: 404, line: 'POST /WS01.asmx/Nothing' },
  {
    status: 401,
    line: 'POST /api/v1/users/ada/block',
    headers: ['Content-Type: application/json'],
  },
  { status: 405, line: 'PUT /WS01.asmx/InsertArticle' },
  {
    status: 403,
    line: 'POST /console/sign-in',
    headers: [`Content-Type: ${FORM}`, 'Origin: http://evil.example'],
  },
  { status: 415, line: 'POST /WS01.asmx/InsertArticle', headers: ['Content-Type: image/png'] },
  { status: 400, line: 'POST /WS01.asmx', headers: ['Host: a', 'Host: b'] },
  {
    status: 431,
    line: 'POST /WS01.asmx',
    headers: Array.from({ length: 201 }, (_, at) => `X-${at}: 1`),
  },
];

/** Doors of an endpoint whose limits and refusals are ours to choose. */
const ECHO_DOORS: readonly Door[] = [
  { status: 413, line: 'POST /WS01.asmx/InsertArticle', headers: [`Content-Type: ${FORM}`] },
  ...(['RateLimited', 'Busy', 'Unauthenticated'] as const).map((code) => ({
    status: { RateLimited: 429, Busy: 503, Unauthenticated: 403 }[code],
    line: 'POST /WS01.asmx/InsertArticleImageFile',
    headers: [`Content-Type: ${FORM}`],
    begun: `verifyCode=${code}&FileImg=`,
  })),
  { status: 404, line: 'POST /elsewhere' },
];

/** What one write sends; bytes. */
const PIECE_BYTES = 64 * 1024;

/**
 * Sends all of a request before it reads a byte, as many clients do; one that expects `100 Continue` sends the body
 * whatever it is answered, as .NET does that has waited.
 * @param afterPiece called after each piece of the body, with what of it has been sent; bytes.
 * @returns what it reads then.
 */
async function sendAll(
  port: number,
  head: string,
  body: Buffer,
  afterPiece = (_sent: number): unknown => undefined,
): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const send = (piece: Uint8Array) =>
    new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  try {
    socket.setMaxListeners(1_000);
    await once(socket, 'connect', { signal });
    await send(Buffer.from(head, 'latin1'));
    // Some of the answer has come, if it does not wait for the body; nothing of it is taken.
    if (/^Expect: 100-continue/im.test(head)) await once(socket, 'readable', { signal });
    for (let from = 0; from < body.length; from += PIECE_BYTES) {
      await send(body.subarray(from, from + PIECE_BYTES));
      afterPiece(from + PIECE_BYTES);
    }
    let answer = '';
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text;
    });
    socket.resume();
    while (!isWhole(answer))
      await Promise.race([once(socket, 'data', { signal }), once(socket, 'end', { signal })]);
    return answer;
  } finally {
    socket.destroy();
  }
}

/** Whether an answer that is not interim has come. */
function isWhole(answer: string): boolean {
  const final = answer.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, '');
  const end = final.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = Number(/\r\nContent-Length: *(\d+)/i.exec(final)?.[1] ?? 0);
  return final.length >= end + 4 + length;
}

function headOf({ line, headers = [] }: Door, version: string, more: readonly string[]): string {
  const host = headers.some((header) => header.startsWith('Host:')) ? [] : ['Host: x'];
  return [`${line} HTTP/${version}`, ...host, ...headers, ...more, '', ''].join('\r\n');
}

/** What says how the body comes, beside its length. */
const WAYS = {
  'HTTP/1.1': ['1.1'],
  'HTTP/1.1, Connection: close': ['1.1', 'Connection: close'],
  'HTTP/1.1, Expect': ['1.1', 'Expect: 100-continue'],
  'HTTP/1.0': ['1.0'],
} as const;

describe('who is refused in mid-body reads why, however long it sends before it reads', () => {
  const service = serviceForSuite();
  const echo = echoForSuite({
    limits: defineLimits({ bodyBytes: 100_000 }),
    authorize: ({ text }) => {
      throw new ServiceError((text('verifyCode') ?? 'Unauthenticated') as 'Busy', 'Refused.');
    },
  });

  for (const [at, [way, [version, ...more]]] of Object.entries(WAYS).entries()) {
    // By day each door in one of the ways.
    const doors = [...DOORS, ...ECHO_DOORS].filter((_, door) => BY_NIGHT || (door + at) % 4 === 0);
    for (const door of doors) {
      it(`${door.status}, ${door.line}: ${way}`, async () => {
        const body = Buffer.concat([Buffer.from(door.begun ?? ''), BODY]);
        const head = headOf(door, version, [...more, `Content-Length: ${body.length}`]);
        const answer = await sendAll(
          ECHO_DOORS.includes(door) ? echo.port : service.app.port,
          head,
          body,
        );
        assert.match(
          answer,
          new RegExp(`^(HTTP/1\\.1 100 Continue\r\n\r\n)?HTTP/1\\.1 ${door.status} `),
          answer,
        );
      });
    }
  }

  for (const [what, head, status] of [
    ['a target of 8 MB', `GET /${'x'.repeat(8_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
    ['headers of 8 MB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(8_000_000)}\r\n\r\n`, 431],
    [
      'an unknown method',
      `FOO / HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY.length}\r\n\r\n`,
      405,
    ],
    ['no HTTP', `hello\r\n`, 405],
    [
      'a transfer coding',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2dc6c0\r\n',
      501,
    ],
    [
      'chunked not last',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, gzip\r\n\r\n2dc6c0\r\n',
      400,
    ],
    [
      'another expectation',
      `POST / HTTP/1.1\r\nHost: x\r\nExpect: x\r\nContent-Length: ${BODY.length}\r\n\r\n`,
      417,
    ],
  ] as const) {
    it(`${status}: ${what}`, async () => {
      assert.match(
        await sendAll(service.app.port, head, BODY),
        new RegExp(`^HTTP/1\\.1 ${status} `),
      );
    });
  }

  it('Expect: no client is asked for a body that nobody reads', async () => {
    const head = headOf({ status: 404, line: 'POST /nothing' }, '1.1', [
      'Expect: 100-continue',
      'Content-Length: 9',
    ]);
    assert.match(await sendAll(service.app.port, head, Buffer.alloc(0)), /^HTTP\/1\.1 404 /);
  });

  it('Expect: whoever reads the body asks for it', async () => {
    const headers = ['Content-Type: application/json', `Authorization: Bearer ${TOKEN}`];
    const more = ['Expect: 100-continue', 'Content-Length: 2'];
    const answer = await sendAll(
      service.app.port,
      headOf({ status: 0, line: 'POST /mcp', headers }, '1.1', more),
      Buffer.alloc(0),
    );
    assert.match(answer, /^HTTP\/1\.1 (100 Continue|[45]\d\d )/);
  });

  for (const [what, text, told] of [
    ['half-closed in its head', 'POST /x HTTP/1.1\r\nHost: x\r\n', /ended before the request did/],
    [
      'half-closed in its body',
      'POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc',
      /ended before the request did/,
    ],
    [
      'with a space in a name',
      'GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n',
      /not HTTP\/1\.1: Invalid header token\./,
    ],
  ] as const) {
    it(`a message ${what} is refused in words that say so`, async () => {
      const socket = connect({ port: service.app.port, host: '127.0.0.1', allowHalfOpen: true });
      socket.setEncoding('latin1').end(text);
      let answer = '';
      for await (const piece of socket) answer += piece;
      assert.match(answer, told);
    });
  }
});

it('431: what is dropped is not counted as held', async (t) => {
  const { pass } = steerTime(t);
  const { port } = (await startService(t, undefined, {})).app;
  const target = `GET /${'x'.repeat(8_000_000)}`;
  // The service looks at what it holds every 250 ms; it has read most of it by then.
  const look = (sent: number) => sent === 40 * PIECE_BYTES && pass(300);
  const answer = await sendAll(port, target, BODY, look);
  assert.match(answer, /^HTTP\/1\.1 431 /);
});
