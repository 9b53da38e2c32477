import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CODE_LIFETIME_MS } from '../../src/domain/values/code-outcome.ts';
import { forBothEngines } from '../kit/database.ts';
import { startService } from '../kit/service.ts';
import { sessionOf, visitor } from './kit/browser.ts';
import { call, filledService } from './kit/filled.ts';

/** What a page says, without its marks. */
const textOf = (page: string) => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

test('who has a first and a last name is called so in the list of users, as in every other', async (t) => {
  const service = await filledService(t);
  await call(service, 'updateUserInfo', {
    ...{ userId: 'ada', firstName: 'Ada', lastName: 'Lovelace' },
  });
  const { open } = visitor(service, await sessionOf(service, 'owner'));
  const users = await open('/console/users');
  assert.match(users, /<td data-label="Name"[^>]*>Ada Lovelace<\/td>/);
  // Who has no name but the key is not called by it twice.
  assert.match(users, /href="\/console\/users\/bob">bob<\/a><\/td><td data-label="Name"[^>]*>–</);
  assert.match(textOf(await open('/console/articles')), /Ada Lovelace/);
});

test('who may not see a page is told by its title who does, with a way back; the API says it in its words', async (t) => {
  const service = await startService(t);
  const cookie = await sessionOf(service, 'moderator');
  const moderator = visitor(service, cookie);
  const inChinese = { headers: { Cookie: cookie, 'Accept-Language': 'zh-CN' } };
  for (const [path, said, saidInChinese] of [
    ['settings', 'Only owners see “Settings”.', '只有所有者可以查看“设置”。'],
    ['admins', 'Only owners see “Admins”.', '只有所有者可以查看“管理员”。'],
    ['mails/1', 'Only owners see “Mails”.', '只有所有者可以查看“邮件”。'],
  ] as const) {
    const page = await moderator.open(`/console/${path}`);
    assert.ok(page.includes(said), textOf(page));
    assert.ok(page.includes('<a href="/console">Back to the overview</a>'), path);
    assert.doesNotMatch(textOf(page), /GET|token/);
    const chinese = await (await fetch(`${service.url}/console/${path}`, inChinese)).text();
    assert.ok(chinese.includes(saidInChinese), textOf(chinese));
  }
  const { body } = await moderator.api('GET', '/settings');
  assert.match(JSON.stringify(body), /GET \/settings needs an owner/);
});

forBothEngines((_engine, fresh) => {
  test('who is blocked has a badge, and nothing is offered to be taken down that is down', async (t) => {
    const service = await startService(t, await fresh(t));
    await call(service, 'addNewAdvert', { guid: 'spam', title: 'Win!', CreateUserId: 'mallory' });
    const { open, act } = visitor(service, await sessionOf(service, 'owner'));
    const seen = async () => {
      const page = await open('/console/users/mallory');
      const [, standing = ''] = /<span id="standing">(.*?)<\/div>/.exec(page) ?? [];
      return [textOf(standing).trim(), page.includes('value="takedown"')];
    };
    assert.deepEqual(await seen(), ['', true]);
    await act('users', 'ban', 'mallory');
    assert.deepEqual(await seen(), ['blocked', false]);
    await act('users', 'unblock', 'mallory');
    assert.deepEqual(await seen(), ['', false]);
    await act('adverts', 'restore', 'spam');
    assert.deepEqual(await seen(), ['', true]);
  });

  test('the list of codes says what became of each that was asked for', async (t) => {
    const service = await startService(t, await fresh(t));
    const ask = (phone: string, userId = 'eve') =>
      call(service, 'CreateVerifyCode', { userId, cellphone: phone });
    const enter = (phone: string, VerifyCode: string) =>
      call(service, 'VerifyCodeForPhone', { userId: 'eve', cellphone: phone, VerifyCode });
    await ask('+14155550101', '');
    const store = await service.database.open();
    await store.write((tx) =>
      tx
        .updateTable('audit')
        .set({ at: Date.now() - CODE_LIFETIME_MS })
        .where('action', '=', 'code.create')
        .execute(),
    );
    await enter('+14155550102', await ask('+14155550102'));
    const code = await ask('+14155550103');
    for (let count = 0; count < 5; count++)
      await enter('+14155550103', code === '000000' ? '111111' : '000000');
    await ask('+14155550104');
    await ask('+14155550104');
    const { open } = visitor(service, await sessionOf(service, 'owner'));
    const list = await open('/console/codes?step=created');
    const told = [...list.matchAll(/<td data-label="Outcome"[^>]*>(.*?)<\/td>/g)];
    assert.deepEqual(
      told.map(([, outcome]) => textOf(outcome!).trim()),
      ['waiting', 'replaced', 'wrong too often', 'verified', 'expired'],
    );
  });
});

test('what is asked before an act names whom it concerns; what can be undone has no trash can', async (t) => {
  const service = await filledService(t);
  await call(service, 'updateUserInfo', {
    ...{ userId: 'ada', firstName: 'Ada', lastName: 'Lovelace' },
  });
  const { open, send } = visitor(service, await sessionOf(service, 'owner'));
  const headed = async (kind: string, verb: string, keys: readonly string[]) => {
    const fields = new URLSearchParams([['verb', verb], ...keys.map((key) => ['key', key])]);
    return /<h1[^>]*>([^<]*)</.exec((await send(`/console/${kind}/act`, String(fields))).text)?.[1];
  };
  assert.equal(await headed('users', 'takedown', ['ada']), 'Take everything down: Ada Lovelace?');
  assert.equal(await headed('users', 'ban', ['mallory']), 'Block and hide everything: mallory?');
  assert.equal(await headed('articles', 'remove', ['flat']), 'Take down: Flat to let?');
  assert.equal(await headed('articles', 'remove', ['flat', 'bike-1']), 'Take down?');
  const page = await open('/console/articles/flat');
  assert.match(page, /#eye-off"><\/use><\/svg>Take down</);
});

test('the page of a person counts each kind apart, and puts back only what was taken down', async (t) => {
  const service = await filledService(t);
  const { act, open } = visitor(service, await sessionOf(service, 'owner'));
  const offers = async () => (await open('/console/users/bob')).includes('value="putback"');
  const page = await open('/console/users/bob');
  assert.match(page, /class="chip" href="[^"]*">Articles: <strong>3<\/strong><\/a><\/li>/);
  assert.equal(await offers(), false);
  await act('users', 'takedown', 'bob');
  assert.equal(await offers(), true);
  await act('users', 'putback', 'bob');
  assert.equal(await offers(), false);
});
