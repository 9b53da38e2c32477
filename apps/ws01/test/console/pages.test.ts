import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { ICONS } from '../../src/console/icons.ts';
import { addAdmin } from '../../src/domain/admins/admins.ts';
import { RecentCalls } from '../../src/web/recent-calls.ts';
import { SEEDED_SETTINGS } from '../kit/api.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { keptLog } from '../kit/log.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import {
  apiOfSession,
  DESKTOP,
  openSignedIn,
  PASSWORD,
  sessionOf,
  untilInPage,
  useChromium,
  visitor,
} from './kit/browser.ts';
import { answerInChinese, walkInChinese } from './kit/chinese.ts';
import { call, filledService, report } from './kit/filled.ts';

suite('the pages of the console', () => {
  const browser = useChromium();

  test('a list is filtered without a reload, sorted, paged and exported', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'owner');
    const page = await openSignedIn(t, browser(), service, cookie, '/console/articles');
    await page.evaluate('window.kept = true');
    await page.getByLabel('Words').fill('bicycle');
    await page.getByLabel('Words').press('Enter');
    await page.getByRole('link', { name: 'Flat to let' }).waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('window.kept'), true, 'no reload');
    assert.match(page.url(), /q=bicycle/);
    // Rows that came by themselves show times as the first ones do, and who paged by keyboard goes on with them.
    await page.locator('#list time[title]').first().waitFor();
    assert.doesNotMatch((await page.locator('#list time').allTextContents()).join(' '), /UTC/);
    await page.evaluate(`document.activeElement.blur();
      htmx.ajax('GET', location.href, { target: '#list', select: '#list', swap: 'outerHTML' })`);
    await page.locator('#list .scroll:focus').waitFor();
    await page.getByRole('link', { name: 'Bicycle 3 自行车' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bicycle 3 自行车' }).waitFor();
    const exported = await fetch(`${service.url}/console/articles.csv?q=bicycle`, {
      headers: { Cookie: cookie },
    });
    const lines = (await exported.text()).trim().split('\r\n');
    assert.match(
      exported.headers.get('content-disposition') ?? '',
      /attachment; filename="articles\.csv"/,
    );
    assert.match(lines[0]!, /^\uFEFF?guid,caption,/);
    assert.equal(lines.length, 4);
    const revisions = await fetch(`${service.url}/console/articles/flat/revisions.csv`, {
      headers: { Cookie: cookie },
    });
    const [heading, ...contents] = (await revisions.text()).trim().split('\r\n');
    assert.match(heading!, /^\uFEFF?guid,revision,replacedAt,caption,/);
    assert.deepEqual(
      contents.map((line) => line.split(',').slice(0, 2)),
      [
        ['flat', '2'],
        ['flat', '1'],
      ],
    );
    const settings = await fetch(`${service.url}/console/settings.csv`, {
      headers: { Cookie: cookie },
    });
    assert.match(
      await settings.text(),
      /^\uFEFF?variable,value,isSet,default,documentation,isFixed,isSecret,changedAt,changedBy\r\n/,
    );
  });

  test('pictures stand beside texts, are drawn, and only those that are used are served', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'owner');
    const page = await openSignedIn(t, browser(), service, cookie, '/console/articles/flat');
    const drawn = `[...document.querySelectorAll('svg.icon')].map((icon) => [
      icon.parentElement.textContent.trim() !== '', icon.ariaHidden,
      icon.firstElementChild.getBBox().width > 0,
    ])`;
    const links = await page.locator('nav a').count();
    await untilInPage(page, `${drawn}.every(([, , isDrawn]) => isDrawn)`);
    const icons = await page.evaluate<unknown[]>(drawn);
    assert.ok(links > 20 && icons.length > links, `${icons.length} of ${links}`);
    for (const one of icons) assert.deepEqual(one, [true, 'true', true]);
    assert.equal(await page.locator('nav a:not(:has(svg.icon))').count(), 0);
    const sprite = await page.evaluate<string>(
      `fetch(document.querySelector('svg.icon use').href.baseVal).then((answer) => answer.text())`,
    );
    const served = [...sprite.matchAll(/<symbol id="([^"]+)"/g)].map(([, id]) => id);
    const used = Object.values(ICONS).flatMap((group) => Object.values(group));
    assert.deepEqual(served.toSorted(), [...new Set<string>(used)].toSorted());
    assert.match(sprite, /ISC License.*MIT License/s);
  });

  test('the page of a short link shows who followed it and where from, and so does its CSV', async (t) => {
    const service = await filledService(t);
    const short = await call(service, 'UrltoShortUrl', {
      _userId: 'ada',
      _orgUrl: 'https://example.org/flat',
    });
    const headers = {
      'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      Referer: 'https://news.example/today',
      'Accept-Language': 'de-AT',
    };
    const path = `/console/links/${short.split('/').at(-1)}`;
    await fetch(short, { headers, redirect: 'manual' });
    const cookie = await sessionOf(service, 'reader');
    let exported = '';
    await until(async () => {
      exported = await (
        await fetch(`${service.url}${path}/visits.csv`, { headers: { Cookie: cookie } })
      ).text();
      return exported.includes('referrers');
    });
    const day = /\d{4}-\d\d-\d\d/.exec(exported)?.[0];
    assert.deepEqual(exported.trim().split('\r\n').slice(1), [
      ...[`${day},visits,,1`, `${day},robots,,0`, `${day},looks,,0`],
      ...[`${day},referrers,news.example,1`, `${day},languages,de-AT,1`],
    ]);
    const page = await openSignedIn(t, browser(), service, cookie, path);
    await page.getByRole('cell', { name: 'news.example' }).waitFor();
    await page.getByRole('cell', { name: 'Austrian German' }).waitFor();
    const chart = page.getByRole('figure', { name: 'Visits by day' });
    await chart.locator('canvas').waitFor();
    assert.deepEqual(
      JSON.parse((await chart.getAttribute('data-chart'))!).series,
      [
        [0, 0, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0, 0, 0],
      ],
      'a single day is seen beside those before it',
    );
    for (const name of ['Copy: Web address', 'Copy: Leads to'])
      await page.getByRole('button', { name }).waitFor();
    assert.deepEqual(await violationsOf(page), []);
  });

  test('one box finds a record by its key, from any page, by the key /', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'reader');
    const page = await openSignedIn(t, browser(), service, cookie, '/console/audit');
    await page.keyboard.press('/');
    await page.keyboard.type('bike-2');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Bicycle 2 自行车' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Bicycle 2 自行车' }).waitFor();
  });

  test('kind and filters in the box lead to the list, in the words of either language; what is none is searched', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'reader');
    const leadsTo = async (words: string) => {
      const url = `${service.url}/console/search?q=${encodeURIComponent(words)}`;
      const answer = await fetch(url, { headers: { cookie }, redirect: 'manual' });
      return decodeURIComponent(answer.headers.get('location') ?? String(answer.status));
    };
    const ofAda = '/console/articles?state=pending&createUserId=ada&q=flat+to+let';
    for (const [words, path] of Object.entries({
      'kind:article state:pending owner:ada flat to let': ofAda,
      'flat kind:Articles State:Pending to OWNER:ada let': ofAda,
      '类型：文章 状态：待审 所有者：ada flat to let': ofAda,
      'kind:articles createdFrom:today': '/console/articles?createdFrom=today',
      'kind:article created-from:2026-05-01': '/console/articles?createdFrom=2026-05-01',
      'kind:article': '/console/articles',
      'kind:article colour:red': '/console/articles?q=colour:red',
      // A reader sees no mails; other texts with a colon are what they are.
      'kind:mails status:failed': '200',
      'kind:constructor': '200',
      'state:pending': '200',
      'https://example.org/a/long/address': '200',
      '2001:db8::1': '200',
    }))
      assert.equal(await leadsTo(words), path, words);
    const page = await openSignedIn(t, browser(), service, cookie, '/console');
    await page.getByRole('searchbox', { name: 'Search' }).fill('kind:article owner:bob bicycle 2');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Bicycle 2 自行车' }).waitFor();
    await page.getByText('Owner: bob').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Bicycle 1 自行车' }).count(), 0);
    const box = page.getByRole('searchbox', { name: 'Search' });
    assert.match((await box.getAttribute('title')) ?? '', /kind:article state:pending/);
    const missed = async (words: string) =>
      (await fetch(`${service.url}/console/search?q=${words}`, { headers: { cookie } })).text();
    const advice =
      '<p role="status">Nothing was found for “state:pending”. With filters: kind:article';
    assert.ok((await missed('state:pending')).includes(advice));
    assert.doesNotMatch(await missed('https://example.org/none'), /”\. With filters/);
  });

  test('single keys do nothing once they are switched off, and no page names them', async (t) => {
    const service = await startService(t);
    await call(service, 'InsertArticle', { guid: 'a', caption: 'Waits', Status: '2' });
    const cookie = await sessionOf(service, 'moderator');
    const page = await openSignedIn(t, browser(), service, cookie, '/console/desk');
    const named = () =>
      page.evaluate<number>(`[...document.querySelectorAll('kbd, [aria-keyshortcuts]')]
        .filter((one) => one.matches('[aria-keyshortcuts]') || one.checkVisibility()).length`);
    assert.ok((await named()) > 4);
    await page.getByRole('button', { name: 'Single keys: on' }).click();
    await page.getByRole('button', { name: 'Single keys: off' }).waitFor();
    await untilInPage(page, `document.readyState === 'complete'`);
    assert.equal(await named(), 0);
    for (const key of ['/', 'r', 'p']) await page.keyboard.press(key);
    assert.equal(await page.evaluate(`document.activeElement.matches('input')`), false);
    await page.getByRole('heading', { name: 'Waits' }).waitFor();
    await page.getByRole('button', { name: 'Single keys: off' }).click();
    await page.getByRole('button', { name: 'Single keys: on' }).waitFor();
    await untilInPage(page, `document.readyState === 'complete'`);
    await page.keyboard.press('p');
    await page.getByText('Nothing waits for you.').waitFor();
  });

  test('the same box finds everything about one call by its request id: the log, the error, the audit and the mail', async (t) => {
    const service = await filledService(t);
    const ask = async (fields: Record<string, string>) => {
      const body = new URLSearchParams({
        authorizationUserId: TOKEN,
        subject: 'Hello',
        body: 'Hello',
        ...fields,
      });
      const answer = await fetch(`${service.url}/WS01.asmx/SendEmail`, { method: 'POST', body });
      return answer.headers.get('x-request-id')!;
    };
    const sent = await ask({ receiverEmail: 'grace@example.com' });
    const refused = await ask({ receiverEmail: 'nobody' });
    const cookie = await sessionOf(service, 'owner');
    const page = await openSignedIn(t, browser(), service, cookie, `/console/search?q=${sent}`);
    await page
      .getByRole('group', { name: 'Calls with this request id' })
      .getByText('SendEmail')
      .waitFor();
    await page.getByRole('heading', { name: 'Mails' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Hello' }).first().waitFor();
    await page.goto(`${service.url}/console/search?q=${refused}`);
    const calls = page.getByRole('group', { name: 'Calls with this request id' });
    await calls.getByText('InvalidParameter').waitFor();
  });

  test('a script is told in the language of the page why its request was refused', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'reader');
    const options = { ...DESKTOP, locale: 'zh-CN' };
    const page = await openSignedIn(
      t,
      browser(),
      service,
      cookie,
      '/console/articles',
      options,
      /400/,
    );
    await page.evaluate(
      `void htmx.ajax('GET', '/console/articles?state=lost', { target: '#list' })`,
    );
    await page.locator('#toast').filter({ hasText: '“状态”只能是以下之一' }).waitFor();
    const told = await page.evaluate(`fetch('/console/account/passkey', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '[]',
    }).then((answer) => answer.json())`);
    assert.deepEqual(told, { problem: '正文不是 JSON 对象。' });
  });

  test('the overview counts the calls as they come', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'owner');
    const page = await openSignedIn(t, browser(), service, cookie, '/console');
    await page.getByRole('cell', { name: 'InsertArticle', exact: true }).waitFor();
    const row = page
      .getByRole('row')
      .filter({ hasText: 'InsertArticle' })
      .filter({ hasNotText: 'File' });
    await row.getByRole('cell', { name: '5', exact: true }).waitFor();
    await page.locator('[data-chart] canvas').waitFor();
    await page.evaluate(
      `document.querySelector('#live > .scroll').focus(); window.untouched = true`,
    );
    await call(service, 'addNewAdvert', { guid: 'sofa', title: 'Sofa', CreateUserId: 'ada' });
    await page.getByRole('row', { name: /^addNewAdvert .* 3 / }).waitFor();
    assert.equal(await page.evaluate('window.untouched'), true, 'the page was not loaded again');
    assert.equal(
      await page.evaluate(`document.activeElement === document.querySelector('#live > .scroll')`),
      true,
      'who reads the table by keyboard still does',
    );
    await page.locator('[data-chart] canvas').waitFor();
    // There are browsers whose language Intl refuses.
    await page.addInitScript(`for (const [name, value] of [['language', 'en-US@posix'], ['languages', ['en-US@posix', 'en-GB']]])
      Object.defineProperty(Navigator.prototype, name, { get: () => value });`);
    await page.goto(`${service.url}/console`);
    await page.locator('[data-chart] .u-over').hover();
    await page
      .locator('.u-legend .u-value')
      .first()
      .filter({ hasText: /^\d\d:\d\d$/ })
      .waitFor();
    await page.goto(`${service.url}/console/codes`);
    await page
      .getByRole('figure', { name: '1 code requested and 0 verified in 30 days, by day' })
      .locator('canvas')
      .waitFor();
  });
});

test('a console with a record of each kind', async (t) => {
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

  await t.test(
    'several mails are cancelled at once, each is in the audit trail, and one button undoes it',
    async () => {
      const { api, open, send } = visitor(service, cookie);
      for (const subject of ['second', 'third']) {
        const mail = {
          authorizationUserId: TOKEN,
          receiverEmail: 'bob@example.com',
          subject,
          body: 'Hello',
        };
        await call(service, 'SendEmail', mail);
      }
      const itemsOf = async (path: string): Promise<Record<string, string>[]> =>
        (await api('GET', path)).body.items;
      const before = await itemsOf('/mails');
      assert.ok(before.length >= 3);
      const act = (form: string) => send('/console/mails/act', form);
      const done = await act(
        `verb=cancel&confirm=yes&${before.map(({ id }) => `key=${id}`).join('&')}`,
      );
      const page = await open(done.to);
      assert.match(page, new RegExp(`Done: Cancel, ${before.length} of ${before.length}\\.`));
      const entries = await itemsOf(`/audit?requestId=${done.headers.get('x-request-id')}`);
      assert.deepEqual(
        entries.map(({ action, targetKey }) => `${action} ${targetKey}`).toSorted(),
        before.map(({ id }) => `mail.cancel ${id}`).toSorted(),
      );
      const [undo = ''] = /<form[^>]*>(?:(?!<\/form>).)*Undo<\/button>/s.exec(page) ?? [];
      const keys = [...undo.matchAll(/name="key" value="([^"]+)"/g)].map(([, key]) => `key=${key}`);
      await act(`verb=uncancel&confirm=yes&${keys.join('&')}`);
      const statesOf = (mails: readonly Record<string, string>[]) =>
        mails.map(({ id, status }) => `${id} ${status}`);
      assert.deepEqual(statesOf(await itemsOf('/mails')), statesOf(before));
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
        '名称与密码不符，或该通行密钥未登记。',
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
      // The name of the setting is a link.
      [cookie, '/backups/new', {}, 400, '，备份无处存放；请设置。'],
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

  await t.test('a cancelled mail and a cancelled text message can be undone', async () => {
    const { act, api } = visitor(service, cookie);
    for (const kind of ['mails', 'sms']) {
      const { id } = (await api('GET', `/${kind}`)).body.items[0];
      // A text message may just be on its way to the gateway, which is not there.
      let cancelled = '';
      await until(async () => {
        cancelled = await act(kind, 'cancel', id);
        return cancelled.includes('Done: Cancel.');
      });
      const [undo] = /<form[^>]*>(?:(?!<\/form>).)*Undo<\/button>/s.exec(cancelled) ?? [];
      assert.match(
        String(undo),
        new RegExp(`name="verb" value="uncancel"><input type="hidden" name="key" value="${id}"`),
      );
      assert.match(await act(kind, 'uncancel', id), /Done: Undo cancel\./);
    }
  });
});

test('an address is suppressed by a mail of it and by itself, each undone by one button', async (t) => {
  const service = await filledService(t);
  const { open, submit } = visitor(service, await sessionOf(service, 'owner', 'ada'));
  const ask = async (path: string, form?: Record<string, string>) =>
    form === undefined ? open(path) : (await submit(path, form)).text;
  const [, mail = ''] = /\/console\/mails\/([0-9a-f-]{36})/.exec(await ask('/console/mails')) ?? [];
  const isSuppressed = async () => (await ask('/console/suppressions')).includes('bob@example.com');
  for (const [kind, key, verb, undo, suppressed] of [
    ['mails', mail, 'suppress', 'unsuppress', true],
    ['suppressions', 'bob@example.com', 'remove', 'add', false],
  ] as const) {
    if (verb === 'remove') {
      await ask('/console/mails/act', { verb: 'suppress', key: mail, confirm: 'yes' });
      assert.match(
        await ask(`/console/suppressions/${key}`),
        /value="remove" title="[^"]*" class=""><svg.*?<\/svg>Send to it again</,
      );
    }
    const preview = await ask(`/console/${kind}/act`, { verb, key });
    assert.ok(
      preview.includes('Nothing has been done yet') && !preview.includes('cannot be undone'),
      preview,
    );
    assert.equal(await isSuppressed(), !suppressed);
    const done = await ask(`/console/${kind}/act`, { verb, key, confirm: 'yes' });
    assert.match(
      done,
      new RegExp(`name="verb" value="${undo}"><input type="hidden" name="key" value="${key}"`),
    );
    assert.equal(await isSuppressed(), suppressed);
    assert.match(await ask(`/console/${kind}/act`, { verb: undo, key, confirm: 'yes' }), /\./);
    assert.equal(await isSuppressed(), !suppressed);
  }
});

test('the box finds pages, settings and the calls of an operation by their names in either language, for who may see them', async (t) => {
  const service = await filledService(t);
  const sessions = {
    owner: await sessionOf(service, 'owner', 'ada'),
    reader: await sessionOf(service, 'reader'),
  };
  const find = async (role: keyof typeof sessions, words: string) => {
    const url = `${service.url}/console/search?q=${encodeURIComponent(words)}`;
    const page = await (await fetch(url, { headers: { Cookie: sessions[role] } })).text();
    const [, part = ''] = /<section aria-labelledby="s-pages">(.*?)<\/section>/s.exec(page) ?? [];
    return [...part.matchAll(/<a href="([^"]+)">/g)].map(([, path]) => path!);
  };
  assert.deepEqual(await find('owner', 'mail server'), ['/console/settings/SMTP_URL']);
  assert.deepEqual(await find('owner', '邮件服务器'), ['/console/settings/SMTP_URL']);
  assert.deepEqual(await find('owner', 'SMTP_URL'), ['/console/settings/SMTP_URL']);
  assert.deepEqual(await find('owner', '_'), []);
  const hooks = await find('owner', 'webhook');
  assert.deepEqual(hooks.slice(0, 2), ['/console/webhooks', '/console/deliveries']);
  assert.deepEqual(await find('owner', 'ebhook'), [], 'from the beginning of a word');
  for (const words of ['mail server', 'SMTP_URL', 'tokens', 'outbox'])
    assert.deepEqual(await find('reader', words), [], words);
  assert.deepEqual(await find('reader', 'sendemail'), [
    '/console?range=7d&amp;operation=SendEmail#calls',
  ]);
});

test('what an author moved to the trash is restored or deleted; a code has a timeline, and its user the verified number', async (t) => {
  const service = await filledService(t);
  const { act, open } = visitor(service, await sessionOf(service, 'owner', 'ada'));
  await call(service, 'DeleteArticleByGuid', { guid: 'bike-1', createuserid: 'bob' });
  const verbs = [
    ...(await open('/console/articles/bike-1')).matchAll(/name="verb" value="(\w+)"/g),
  ];
  assert.deepEqual(
    verbs.map(([, verb]) => verb).filter((verb) => verb === 'restore' || verb === 'purge'),
    ['restore', 'purge'],
  );
  await act('articles', 'restore', 'bike-1');
  assert.doesNotMatch(await open('/console/articles/bike-1'), /value="(?:restore|purge)"/);

  const asked = { userId: 'eve', cellphone: '+14155550199' };
  const code = await call(service, 'CreateVerifyCode', asked);
  await call(service, 'VerifyCodeForPhone', {
    ...asked,
    VerifyCode: code === '000000' ? '111111' : '000000',
  });
  await call(service, 'VerifyCodeForPhone', { ...asked, VerifyCode: code });
  const page = await open(
    /href="(\/console\/codes\/[^"]+)"/.exec(await open('/console/codes?userId=eve'))![1]!,
  );
  const [, steps = ''] = /<h2 id="timeline">Timeline<\/h2>(.*?)<\/section>/s.exec(page) ?? [];
  const words = [...steps.matchAll(/>(created|attempted|verified)</g)].map(([, step]) => step);
  assert.deepEqual(
    words.filter((word, at) => word !== words[at - 1]),
    ['verified', 'attempted', 'created'],
  );
  assert.match(await open('/console/users/eve'), /<td[^>]*>\+14155550199<\/td>/);
});

test('why a code and a picture did not arrive is on their pages; what happened has words of the language', async (t) => {
  const gateway = await startHttpGateway(t);
  gateway.answer = { status: 400, body: 'no such number' };
  const service = await filledService(t, {
    ...{ ...SEEDED_SETTINGS, SMS_URL: gateway.url, WEBHOOK_NETWORKS: '127.0.0.1' },
  });
  const cookie = await sessionOf(service, 'owner', 'ada');
  const open = async (path: string) =>
    (await fetch(service.url + path, { headers: { Cookie: cookie } })).text();
  const first = async (list: string) => {
    const found = async () =>
      new RegExp(`<div id="list".*?href="(/console/${list}/[^"?]+)"`, 's').exec(
        await open(`/console/${list}`),
      )?.[1];
    await until(async () => (await found()) !== undefined);
    return (await found())!;
  };
  const code = await first('codes');
  await until(async () => (await open(code)).includes('HTTP 400: no such number'));
  const text = /Text messages to this number.*?href="(\/console\/sms\/[^"]+)"/s.exec(
    await open(code),
  );
  assert.match(
    await open(text![1]!),
    /HTTP 400: no such number.*The gateway refused it permanently/s,
  );

  const body = new URLSearchParams({ verifyCode: TOKEN, FileGuid: 'p-1', Link_Guid: 'flat' });
  body.set('FileImg', Buffer.from('no picture').toString('base64'));
  await fetch(`${service.url}/WS01.asmx/InsertArticleImageFile`, { method: 'POST', body });
  const refused = await open(await first('failures'));
  assert.match(refused, /Pictures of this type are not taken/);
  assert.match(refused, /p-1/);
  assert.match(refused, /op=InsertArticleImageFile">What this operation takes</);

  await apiOfSession(service, cookie)('POST', '/webhooks', {
    ...{ url: `${gateway.url}/hook`, types: ['article.*'] },
  });
  await call(service, 'InsertArticle', { guid: 'bike-4', caption: 'Bicycle', content: 'New.' });
  const headers = { Cookie: cookie, 'Accept-Language': 'zh-CN' };
  const inChinese = async (path: string) => (await fetch(service.url + path, { headers })).text();
  const delivery = await first('deliveries');
  assert.match(await inChinese('/console/deliveries'), />文章：创建</);
  assert.match(await inChinese(delivery), /<span class="word" title="article">文章</);
  const users = await open('/console/users/ada');
  for (const [list, filter] of [
    ['adverts', 'createUserId'],
    ['codes', 'userId'],
  ]) {
    const path = `/console/${list}?${filter}=ada`;
    assert.ok(users.includes(`href="${path}"`), path);
    assert.doesNotMatch(await open(path), /were ignored|No records/, path);
  }
  await report(service, 'piano');
  const reported = await first('reports');
  assert.match(await inChinese(reported), /<h1>垃圾信息</);
  assert.match(await open(reported), /<h1>spam</);
});

test('records of any key are found, shown, taken down and exported', async (t) => {
  const service = await startService(t);
  const headers = { Cookie: await sessionOf(service, 'owner', 'ada') };
  const { act, open } = visitor(service, headers.Cookie);
  const titleOf = (page: string) => /<h1>([^<]*)<\/h1>/.exec(page)?.[1];
  /** Where the links of a page lead, as browsers resolve them. */
  const linksOf = (page: string) =>
    [...page.matchAll(/href="([^"]*)"/g)].map(
      ([, path]) => new URL(path!.replaceAll('&#39;', "'"), service.url).pathname,
    );
  const keys = ['.', '..', 'new', '%2e', 'a/b?c#d', 'x%20y', "o'brien", '漢字', '=1+1;@a'];
  for (const [number, guid] of keys.entries()) {
    await call(service, 'addNewAdvert', { guid, title: `Advert ${number}`, CreateUserId: guid });
  }
  const list = linksOf(await open('/console/adverts')).filter(
    (path) => path.startsWith('/console/adverts/') && path !== '/console/adverts/new',
  );
  assert.equal(list.length, keys.length, list.join(' '));
  const titles = await Promise.all(list.map(async (path) => titleOf(await open(path))));
  assert.deepEqual(titles.toSorted(), keys.map((_, number) => `Advert ${number}`).toSorted());
  for (const [number, key] of keys.entries()) {
    assert.match(await act('adverts', 'remove', key), /Done: Take down\./, key);
    const found = linksOf(await open(`/console/search?${new URLSearchParams({ q: key })}`));
    assert.ok(
      found.includes(list.find((_, at) => titles[at] === `Advert ${number}`)!),
      `${key}: ${found.join(' ')}`,
    );
  }
  const users = linksOf(await open('/console/users')).filter((path) =>
    /^\/console\/users\/(?!(?:new|ws01)$)/.test(path),
  );
  const names = await Promise.all(users.map(async (path) => titleOf(await open(path))));
  assert.deepEqual(names.toSorted(), keys.map((key) => key.replace("'", '&#39;')).toSorted());
  for (const path of users) {
    const answer = await fetch(`${service.url}${path}/export.json`, { headers });
    const { person } = (await answer.json()) as { person: string };
    assert.ok(keys.includes(person), path);
    // The name of the file, and nothing else (RFC 8187).
    const [, name] = /^attachment; filename="person\.json"; filename\*=UTF-8''([\w%.~!-]+)$/.exec(
      answer.headers.get('content-disposition') ?? '',
    ) ?? ['', ''];
    assert.equal(decodeURIComponent(name!), `${person}.json`);
  }
  // A search ends after 200 characters, also within one that takes two.
  const long = `${'a'.repeat(199)}😀`;
  assert.match(
    await open(`/console/search?${new URLSearchParams({ q: long })}`),
    /Nothing was found/,
  );
});

test('one request id leads from an action in the console, or from its error, to all that is recorded', async (t) => {
  const { log, lines } = keptLog();
  const service = await startService(t, undefined, {}, log);
  const headers = { Cookie: await sessionOf(service, 'owner', 'ada') };
  const { api, send } = visitor(service, headers.Cookie);
  const advert = { guid: 'spam', title: 'Win a phone', CreateUserId: 'mallory' };
  await call(service, 'addNewAdvert', advert);
  const act = { verb: 'remove', key: 'spam', confirm: 'yes' };
  const done = await send('/console/adverts/act', act);
  const { items } = (await api('GET', `/audit?requestId=${done.headers.get('x-request-id')}`)).body;
  assert.deepEqual(
    items.map(({ action }: { action: string }) => action),
    ['advert.remove'],
  );
  const store = await service.database.open();
  await store.write((tx) => tx.updateTable('audit').set({ details: 'damaged' }).execute());
  const failed = await fetch(`${service.url}/console/audit`, { headers });
  const requestId = failed.headers.get('x-request-id')!;
  assert.equal(failed.status, 500);
  assert.ok((await failed.text()).includes(`<code>${requestId}</code>`));
  assert.ok(lines.some((line) => line.msg === 'failed' && line.requestId === requestId));
});

test('the last 5,000 calls are found by their ids, all that is kept of each', () => {
  const calls = new RecentCalls();
  const call = (requestId: string, at: number) => ({
    requestId,
    ...{ operation: 'A', binding: 'soap11', method: 'POST', status: 200, durationMs: at / 4, at },
    ...{ address: '2001:db8:1111:2222:3333:4444:5555:6666', tokenId: 'one', user: undefined },
    ...{ error: undefined, parameter: undefined, reason: undefined },
  });
  const keep = ({ at, ...kept }: ReturnType<typeof call>) => calls.keep(kept, at);
  const long = 'x'.repeat(128);
  keep(call('first', 1));
  keep(call(long, 2));
  for (let number = 3; number <= 5_001; number++) keep(call(`id ${number}`, number));
  assert.deepEqual(calls.find('first'), [], 'written over');
  assert.deepEqual(calls.find(long), [call(long, 2)]);
  assert.deepEqual(calls.find('id 5001'), [call('id 5001', 5_001)]);
  keep(call('id 5001', 5_002));
  assert.equal(calls.find('id 5001').length, 2);
  assert.deepEqual(calls.find(long), [], 'written over by a shorter one');
});
