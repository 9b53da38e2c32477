import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openApiDesk } from '../kit/api.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { forBothEngines } from '../kit/database.ts';
import { rowsOf } from '../kit/rows.ts';

forBothEngines((_engine, fresh) => {
  it('everything of a user is taken down in one act, and put back without what was down before', async (t) => {
    const { service, store, tokens, get, post } = await openApiDesk(t, fresh);
    const call = (operation: string, fields: Record<string, string>) =>
      JSON_BINDING.call(service.url, operation, {
        token: tokens.articles,
        tokenId: tokens.articles,
        ...fields,
      });
    // More than one transaction takes.
    for (let number = 0; number < 104; number++)
      await call('addNewAdvert', {
        guid: `spam-${number}`,
        title: 'Win!',
        CreateUserId: 'mallory',
      });
    for (const [guid, CreateUserId] of [
      ['letter', 'mallory'],
      ['flat', 'ada'],
    ] as const)
      await call('InsertArticle', { guid, caption: guid, content: 'x', CreateUserId });
    await call('submitReview', { id: 'flat', Mark: 'Bad', userId: 'mallory' });
    const publicOnes = () =>
      Promise.all(
        (['adverts', 'articles', 'reviews'] as const).map(async (table) => {
          const rows = await rowsOf(store, table, 'created_at');
          return rows.filter(({ removed_at }) => removed_at === null).length;
        }),
      );
    const act = async (path: string) => (await post(path, { reason: 'spam' })).body.changed;
    assert.equal(await act('/adverts/spam-7/remove'), true);
    assert.deepEqual(await publicOnes(), [103, 2, 1]);
    assert.equal(await act('/users/mallory/takedown?preview=true'), true);
    assert.deepEqual(await publicOnes(), [103, 2, 1]);
    assert.equal(await act('/users/mallory/takedown'), true);
    assert.deepEqual(await publicOnes(), [0, 1, 0]);
    assert.equal(await act('/users/mallory/takedown'), false);
    assert.equal(await act('/users/mallory/putback'), true);
    assert.deepEqual(await publicOnes(), [103, 2, 1]);
    assert.equal(await act('/users/mallory/putback'), false);
    assert.equal((await post('/users/nobody/takedown')).status, 404);
    const trail = await get('/audit?targetKey=mallory&action=user.takedown');
    assert.equal(trail.body.items[0].details.reason, 'spam');
  });
});
