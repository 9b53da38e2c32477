// waits: for clients that say nothing
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DEFAULT_LIMITS } from '../../../../packages/asmx/src/contract/limits.ts';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import {
  ARTICLE,
  begunInChunks,
  FORM,
  fill,
  GZIP,
  get,
  IMAGE,
  JSON_TYPE,
  MTOM,
  MULTIPART,
  post,
  SERVICE,
  SOAP,
  soapHead,
} from './kit/requests.ts';
import { Target } from './kit/target.ts';

const MIB = 1024 * 1024;
/** So many send more than half as much again as they may hold. */
const CONNECTIONS = 45;
const SENT = 600_000;
/** A quarter of what is the default. */
const ACCOUNT = 4 * MIB;
/** What they may hold together: the account, twice where text takes two bytes, and what connections take. */
const MOST_HELD = 4 * ACCOUNT;
/** What may have come since the account was last looked at. */
const SLACK = 4 * MIB;
const HEADS_AT_ONCE = 80;

/** All of a gzip stream but its end, so that nothing tells that it is over. */
const unfinished = (text: string) => gzipSync(text).subarray(0, -9);
const bytes = randomBytes(SENT);
const long = (name: string, path: string, type: Readonly<Record<string, string>>, begun: string) =>
  [name, post(path, type, begun, 2 * SENT)] as const;

const HEAD = Buffer.from(`POST ${ARTICLE} HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(400_000)}`);

const HEADS: readonly (readonly [string, Buffer])[] = [
  ['a head', HEAD],
  ['a request target', Buffer.from(`GET ${ARTICLE}?content=${'x'.repeat(400_000)}`)],
  ['a head behind a whole request', Buffer.concat([get('/healthz'), HEAD])],
];

/** Requests that have begun and do not go on. */
const STALLED: readonly (readonly [string, Buffer])[] = [
  long('form: a long value', ARTICLE, FORM, `content=${'x'.repeat(SENT)}`),
  long(
    'form: a long value of two bytes a character',
    ARTICLE,
    FORM,
    `content=${'ж'.repeat(SENT / 2)}`,
  ),
  long('form: a file before the credential', IMAGE, FORM, `FileImg=${bytes.toString('base64')}`),
  long('JSON: a long value', ARTICLE, JSON_TYPE, `{"content":"${'x'.repeat(SENT)}`),
  long('JSON: a long value of escapes', ARTICLE, JSON_TYPE, `{"content":"${fill('\\u0416', SENT)}`),
  long(
    'SOAP: a long value of references',
    SERVICE,
    SOAP,
    `${soapHead('InsertArticle')}<content>${fill('&#65;', SENT)}`,
  ),
  long(
    'SOAP: one start tag',
    SERVICE,
    SOAP,
    `${soapHead('InsertArticle')}<content ${Array.from({ length: 10 }, (_, i) => `a${i}="${'x'.repeat(60_000)}"`).join(' ')}`,
  ),
  long(
    'multipart: a long value',
    ARTICLE,
    MULTIPART,
    `--b\r\nContent-Disposition: form-data; name=content\r\n\r\n${'x'.repeat(SENT)}`,
  ),
  [
    'MTOM: a part before the envelope',
    post(
      SERVICE,
      MTOM,
      Buffer.concat([Buffer.from('--b\r\nContent-ID: <f>\r\n\r\n'), bytes]),
      2 * SENT,
    ),
  ],
  [
    'gzip: one name repeated, of a declared length',
    post(
      ARTICLE,
      { ...FORM, ...GZIP },
      unfinished(fill('guid=1&', 4 * SENT)).subarray(0, 6_000),
      6_100,
    ),
  ],
  [
    'gzip: one name repeated, in chunks',
    begunInChunks(
      ARTICLE,
      { ...FORM, ...GZIP },
      unfinished(fill('guid=1&', 4 * SENT)).subarray(0, 6_000),
    ),
  ],
  [
    'gzip: a long value, in chunks',
    begunInChunks(
      ARTICLE,
      { ...FORM, ...GZIP },
      unfinished(`content=${randomBytes(SENT / 2).toString('hex')}`),
    ),
  ],
  [
    'an ordinary request without its last byte',
    post(ARTICLE, FORM, `content=${'x'.repeat(60_000)}`, 60_009),
  ],
];

describe('requests that stall', () => {
  let target: Target;
  const closers: (() => unknown)[] = [];
  before(async () => {
    const fixed = { maxUnauthenticatedBytes: ACCOUNT };
    target = await Target.start({ after: (close) => closers.push(close) }, { fixed });
    await target.ask(Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'));
  });
  after(() => Promise.all(closers.map((close) => close())));

  for (const [name, begun] of someOf(STALLED, 2)) {
    it(`${name}: ${CONNECTIONS} together hold little, and the service answers others`, async (test) => {
      const earlier = await target.figures(true);
      const sockets = await sendAll(target, begun, CONNECTIONS);
      test.after(() => {
        for (const socket of sockets) socket.destroy();
      });
      await everythingSent(sockets);
      // Those that were sent away still hold something for a moment.
      let held = Number.POSITIVE_INFINITY;
      await until(
        async () => {
          held = (await target.figures(true)).held - earlier.held;
          return held < MOST_HELD;
        },
        () => `${held} bytes are held`,
      );
      if (process.env.SHOW_FIGURES) console.log(name.padEnd(60), `${(held / MIB).toFixed(1)} MiB`);
      await answersOthers(target);
    });
  }
});

/** Heads are kept by the parser of `node:http`, outside of what the process tells: so it is seen who is sent away. */
describe('heads that do not end', () => {
  for (const FAST_PATH of ['on', 'off']) {
    describe(`with FAST_PATH=${FAST_PATH}`, () => {
      let target: Target;
      const closers: (() => unknown)[] = [];
      before(async () => {
        target = await Target.start({ after: (close) => closers.push(close) }, { FAST_PATH });
      });
      after(() => Promise.all(closers.map((close) => close())));

      for (const [name, begun] of FAST_PATH === 'on' ? HEADS : someOf(HEADS, 2)) {
        it(`${name}: the oldest of ${HEADS_AT_ONCE} are sent away`, async () => {
          const sockets = await sendAll(target, begun, HEADS_AT_ONCE);
          const most = Math.ceil((DEFAULT_LIMITS.totalUnauthenticatedBytes + SLACK) / begun.length);
          await until(() => sockets.filter(({ closed }) => !closed).length <= most);
          await answersOthers(target);
          for (const socket of sockets) socket.destroy();
        });
      }
    });
  }
});

/** Sends the same on so many connections. */
async function sendAll(target: Target, begun: Buffer, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const socket = await target.connect();
    socket.resume();
    socket.write(begun);
    sockets.push(socket);
  }
  return sockets;
}

/** A machine without time answers Busy for a moment. */
async function answersOthers(target: Target): Promise<void> {
  const isBusy = /^x-error-code: Busy/im;
  let answer = '';
  await until(async () => {
    answer = await target.ask(post(ARTICLE, FORM, 'token=wrong&content=x'));
    return !isBusy.test(answer);
  });
  assert.match(answer, /^x-error-code: Unauthenticated/im);
}

/** Resolves when the service has taken, or refused, all that was sent. */
function everythingSent(sockets: readonly Socket[]): Promise<void> {
  return until(() => sockets.every((socket) => socket.destroyed || socket.writableLength === 0));
}
