import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { addAdmin } from '../../src/domain/admins/admins.ts';
import { SEEDED_SETTINGS } from '../kit/api.ts';
import { DESKTOP, openAs, PASSWORD, saysInPassing, sessionOf } from './kit/browser.ts';
import { answerInChinese, walkInChinese } from './kit/chinese.ts';
import { filledService, report } from './kit/filled.ts';

suite('a page in Chinese', () => {
  test('a script is told in the language of the page why its request was refused', async (t) => {
    const service = await filledService(t);
    const options = { ...DESKTOP, locale: 'zh-CN' };
    const page = await openAs(t, service, 'reader', '/console/articles', options, /400/);
    await saysInPassing(page, '“状态”只能是以下之一', () =>
      page.evaluate(`void htmx.ajax('GET', '/console/articles?state=lost', { target: '#list' })`),
    );
    const told = await page.evaluate(`fetch('/console/account/passkey', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '[]',
    }).then((answer) => answer.json())`);
    assert.deepEqual(told, { problem: '正文不是 JSON 对象。' });
  });
});

test('a console with a record of each kind, in Chinese', async (t) => {
  const service = await filledService(t, SEEDED_SETTINGS);
  const cookie = await sessionOf(service, 'owner', 'ada');

  await t.test(
    'a Chinese page has no English sentence: every page, and the form of every action',
    async () => {
      await report(service, 'piano');
      const { pages, english } = await walkInChinese(service, cookie);
      assert.ok(pages > 20, `${pages} pages`);
      assert.deepEqual(english, []);
    },
  );

  await t.test('what the console refuses in Chinese is said in Chinese', async () => {
    const reader = await sessionOf(service, 'reader', 'eve');
    const fresh = await addAdmin(
      await service.database.open(),
      { name: 'zoe', role: 'reader' },
      Date.now,
    );
    const act = (verb: string, key: string) => ({ verb, key, confirm: 'yes' });
    type Refused = readonly [
      cookie: string,
      path: string,
      form: Record<string, string> | undefined,
      status: number,
      said: string,
    ];
    const refused: readonly Refused[] = [
      [
        '',
        '/sign-in',
        { name: 'ada', password: 'wrong' },
        403,
        '名称与密码不符，或该通行密钥未登记。',
      ],
      [
        '',
        `/set-up/${fresh}`,
        { password: 'short' },
        400,
        '密码必须有 15 到 256 个字符；用一句话作密码是个好办法。',
      ],
      [
        cookie,
        '/account/password',
        { current: 'wrong', password: 'x' },
        400,
        '这不是您现在的密码。',
      ],
      [
        cookie,
        '/account/password',
        { current: PASSWORD, password: 'aaaaaaaaaaaaaaaa' },
        400,
        '密码太容易被猜到：它只是重复，或含有您的名称。',
      ],
      [reader, '/articles/act', act('hold', 'flat'), 403, '您的角色无权执行此操作。'],
      [reader, '/mails/new', {}, 404, '此页面不存在。'],
      [cookie, '/admins/new', { name: 'eve', role: 'owner' }, 400, '已有名为 eve 的管理员。'],
      [
        cookie,
        '/users/new',
        { id: 'x', email: 'nobody' },
        400,
        '邮箱必须是一个邮箱地址。其中没有 @；请填写一个普通地址，例如 grace@example.com。',
      ],
      [cookie, '/articles/act', act('purge', 'flat'), 200, '文章 flat 尚未移除；请先移除。'],
      [cookie, '/articles/act', act('hold', 'none'), 200, '没有文章 "none"。'],
      [
        cookie,
        '/articles?state=lost',
        undefined,
        400,
        '“状态”只能是以下之一：已发布、草稿、待审、隐藏、回收站、暂停公开、已下架、等待中。',
      ],
      [
        cookie,
        '/articles?createdFrom=yesterday',
        undefined,
        400,
        '“创建时间从”必须是时间，例如 2026-11-22T10:30:00Z。',
      ],
      [
        cookie,
        '/articles?cursor=lost',
        undefined,
        400,
        '这个翻页位置不属于此列表的这种排序；请从第一页开始。',
      ],
      [cookie, '/articles/none', undefined, 404, '没有文章 "none"。'],
      [cookie, '/audit/none', undefined, 404, '没有审计 "none"。'],
      [cookie, '/nothing', undefined, 404, '此页面不存在。'],
    ];
    for (const [own, path, form, status, said] of refused) {
      const answer = await answerInChinese(service, own, `/console${path}`, form);
      assert.ok(answer.texts.includes(said), `${path}: ${answer.status} ${answer.texts}`);
      assert.equal(answer.status, status, path);
      assert.deepEqual(answer.english, [], path);
    }
  });
});
