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
    const { body: preview } = await post('/users/mallory/takedown?preview=true', {});
    assert.equal(preview.changed, true);
    assert.deepEqual(preview.records, { article: 1, advert: 103, image: 0, review: 1 });
    assert.deepEqual(await publicOnes(), [103, 2, 1]);
    assert.equal(await act('/users/mallory/takedown'), true);
    assert.deepEqual(await publicOnes(), [0, 1, 0]);
    assert.equal(await act('/users/mallory/takedown'), false);
    const { body: back } = await post('/users/mallory/putback', { reason: 'spam' });
    assert.equal(back.changed, true);
    assert.deepEqual(back.records, { article: 1, advert: 103, image: 0, review: 1 });
    assert.deepEqual(await publicOnes(), [103, 2, 1]);
    assert.equal(await act('/users/mallory/putback'), false);
    assert.equal((await post('/users/nobody/takedown')).status, 404);

    const isBlocked = async () => (await get('/users/mallory')).body.blockedAt !== null;
    assert.equal(await act('/users/mallory/ban'), true);
    assert.deepEqual([await isBlocked(), await publicOnes()], [true, [0, 1, 0]]);
    assert.equal(await act('/users/mallory/ban'), false);
    assert.equal(await act('/users/mallory/unban'), true);
    assert.deepEqual([await isBlocked(), await publicOnes()], [false, [103, 2, 1]]);
    assert.equal((await post('/users/nobody/ban')).status, 404);
    // As many as one transaction takes: nothing is left for the second, and it was a change all the same.
    for (const number of [8, 9, 10, 11]) await act(`/adverts/spam-${number}/remove`);
    await act('/articles/letter/remove');
    assert.deepEqual(await publicOnes(), [99, 1, 1]);
    assert.equal(await act('/users/mallory/takedown'), true);
    assert.deepEqual(await publicOnes(), [0, 1, 0]);
    // What was put back and removed since is down for another reason, and what its author has deleted stays so.
    await act('/users/mallory/putback');
    await act('/adverts/spam-50/remove');
    assert.equal(await act('/users/mallory/putback'), false);
    assert.deepEqual(await publicOnes(), [98, 1, 1]);
    await call('InsertArticle', {
      guid: 'regret',
      caption: 'x',
      content: 'x',
      CreateUserId: 'mallory',
    });
    await call('DeleteArticleByGuid', { guid: 'regret', _userId: 'mallory' });
    const state = async () => (await get('/articles/regret')).body.state;
    assert.equal(await state(), 'trash');
    for (const [down, back] of [
      ['/users/mallory/takedown', '/users/mallory/putback'],
      ['/articles/regret/remove', '/articles/regret/restore'],
    ] as const) {
      await act(down);
      assert.equal(await state(), 'removed');
      assert.equal(await act(back), true);
      assert.equal(await state(), 'trash');
    }
    const trail = await get('/audit?targetKey=mallory&action=user.takedown');
    assert.equal(trail.body.items[0].details.reason, 'spam');
  });

  it('of everything of a user no more is counted than lists count', async (t) => {
    const { store, post } = await openApiDesk(t, fresh);
    await post('/users', { id: 'mallory', name: 'Mallory' });
    const numbers = Array.from({ length: 10_050 }, (_, at) => at);
    for (let first = 0; first < numbers.length; first += 1_000) {
      const rows = numbers.slice(first, first + 1_000).map((at) => ({
        ...{ id: `r-${at}`, subject: `s-${at}`, voter: 'user:mallory', ip: '' },
        ...{ created_at: at, updated_at: at },
      }));
      await store.write(async (tx) => {
        await tx.insertInto('reviews').values(rows).execute();
      });
    }
    const { body } = await post('/users/mallory/ban?preview=true', {});
    assert.equal(body.changed, true);
    assert.deepEqual(body.records, { article: 0, advert: 0, image: 0, review: 10_001 });
  });
});
