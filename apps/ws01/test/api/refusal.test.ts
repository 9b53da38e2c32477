import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openApiDesk } from '../kit/api.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { forEachEngine } from '../kit/database.ts';

forEachEngine((_engine, fresh) => {
  it('who wrote what is rejected with a reason is told it by mail, once, in its language', async (t) => {
    const { service, tokens, ask, get, post } = await openApiDesk(t, fresh);
    const call = (operation: string, fields: Record<string, string>) =>
      JSON_BINDING.call(service.url, operation, {
        token: tokens.articles,
        tokenId: tokens.articles,
        CreateUserId: 'ada',
        ...fields,
      });
    const done = async (path: string, body: object) => {
      const answer = await post(path, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };
    const told = async () => (await get('/mails')).body.items as { readonly id: string }[];
    for (const guid of ['one', 'two', 'three'])
      await call('InsertArticle', { guid, caption: `Flat ${guid}`, content: 'x' });
    await call('addNewAdvert', { guid: 'spam', title: '手机' });
    const edited = await ask('PATCH', '/users/ada', { email: 'ada@example.com' });
    assert.equal(edited.status, 200, JSON.stringify(edited.body));

    await done('/articles/one/reject?preview=true', { reason: 'No address' });
    await done('/articles/two/reject', {});
    assert.deepEqual(await told(), []);
    for (const _ of ['once', 'twice']) await done('/articles/one/reject', { reason: 'No address' });
    await done('/adverts/spam/reject', { reason: '重复的广告' });
    const mails = await Promise.all((await told()).map(async ({ id }) => get(`/mails/${id}`)));
    assert.deepEqual(
      mails.map(({ body }) => [body.receiverEmail, body.subject, body.status]),
      [
        ['ada@example.com', '未发布：手机', 'kept'],
        ['ada@example.com', 'Not published: Flat one', 'kept'],
      ],
    );
    assert.match(mails[0]!.body.body, /^ada，您好：.*重复的广告/s);
    assert.match(mails[1]!.body.body, /^Hello ada,.*\n\nNo address\n$/s);
    const trail = await get('/audit?targetKey=one&action=article.reject');
    assert.equal(trail.body.items[0].details.reason, 'No address');

    // Nothing is sent to an address that bounced.
    await done(`/mails/${mails[0]!.body.id}/suppress`, {});
    await done('/articles/three/reject', { reason: 'Twice' });
    assert.equal((await told()).length, 2);
  });

  it('leaves what is no value in the own text as it stands', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const value = '{constructor} {title}\\n{toString} {__proto__} {other}: {reason}';
    const path = '/settings/MAIL_REFUSED?preview=true';
    assert.deepEqual((await desk.ask('PATCH', path, { value })).body.samples, [
      '{constructor} Flat to let\n\n{toString} {__proto__} {other}: It has no address.',
    ]);
  });
});
