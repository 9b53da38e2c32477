import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import type { Setting } from '../../src/config/setting.ts';
import { SETTINGS, USUAL } from '../../src/config/settings.ts';
import { SETTING_GROUPS, SETTING_TEXTS } from '../../src/console/texts/settings.ts';
import { beginSlot } from '../kit/clock.ts';
import { startService, TOKEN } from '../kit/service.ts';
import {
  DESKTOP,
  leave,
  openAs,
  openSignedIn,
  PHONE,
  sessionOf,
  untilInPage,
  visitor,
} from './kit/browser.ts';
import { call, filledService, upload } from './kit/filled.ts';

const CHINESE = { ...DESKTOP, locale: 'zh-CN' };

test('the overview is the site’s: its name, what is new today, the newest articles with pictures', async (t) => {
  beginSlot(t, DAY_MS);
  const name = `Corner Market ${Math.floor(Math.random() * 1_000)}`;
  const service = await filledService(t, { SERVICE_NAME: name });
  const page = await openAs(t, service, 'owner', '/console');
  await page.getByRole('banner').getByRole('link', { name }).waitFor();
  const today = page.getByRole('region', { name: 'New today' });
  await today.getByRole('link', { name: '4 articles' }).waitFor();
  await today.getByRole('link', { name: '2 adverts' }).waitFor();
  await today.getByRole('link', { name: '1 picture' }).waitFor();
  await today.getByRole('link', { name: '1 review' }).waitFor();
  const newest = today.getByRole('listitem').filter({ hasText: 'Flat to let' });
  assert.equal(await newest.locator('img.thumb').count(), 1);
  await untilInPage(page, 'document.querySelector(".news img.thumb").naturalWidth > 0');
  await today.getByRole('link', { name: '4 articles' }).click();
  await page.getByText('4 records').waitFor();
});

test('every page has the name of the site at its head and in its tab, which says what it is about', async (t) => {
  const name = 'Tom & Ada’s <market>';
  const service = await filledService(t, { SERVICE_NAME: name });
  const cookie = await sessionOf(service, 'owner');
  const tabs = {
    '/console': ['Overview', '概览'],
    '/console/articles': ['Articles', '文章'],
    '/console/articles/flat': ['Article “Flat to let”', '文章“Flat to let”'],
    '/console/articles/flat/edit': ['Edit: Article “Flat to let”', '编辑：文章“Flat to let”'],
    '/console/articles/flat/revisions/1': [
      'Revision 1: Article “Flat to let”',
      '修订 1：文章“Flat to let”',
    ],
    '/console/nothing/here': ['Not found', '没有找到'],
    '/nothing-here': ['There is no such page', '没有这个页面'],
    '/s/BBBBBBB': ['No such link', '没有这个链接'],
    '/api/docs': ['HTTP API', 'HTTP API'],
    '/WS01.asmx?op=SendEmail': ['SendEmail', 'SendEmail'],
    '/WS01.asmx': ['WS01 Web Service', 'WS01 Web Service'],
  } as const;
  for (const [at, language] of ['en', 'zh-CN'].entries()) {
    const headers = { Cookie: cookie, Accept: 'text/html', 'Accept-Language': language };
    for (const [path, titles] of Object.entries(tabs)) {
      const page = (await (await fetch(service.url + path, { headers })).text())
        .replaceAll('&amp;', '&')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>');
      assert.ok(page.includes(`<title>${titles[at]} · ${name}`), `${path}: ${page.slice(0, 500)}`);
      assert.ok(/<header.*?<\/header>/s.exec(page)?.[0].includes(`>${name}<`), path);
    }
  }
});

test('the language, the theme and the density that somebody chooses are those of every page', async (t) => {
  const service = await startService(t);
  const cookie = await sessionOf(service, 'owner');
  for (const [name, value, shown] of [
    ['language', 'zh', /<html lang="zh/],
    ['theme', 'dark', / data-theme="dark"/],
    ['density', 'dense', / data-density="dense"/],
  ] as const) {
    const choice = { [name]: value, next: '/console/adverts' };
    const { to, headers } = await visitor(service, cookie).send('/console/choice', choice);
    assert.equal(to, '/console/adverts');
    const [chosen] = headers.getSetCookie();
    const page = await visitor(service, `${cookie}; ${chosen!.split(';')[0]}`).open(to);
    assert.match(page, shown);
    assert.doesNotMatch(await visitor(service, cookie).open(to), shown);
  }
});

test('lists have the pictures of articles, of adverts and of images, also of what nobody may see yet', async (t) => {
  const service = await startService(t);
  const draft = { guid: 'draft', caption: 'Draft', CreateUserId: 'ada', Status: '1' };
  await call(service, 'InsertArticle', draft);
  await upload(service, 'draft');
  const advert = { guid: 'ad', title: 'Advert', CreateUserId: 'ada', isImage: 'true' };
  await call(service, 'addNewAdvert', { ...advert, imgGuid: 'photo' });
  for (const [at, size] of [DESKTOP, PHONE].entries()) {
    const page = await openAs(t, service, 'moderator', '/console', size);
    for (const kind of someOf(['articles', 'adverts', 'images'], 2, at)) {
      await page.goto(`${service.url}/console/${kind}`);
      await untilInPage(page, 'document.querySelector("td img.thumb")?.naturalWidth > 0');
    }
  }
});

test('pictures of what is held or taken down are there for who may read the record, and for nobody else', async (t) => {
  const service = await startService(t);
  const plain = { caption: 'Plain', content: 'Text', CreateUserId: 'ada' };
  await call(service, 'InsertArticle', { guid: 'gone', ...plain });
  await upload(service, 'gone');
  const cookie = await sessionOf(service, 'moderator');
  const { api, act } = visitor(service, cookie);
  const { url, iconUrl } = (await api('GET', '/images/photo')).body;
  assert.equal((await fetch(url)).status, 200);
  const reader = await sessionOf(service, 'reader');
  const file = (size: string, session: string) =>
    fetch(`${service.url}/console/images/photo/file${size}`, {
      headers: { Cookie: session },
      redirect: 'manual',
    });
  const shows = (where: string) =>
    `[...document.querySelectorAll('${where}')].some(({ naturalWidth }) => naturalWidth > 0)`;
  for (const verb of ['hold', 'remove']) {
    await act('articles', verb, 'gone');
    for (const address of [url, iconUrl]) assert.equal((await fetch(address)).status, 410, verb);
    for (const session of [cookie, reader]) {
      const byApi = await fetch(`${service.url}/api/v1/images/photo/file`, {
        headers: { Cookie: session, 'Sec-Fetch-Site': 'same-origin' },
      });
      assert.equal(byApi.status, 200, 'the API has the same rule');
      await byApi.body?.cancel();
      for (const size of ['', '?size=icon']) {
        const answer = await file(size, session);
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('content-type'), 'image/png');
        assert.equal(answer.headers.get('cache-control'), 'private, no-store');
        assert.equal(answer.headers.get('content-security-policy'), "default-src 'none'; sandbox");
        assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
        assert.equal(Buffer.from(await answer.arrayBuffer()).toString('latin1', 1, 4), 'PNG');
      }
    }
    const signedOut = await file('', '');
    assert.equal(signedOut.status, 303);
    assert.match(signedOut.headers.get('location')!, /^\/console\/sign-in\?next=/);
    const page = await openSignedIn(t, service, cookie, '/console/images/photo');
    await untilInPage(page, shows('img.picture'));
    assert.equal(await page.getByText('published', { exact: true }).count(), 0);
    for (const [path, where] of [
      ...(verb === 'hold' ? [['desk', '.thumbs img'] as const] : []),
      ['articles/gone', '.thumbs img'],
      ['articles', 'td img.thumb'],
      ['images', 'td img.thumb'],
    ] as const) {
      await page.goto(`${service.url}/console/${path}`);
      await untilInPage(page, shows(where));
    }
    await page.goto(`${service.url}/console/articles/gone/edit`);
    const framed = page.frameLocator('iframe.preview').locator('img');
    // Rejects for a picture that has not loaded.
    await framed.evaluate((image: unknown) => (image as { decode(): Promise<void> }).decode());
  }
});

test('every setting has a name in both languages, and is described in Chinese', () => {
  const settings = Object.values<Setting>(SETTINGS);
  const grouped = SETTING_GROUPS.flatMap((group) => Object.keys(group.settings));
  assert.deepEqual(grouped.toSorted(), settings.map(({ variable }) => variable).toSorted());
  const [first] = SETTING_GROUPS;
  assert.deepEqual(Object.keys(first!.settings).toSorted(), [...USUAL].toSorted(), 'the fifteen');
  for (const { variable, documentation, without = '' } of settings) {
    const [en, zh, about, usual = ''] = SETTING_TEXTS[variable]!;
    assert.match(en, /^[A-Z]/, variable);
    for (const text of [zh, about]) assert.match(text, /\p{Script=Han}/u, variable);
    // A default that is code alone is the same in every language.
    if (/[a-z]{3}/i.test(without.replaceAll(/`[^`]*`/g, '')))
      assert.match(usual, /\p{Script=Han}/u, `${variable}: ${without}`);
    const code = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, one]) => one!);
    for (const word of code(about)) assert.ok(documentation.includes(word), `${variable}: ${word}`);
  }
});

test('settings are found by words of either language; what the environment says is shown as fixed', async (t) => {
  const service = await startService(t, undefined, { MAIL_KEPT_DAYS: '17' });
  const page = await openAs(t, service, 'owner', '/console/settings', CHINESE);
  const search = async (words: string) => {
    await page.getByLabel('搜索设置').fill(words);
    await page.getByRole('button', { name: '筛选' }).click();
    await page.waitForURL((url) => url.searchParams.get('q') === words);
    return page.locator('.settings code').allTextContents();
  };
  for (const words of ['mail server', '邮件服务器', 'smtp_url'])
    assert.ok((await search(words)).includes('SMTP_URL'), words);
  assert.deepEqual(await search('zeppelin'), []);
  await search('MAIL_KEPT_DAYS');
  const kept = page.getByRole('listitem').filter({ hasText: 'MAIL_KEPT_DAYS' });
  assert.match((await kept.textContent())!, /17\s*在服务器上设置/);
  await leave(page, () => kept.getByRole('link').click());
  assert.equal(await page.getByRole('button', { name: '修改设置' }).count(), 0);
});

test('what can be changed in the console leads each group of settings; a hidden value says so in the language', async (t) => {
  const service = await startService(t, undefined, { SERVICE_NAME: 'Fixed' });
  const { open } = visitor(service, `${await sessionOf(service, 'owner')}; ws01-language=zh`);
  const page = await open('/console/settings');
  for (const [, group] of page.matchAll(/<ul class="settings">(.*?)<\/ul>/gs)) {
    const fixed = [...group!.matchAll(/<li>(.*?)<\/li>/gs)].map(([, one]) =>
      one!.includes('在服务器上设置'),
    );
    assert.deepEqual(fixed, fixed.toSorted(), group!);
  }
  assert.match(page, /（已设置，不显示）/);
  assert.doesNotMatch(page, /not shown/);
});

test('the types of events of a webhook are boxes; others are typed', async (t) => {
  const service = await startService(t);
  const cookie = await sessionOf(service, 'owner');
  const page = await openSignedIn(t, service, cookie, '/console/webhooks/new', DESKTOP, /400/);
  await page.getByLabel('Address').fill('not an address');
  await page.getByLabel('Articles: everything').check();
  await page.getByLabel('Other types').fill('link.visit, image.create');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.locator('#n-url-problem').waitFor();
  assert.equal(await page.getByLabel('Articles: everything').isChecked(), true, 'it is kept');
  assert.equal(await page.getByLabel('Other types').inputValue(), 'link.visit, image.create');
  await page.getByLabel('Address').fill('https://hooks.example/');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Created.').waitFor();
  const { items } = (await visitor(service, cookie).api('GET', '/webhooks')).body;
  assert.deepEqual(items[0].types, ['article.*', 'link.visit', 'image.create']);
});

test('rows stand close together for who chose so, until they choose otherwise', async (t) => {
  const service = await filledService(t);
  const page = await openAs(t, service, 'reader', '/console/articles');
  const height = () => page.evaluate<number>('document.querySelector("tbody tr").offsetHeight');
  const wide = await height();
  await page.getByRole('button', { name: 'Rows: with room' }).click();
  await page.getByRole('button', { name: 'Rows: close together' }).waitFor();
  await page.waitForLoadState();
  assert.ok((await height()) < wide);
  await page.getByRole('button', { name: 'Rows: close together' }).click();
  await page.getByRole('button', { name: 'Rows: with room' }).waitFor();
  await page.waitForLoadState();
  assert.equal(await height(), wide);
});

test('a word without an end stays in its frame on the desk, in results and beside a revision', async (t) => {
  const service = await startService(t);
  const caption = 'W'.repeat(190);
  const article = { guid: 'wide', caption, CreateUserId: 'ada', Status: '2' };
  await call(service, 'InsertArticle', { ...article, content: 'One' });
  await call(service, 'InsertArticle', { ...article, content: 'Two' });
  const paths = ['desk', `search?q=${caption}`, 'articles/wide/revisions/1', 'articles/wide'];
  for (const [at, size] of [DESKTOP, PHONE].entries()) {
    const page = await openAs(t, service, 'owner', '/console', size);
    for (const path of someOf(paths, 2, at)) {
      await page.goto(`${service.url}/console/${path}`);
      const beyond = await page.evaluate<string[]>(`[...document.querySelectorAll('main *')]
        .filter((one) => one.closest('.scroll, .skip, details:not([open])') === null)
        .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
        .map((one) => one.outerHTML.slice(0, 80))`);
      assert.deepEqual(beyond, [], path);
    }
  }
});

test('short links begin with the address by which the person came, unless BASE_URL says another', async (t) => {
  for (const [env, origin] of [
    [{}, undefined],
    [{ BASE_URL: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1'],
  ] as const) {
    const service = await startService(t, undefined, env);
    const { open } = visitor(service, await sessionOf(service, 'owner'));
    const made = { _userId: 'ada', _orgUrl: 'https://example.org/' };
    await call(service, 'UrltoShortUrl', made);
    const [, path] = /href="(\/console\/links\/(?!new)\w+)"/.exec(await open('/console/links'))!;
    const page = (await open(path!)).replaceAll(/<[^>]*>/g, '');
    const code = path!.split('/').at(-1);
    assert.ok(page.includes(`${origin ?? service.url}/s/${code}`), page);
    assert.ok(!page.includes('localhost'), page);
  }
});

test('the tab of the desk counts what waits; a failed call says whom its token acts for', async (t) => {
  const service = await startService(t);
  const { open } = visitor(service, await sessionOf(service, 'owner'));
  assert.match(await open('/console/desk'), /<title>Desk ·/);
  for (const guid of ['one', 'two'])
    await call(service, 'InsertArticle', { guid, caption: guid, CreateUserId: 'bob', Status: '2' });
  const desk = await open('/console/desk');
  assert.match(desk, /<title>\(2\) Desk ·/);
  assert.match(desk, /data-tab="\(2\) Desk ·/);
  await fetch(`${service.url}/WS01.asmx/addNewAdvert?tokenId=${TOKEN}`);
  await until(async () => (await open('/console/failures')).includes('>Token acts for<'));
});

test('a ban says before it is done what will happen', async (t) => {
  const service = await filledService(t);
  const { submit } = visitor(service, await sessionOf(service, 'owner'));
  const { text } = await submit('/console/users/act', { verb: 'ban', key: 'bob' });
  assert.match(text, /Visitors no longer see anything of this person/);
  assert.match(text, /Articles:\s*<strong>3</);
});
