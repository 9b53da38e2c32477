import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { forEachEngine } from '../../kit/database.ts';
import { ADA, BOB, OperationDesk, SERVICE } from '../../kit/operation-desk.ts';

const POSTS_PER_USER = { postsPerUser: [{ limit: 3, window: DAY_MS }] };

forEachEngine((_engine, fresh) => {
  it('a user token creates so many articles and adverts together; what creates nothing uses up nothing', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open(), { rates: POSTS_PER_USER });
    const article = (guid: string, caption: string, caller = ADA) =>
      desk.call('InsertArticle', { guid, caption }, caller);
    const advert = (guid: string, title: string) => desk.call('addNewAdvert', { guid, title }, ADA);
    await article('a1', 'one');
    await advert('v1', 'one');
    for (let i = 0; i < 4; i++) {
      await article('a1', `changed ${i}`);
      await advert('v1', 'one');
      await desk.refuses('MissingParameter', 'caption', 'InsertArticle', { guid: 'a9' }, ADA);
      await desk.refuses(
        'AlreadyExists',
        'guid',
        'addNewAdvert',
        { guid: 'v1', title: 'other' },
        ADA,
      );
    }
    await article('a2', 'two');
    await desk.refuses(
      'RateLimited',
      undefined,
      'InsertArticle',
      { guid: 'a3', caption: 'three' },
      ADA,
    );
    await desk.refuses(
      'RateLimited',
      undefined,
      'UpdateOrInsertArticleById',
      { Id: 'a3', caption: 'three' },
      ADA,
    );
    await desk.refuses(
      'RateLimited',
      undefined,
      'addNewAdvert',
      { guid: 'v3', title: 'three' },
      ADA,
    );
    assert.equal(await article('a2', 'changed'), 'a2');
    await desk.call('DeleteArticleByGuid', { guid: 'a2' }, ADA);
    assert.equal(await article('a2', 'restored'), 'a2');
    await article('b1', 'of another user', BOB);
    for (let i = 0; i < 5; i++) await article(`s${i}`, 'of a service', SERVICE);
    assert.equal(await desk.call('countUserPosted', { userId: 'ada' }), '3');
    desk.now += DAY_MS;
    await article('a3', 'three');
  });
});
