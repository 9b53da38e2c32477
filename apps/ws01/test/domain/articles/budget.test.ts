import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { ADA, ArticleDesk, BOB, SERVICE } from '../../kit/articles.ts';
import { forEachEngine } from '../../kit/database.ts';

const REFUSED = { code: 'RateLimited', retryAfter: 86_400 };

/** So many creations a day. */
const rates = (limit: number) => ({ postsPerUser: [{ limit, window: DAY_MS }] });

forEachEngine((_, fresh) => {
  it('a user token creates as many articles as its budget has, by both operations; the next leaves nothing', async (t) => {
    const desk = new ArticleDesk(await (await fresh(t)).open(), rates(2));
    await desk.insert({ guid: 'a', caption: 'c' }, ADA);
    await desk.update({ Id: 'b', caption: 'c' }, ADA);
    await assert.rejects(
      desk.insert({ guid: 'x', caption: 'c', categoryGuid: 'new' }, ADA),
      REFUSED,
    );
    await assert.rejects(desk.update({ Id: 'x', caption: 'c', nodeId: 'new' }, ADA), REFUSED);
    assert.equal(await desk.exists('articles', 'x'), false);
    assert.equal(await desk.exists('categories', 'new'), false);
    assert.deepEqual(await desk.postings('x'), []);
    await desk.insert({ guid: 'x', caption: 'c' }, BOB);
    desk.now += DAY_MS;
    await desk.insert({ guid: 'y', caption: 'c' }, ADA);
  });

  it('repeating, replacing, deleting, restoring and being refused use up nothing', async (t) => {
    const desk = new ArticleDesk(await (await fresh(t)).open(), rates(2));
    await desk.insert({ guid: 'a', caption: 'c' }, ADA);
    await desk.insert({ guid: 'bob', caption: 'c' }, BOB);
    for (const caption of ['c', 'd', 'e']) {
      await desk.insert({ guid: 'a', caption }, ADA);
      await desk.delete('a', ADA);
      await desk.update({ Id: 'a' }, ADA);
      await assert.rejects(desk.insert({ guid: 'bob', caption }, ADA), { code: 'AlreadyExists' });
      await assert.rejects(desk.update({ Id: 'new' }, ADA), { code: 'MissingParameter' });
    }
    await desk.insert({ guid: 'b', caption: 'c' }, ADA);
    await assert.rejects(desk.insert({ guid: 'x', caption: 'c' }, ADA), REFUSED);
    assert.equal(await desk.insert({ guid: 'a', caption: 'c' }, ADA), 'a');
  });

  it('service tokens have no budget, also where they name the user', async (t) => {
    const desk = new ArticleDesk(await (await fresh(t)).open(), rates(1));
    for (const guid of ['a', 'b', 'c']) {
      await desk.insert({ guid, caption: 'c', CreateUserId: 'ada' }, SERVICE);
    }
    await desk.insert({ guid: 'd', caption: 'c' }, ADA);
  });

  it('of 200 parallel creations exactly as many succeed as the budget has', async (t) => {
    const desk = new ArticleDesk(await (await fresh(t)).open(), rates(50));
    const calls = Array.from({ length: 200 }, (_, index) =>
      desk.insert({ guid: `${index}`, caption: 'c' }, ADA),
    );
    const outcomes = await Promise.allSettled(calls);
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 50);
    const { n } = await desk.store.read((db) =>
      db
        .selectFrom('articles')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .executeTakeFirstOrThrow(),
    );
    assert.equal(Number(n), 50);
  });
});
