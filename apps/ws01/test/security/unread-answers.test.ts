// alone: it measures the memory of its process
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { freshDatabase } from '../kit/database.ts';
import { type MeasuredService, measuredService } from '../kit/measured-service.ts';
import { TOKEN } from '../kit/names.ts';

const MIB = 1024 * 1024;
const ADVERTS = 100;
const DETAIL_CHARS = 20_000;
/** An answer with a full page of the largest adverts, at least. */
const ANSWER_BYTES = ADVERTS * DETAIL_CHARS;
/** What sockets of the loopback take by themselves, sender and receiver, for each connection at most. */
const KERNEL_BYTES = 12 * MIB;

/** A service of a publisher who has a full page of the largest adverts. */
async function withLargeAdverts(test: TestContext): Promise<MeasuredService> {
  const service = await measuredService(test, await freshDatabase('sqlite', test));
  await Promise.all(
    Array.from({ length: ADVERTS }, async (_, index) => {
      const advert = {
        tokenId: TOKEN,
        CreateUserId: 'publisher',
        title: `${index}`,
        detail: 'é'.repeat(DETAIL_CHARS),
      };
      const answer = await postTo(
        `http://127.0.0.1:${service.port}/WS01.asmx/addNewAdvert`,
        JSON.stringify(advert),
        'application/json',
      );
      assert.equal(answer.status, 200, answer.body);
    }),
  );
  return service;
}

const query = (...headers: readonly string[]): string =>
  [
    'GET /WS01.asmx/QueryAdvert?userId=publisher&query=&pagesize=100&pageindex=1&orderBy=&sort= HTTP/1.1',
    'Host: x',
    ...headers,
    '',
    '',
  ].join('\r\n');

/** A connection that is never read. */
async function unread(test: TestContext, port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => {});
  socket.pause();
  test.after(() => socket.destroy());
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  return socket;
}

/** Waits until the service answers nothing more. */
async function settled(service: MeasuredService): Promise<number> {
  for (let before = -1; ; ) {
    const answered = await service.answered();
    if (answered === before) return answered;
    before = answered;
    await pause(500);
  }
}

const WAYS = { 'the fast path': [], 'node:http': ['TE: trailers'] };

describe('answers that are not read', () => {
  // By day each way has one of them: what waits for a connection is the same code.
  for (const [way, headers] of Object.entries(WAYS)) {
    const isFast = headers.length === 0;
    if (BY_NIGHT || !isFast)
      it(`are not made for the requests behind them: ${way}`, async (test) => {
        const service = await withLargeAdverts(test);
        const before = await service.memory();
        const alreadyAnswered = await service.answered();
        const answered: number[] = [];
        for (const count of [50, 100]) {
          const socket = await unread(test, service.port);
          socket.write(query(...headers).repeat(count));
          const total = await settled(service);
          answered.push(total - alreadyAnswered - (answered[0] ?? 0));
        }
        for (const count of answered)
          assert.ok(count <= 1 + KERNEL_BYTES / ANSWER_BYTES, `${answered} were answered`);
        const after = await service.memory();
        assert.ok(
          after.held - before.held < 16 * MIB,
          `${(after.held - before.held) / MIB} MiB are held`,
        );
        assert.ok(
          after.rss - before.rss < 256 * MIB,
          `${(after.rss - before.rss) / MIB} MiB more are resident`,
        );
      });

    if (BY_NIGHT || isFast)
      it(`hold 64 MiB at most, of however many clients they are: ${way}`, async (test) => {
        const service = await withLargeAdverts(test);
        const before = await service.memory();
        let opened = 0;
        for (const clients of BY_NIGHT ? [15, 30, 60] : [20]) {
          for (; opened < clients; opened++) {
            const socket = await unread(test, service.port);
            socket.write(query(...headers).repeat(10));
          }
          await settled(service);
          const after = await service.memory();
          const held = (after.held - before.held) / MIB;
          assert.ok(held < 64, `${held} MiB are held for ${clients}`);
          assert.ok(
            after.rss - before.rss < 256 * MIB,
            `${(after.rss - before.rss) / MIB} MiB more are resident`,
          );
        }
      });
  }
});
