import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ApiDesk, callOperation, openApiDesk } from '../../kit/api.ts';
import { forBothEngines } from '../../kit/database.ts';

/** What a revision takes besides its texts. */
const ROW = 512;

/** Puts an article whose revision will take so many bytes; each content is another one. */
let written = 0;
const put = (desk: ApiDesk, guid: string, bytes: number, user = 'u-1') =>
  callOperation(desk, 'InsertArticle', {
    guid,
    CreateUserId: user,
    caption: 'é',
    content: `${written++} `.padEnd(bytes - ROW - 2, 'x'),
  });

/** The numbers of the revisions of an article without that of its present content, newest first. */
async function earlier(desk: ApiDesk, guid: string): Promise<number[]> {
  const { items } = (await desk.get(`/articles/${guid}/revisions?limit=100`)).body;
  return items.map(({ revision }: { revision: number }) => revision).slice(1);
}

forBothEngines((_engine, fresh) => {
  it('the oldest revisions go when those of an article take too much', async (t) => {
    const desk = await openApiDesk(t, fresh, { fixed: { revisionsKeptBytes: 8_000 } });
    for (let time = 0; time < 9; time++) await put(desk, 'a-1', 1_000);
    assert.deepEqual(await earlier(desk, 'a-1'), [8, 7, 6, 5, 4, 3, 2, 1], 'exactly so many');
    await put(desk, 'a-1', 1_000);
    assert.deepEqual(await earlier(desk, 'a-1'), [9, 8, 7, 6, 5, 4, 3], 'an eighth is free again');
    await put(desk, 'a-1', 9_000);
    assert.deepEqual((await earlier(desk, 'a-1')).length, 8);
    await put(desk, 'a-1', 1_000);
    assert.deepEqual(
      await earlier(desk, 'a-1'),
      [],
      'one that is larger than all may be is not kept',
    );
    await put(desk, 'a-1', 1_000);
    assert.deepEqual(await earlier(desk, 'a-1'), [12]);
    // What was never counted, such as by a release before, is counted then.
    await desk.store.write((tx) =>
      tx.updateTable('articles').set({ revision_bytes: null }).execute(),
    );
    for (let time = 0; time < 8; time++) await put(desk, 'a-1', 1_000);
    assert.deepEqual((await earlier(desk, 'a-1')).length, 7);
  });

  it('those of the article with the most go when all of a user take too much', async (t) => {
    for (const [most, left] of [
      [700_000, 3],
      [699_999, 2],
    ] as const) {
      const desk = await openApiDesk(t, fresh, { fixed: { revisionsKeptBytesPerUser: most } });
      await put(desk, 'b-1', 300_000, 'u-2');
      await put(desk, 'b-1', 1_000, 'u-2');
      for (const bytes of [100_000, 300_000]) await put(desk, 'a-1', bytes);
      for (const bytes of [300_000]) await put(desk, 'a-2', bytes);
      await put(desk, 'a-1', 1_000);
      await put(desk, 'a-2', 1_000);
      const [one, two, others] = [
        await earlier(desk, 'a-1'),
        await earlier(desk, 'a-2'),
        await earlier(desk, 'b-1'),
      ];
      assert.deepEqual([one.length + two.length, others], [left, [1]], String(most));
      if (left === 2)
        assert.deepEqual([one, two], [[2], [1]], 'the oldest of the article with the most');
    }
  });
});
