import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { sessionOf } from '../console/kit/browser.ts';
import { openApiDesk } from '../kit/api.ts';
import { forEachEngine } from '../kit/database.ts';

/** Another value than the default of each setting. */
const SET = {
  fixed: {
    apiBodyBytes: 1024,
    apiPageItems: 101,
    apiSearchChars: 8,
    apiRowsRead: 100,
    apiStreams: 2,
  },
};

forEachEngine((_engine, fresh) => {
  it('each limit of the HTTP API takes what it says and nothing more', async (t) => {
    const desk = await openApiDesk(t, fresh, SET);
    const body = (bytes: number) => `{"id":"ada"${' '.repeat(bytes - 12)}}`;
    const refusal = async (
      asked: Promise<{ status: number; body: { code: string; parameter?: string } }>,
    ) => {
      const { status, body: problem } = await asked;
      return [status, problem.code, problem.parameter];
    };

    assert.equal((await desk.ask('POST', '/users', body(1024))).status, 201);
    assert.deepEqual(await refusal(desk.ask('POST', '/users', body(1025))), [
      413,
      'TooLarge',
      undefined,
    ]);

    assert.equal((await desk.get('/articles?limit=101')).status, 200);
    assert.deepEqual(await refusal(desk.get('/articles?limit=102')), [
      400,
      'InvalidParameter',
      'limit',
    ]);
    const keys = (count: number) =>
      `/public/ratings?keys=${Array.from({ length: count }, (_, key) => key).join()}`;
    assert.equal((await desk.get(keys(101))).body.items.length, 101);
    assert.deepEqual(await refusal(desk.get(keys(102))), [400, 'InvalidParameter', 'keys']);

    assert.equal((await desk.get(`/articles?q=${encodeURIComponent('𝒳'.repeat(8))}`)).status, 200);
    assert.deepEqual(await refusal(desk.get(`/articles?q=${encodeURIComponent('𝒳'.repeat(9))}`)), [
      ...[400, 'InvalidParameter', 'q'],
    ]);
  });

  it('a HEAD for a live stream leaves none open, in the API and in the console', async (t) => {
    const desk = await openApiDesk(t, fresh, SET);
    const asks = {
      '/api/v1/events': { Authorization: `Bearer ${desk.tokens.read}` },
      '/console?live=0': { Cookie: await sessionOf(desk.service, 'reader') },
    };
    for (const [path, credential] of Object.entries(asks)) {
      const headers: Record<string, string> = { ...credential, Accept: 'text/event-stream' };
      for (let round = 0; round < 5; round++) {
        assert.equal(
          (await fetch(desk.url + path, { method: 'HEAD', headers })).status,
          200,
          `${path} ${round}`,
        );
      }
    }
  });

  it('so many live streams are open at once, and another when one has ended', async (t) => {
    const held: Response[] = [];
    t.after(() => held.splice(0));
    const desk = await openApiDesk(t, fresh, SET);
    const stops: AbortController[] = [];
    t.after(() => stops.forEach((stop) => void stop.abort()));
    const open = async () => {
      const stop = new AbortController();
      stops.push(stop);
      const headers = { Authorization: `Bearer ${desk.tokens.read}`, Accept: 'text/event-stream' };
      const answer = await fetch(`${desk.url}/api/v1/events`, { headers, signal: stop.signal });
      // An answer that nobody holds ends its stream with the next garbage collection.
      held.push(answer);
      return answer.status;
    };
    assert.deepEqual([await open(), await open(), await open()], [200, 200, 503]);
    stops[0]!.abort();
    await until(async () => (await open()) === 200);
  });

  it('so many live streams of one person are open at once, and others have theirs', async (t) => {
    const held: Response[] = [];
    t.after(() => held.splice(0));
    const desk = await openApiDesk(t, fresh, { fixed: { apiStreamsPerPerson: 2 } });
    const stops: AbortController[] = [];
    t.after(() => stops.forEach((stop) => void stop.abort()));
    const open = async (path: string, credential: Record<string, string>) => {
      const stop = new AbortController();
      stops.push(stop);
      const headers = { ...credential, Accept: 'text/event-stream' };
      const answer = await fetch(desk.url + path, { headers, signal: stop.signal });
      held.push(answer);
      return answer;
    };
    const reader = () => open('/api/v1/events', { Authorization: `Bearer ${desk.tokens.read}` });
    assert.deepEqual([(await reader()).status, (await reader()).status], [200, 200]);
    const refused = await reader();
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '5']);
    const { code, detail } = (await refused.json()) as { code: string; detail: string };
    assert.equal(code, 'RateLimited');
    assert.match(detail, /^You have 2 live streams open, and may have no more/);

    assert.equal(
      (await open('/api/v1/events', { Authorization: `Bearer ${desk.tokens.manage}` })).status,
      200,
    );
    const Cookie = await sessionOf(desk.service, 'reader');
    // A session has its streams in the console and in the API together.
    assert.equal((await open('/console?live=0', { Cookie })).status, 200);
    assert.equal((await open('/api/v1/events', { Cookie })).status, 200);
    assert.equal((await open('/console?live=0', { Cookie })).status, 429);
    stops[0]!.abort();
    await until(async () => (await reader()).status === 200);
  });

  it('a search that no index knows looks at so many rows for a page, then at the next', async (t) => {
    const desk = await openApiDesk(t, fresh, SET);
    const rows = Array.from({ length: 101 }, (_, index) => ({
      address: `${String(index).padStart(3, '0')}@example.com`,
      reason: 'manual' as const,
      detail: index >= 99 ? '%' : '',
      created_at: 1,
    }));
    await desk.store.write((tx) => tx.insertInto('mail_suppressions').values(rows).execute());
    const addresses = (items: { address: string }[]) => items.map(({ address }) => address);
    const first = (await desk.get('/suppressions?q=%25')).body;
    assert.deepEqual(addresses(first.items), ['099@example.com']);
    const second = (await desk.get(`/suppressions?q=%25&cursor=${first.next}`)).body;
    assert.deepEqual([addresses(second.items), second.next], [['100@example.com'], null]);
  });

  it('a search costs the bytes of a row beside the letters looked for: so few rows it looks at', async (t) => {
    const desk = await openApiDesk(t, fresh, { fixed: { apiReadMs: 0 } });
    const rows = Array.from({ length: 56 }, (_, index) => ({
      address: `${String(index).padStart(3, '0')}@example.com`,
      reason: 'manual' as const,
      detail: 'x'.repeat(2_000),
      created_at: 1,
    }));
    const isAll = async (letters: number) =>
      (await desk.get(`/suppressions?q=${encodeURIComponent('%'.repeat(letters))}`)).body.next ===
      null;
    // Folding costs as much as 64 letters: 2^24 / (150 * 2,016 bytes) = 55.5 rows.
    await desk.store.write((tx) =>
      tx.insertInto('mail_suppressions').values(rows.slice(1)).execute(),
    );
    assert.equal(await isAll(86), true);
    await desk.store.write((tx) => tx.insertInto('mail_suppressions').values(rows[0]!).execute());
    assert.deepEqual([await isAll(86), await isAll(76)], [false, true]);
    // As many words cost as much as one long word.
    const words = Array.from({ length: 70 }, (_, index) => String.fromCharCode(0x4e00 + index));
    const one = await desk.get(`/suppressions?q=${encodeURIComponent([...words, '%'].join(' '))}`);
    assert.equal(one.body.next, null);
    // Of a text 20,000 characters count, so a page looks at three rows.
    await desk.store.write((tx) =>
      tx
        .updateTable('mail_suppressions')
        .set({ detail: 'x'.repeat(200_000) })
        .execute(),
    );
    let looks = 0;
    for (let cursor = ''; ; looks++) {
      const { next } = (
        await desk.get(`/suppressions?q=${encodeURIComponent('%'.repeat(150))}${cursor}`)
      ).body;
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    assert.equal(looks, 18);
  });

  it('a page that found nothing in its time has nothing, and the next one goes on', async (t) => {
    const desk = await openApiDesk(t, fresh, { fixed: { apiReadMs: 0 } });
    const rows = Array.from({ length: 2_001 }, (_, index) => ({
      address: `${String(index).padStart(4, '0')}@example.com`,
      reason: 'manual' as const,
      detail: index === 2_000 ? '%' : '',
      created_at: 1,
    }));
    for (let from = 0; from < rows.length; from += 500) {
      const some = rows.slice(from, from + 500);
      await desk.store.write((tx) => tx.insertInto('mail_suppressions').values(some).execute());
    }
    const first = (await desk.get('/suppressions?q=%25&total=true')).body;
    assert.deepEqual([first.items, first.total, first.atLeast], [[], null, 0]);
    const second = (await desk.get(`/suppressions?q=%25&cursor=${first.next}`)).body;
    assert.deepEqual(second.items, []);
    const third = (await desk.get(`/suppressions?q=%25&cursor=${second.next}`)).body;
    assert.deepEqual([third.items[0].address, third.next], ['2000@example.com', null]);
  });

  it('a search that used up its time goes on with the next page after each thousand rows', async (t) => {
    const rows = Array.from({ length: 2_001 }, (_, index) => ({
      address: `${String(index).padStart(4, '0')}@example.com`,
      reason: 'manual' as const,
      detail: [998, 1_002, 2_000].includes(index) ? '%' : '',
      created_at: 1,
    }));
    for (const [time, expected] of [
      ['0', [['0998@example.com'], ['1002@example.com'], ['2000@example.com']]],
      ['60000', [['0998@example.com', '1002@example.com', '2000@example.com']]],
    ] as const) {
      const desk = await openApiDesk(t, fresh, {
        fixed: { apiReadMs: Number(time) },
      });
      for (let from = 0; from < rows.length; from += 500) {
        const some = rows.slice(from, from + 500);
        await desk.store.write((tx) => tx.insertInto('mail_suppressions').values(some).execute());
      }
      const pages: string[][] = [];
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const { items, next }: { items: { address: string }[]; next: string | null } = (
          await desk.get(`/suppressions?q=%25${cursor}`)
        ).body;
        pages.push(items.map(({ address }) => address));
        cursor = next === null ? undefined : `&cursor=${next}`;
      }
      assert.deepEqual(pages, expected, time);
    }
  });
});
