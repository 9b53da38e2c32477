import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { temporaryFolder } from '../../../../packages/asmx/test/kit/folder.ts';
import { TEST_BINDINGS } from '../kit/bindings.ts';
import { ws01 } from '../kit/command.ts';
import { forEachEngine } from '../kit/database.ts';
import { blackPng } from '../kit/images/containers.ts';
import { readFolder, writeFolder } from '../kit/portable.ts';
import { startService, TOKEN } from '../kit/service.ts';

const [soap] = TEST_BINDINGS;
const get = TEST_BINDINGS.find(({ name }) => name === 'get')!;

forEachEngine((_engine, fresh) => {
  it('import and export work beside a running service, and it answers with what was brought in', async (t) => {
    const service = await startService(t, await fresh(t));
    const { url, database } = service;
    // An image that waits for its article.
    const image = blackPng(8, 8).toString('base64');
    const params = {
      verifyCode: TOKEN,
      FileGuid: 'waiting',
      FileImg: image,
      Link_Guid: 'flat',
      category: 'photos',
    };
    assert.equal((await soap!.call(url, 'InsertArticleImageFile', params)).result, 'true');

    const now = Date.now();
    const folder = await temporaryFolder(t);
    await writeFolder(join(folder, 'in'), {
      'articles.jsonl': [
        {
          guid: 'flat',
          owner: 'ada',
          caption: 'Zweizimmerwohnung',
          category: 'housing',
          ip: '203.0.113.7',
          createdAt: new Date(now - 3 * DAY_MS).toISOString(),
        },
        {
          guid: 'older',
          owner: 'ada',
          caption: 'Older',
          ip: '203.0.113.7',
          createdAt: new Date(now - 40 * DAY_MS).toISOString(),
        },
      ],
      'reviews.jsonl': [
        {
          subject: 'flat',
          voter: 'user:bob',
          positive: true,
          rating: 4,
          createdAt: new Date(now).toISOString(),
        },
      ],
    });
    const imported = await ws01(database, ['import', join(folder, 'in')]);
    assert.equal(imported.code, 0, imported.stderr);

    const count = async (lastFewDays: string) =>
      (
        await get.call(url, 'countUserPosted', {
          tokenId: TOKEN,
          userId: 'ada',
          lastFewDays,
          level: 'article',
        })
      ).result;
    assert.deepEqual([await count('7'), await count('60')], ['1', '2']);
    const found = await get.call(url, 'QueryImgData', { query: 'zweizimmer' });
    assert.equal(JSON.parse(found.result!).items.length, 1);
    assert.match(found.result!, /"waiting"/);
    const review = {
      id: 'flat',
      IsPositive: 'false',
      Mark: '2',
      userId: 'carl',
      ip: '203.0.113.9',
    };
    const tally = JSON.parse((await get.call(url, 'submitReview', review)).result!);
    assert.deepEqual([tally.positive, tally.negative, tally.averageMark], [1, 1, 3]);

    const writing = new AbortController();
    t.after(() => writing.abort());
    const written = (async () => {
      let n = 0;
      for (; !writing.signal.aborted; n++) {
        const article = {
          token: TOKEN,
          guid: `live-${n}`,
          caption: 'c',
          Status: '0',
          CreateUserId: 'live',
        };
        assert.equal((await get.call(url, 'InsertArticle', article)).status, 200);
      }
      return n;
    })();
    const exported = await ws01(database, ['export', join(folder, 'out')]);
    writing.abort();
    assert.ok((await written) > 0);
    assert.equal(exported.code, 0, exported.stderr);
    const { articles, postings, users } = await readFolder(join(folder, 'out'));
    // One moment: each article with its posting, and no posting without its article.
    const keys = (rows: readonly Record<string, unknown>[] | undefined, field: string) =>
      rows!
        .map((row) => String(row[field]))
        .filter((key) => key.startsWith('live-'))
        .toSorted();
    assert.deepEqual(keys(articles, 'guid'), keys(postings, 'key'));
    assert.equal(
      users!.some(({ id }) => id === 'live'),
      keys(articles, 'guid').length > 0,
    );

    // A damaged image file is told, and the rest is exported.
    await service.app.stop();
    await rm(join(database.dataDir, 'files/kept'), { recursive: true });
    const damaged = await ws01(database, ['export', join(folder, 'damaged'), '--json']);
    assert.equal(damaged.code, 1);
    assert.match(
      damaged.stderr,
      /image files of the service are damaged: [0-9a-f]{64} \(missing\)/,
    );
    assert.deepEqual(Object.values(JSON.parse(damaged.stdout).damaged), ['missing']);
  });
});
