import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { SEEDED_SETTINGS } from '../kit/api.ts';
import { violationsOf } from './kit/axe.ts';
import { DESKTOP, openAs, openSignedIn, PHONE, sessionOf, visitor } from './kit/browser.ts';
import { call, filledService, useService } from './kit/filled.ts';

/** On a busy machine letters come so far apart that each asks for offers, which take the place of those before. */
async function typeAtOnce(box: Locator, text: string): Promise<void> {
  await box.focus();
  await box.page().keyboard.insertText(text);
}

suite('the search box', () => {
  const filled = useService();

  test('one box finds a record by its key, from any page, by the key /', async (t) => {
    const service = filled();
    const page = await openAs(t, service, 'reader', '/console/audit');
    await page.keyboard.press('/');
    await page.keyboard.type('bike-2');
    await page.keyboard.press('Enter');
    // The audit trail has a link of that name, too.
    await page.waitForURL(/search/);
    await page.getByRole('link', { name: 'Bicycle 2 自行车' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Bicycle 2 自行车' }).waitFor();
  });

  test('a word with wrong letters finds what is called or begins nearly so', async (t) => {
    const service = filled();
    const cookie = await sessionOf(service, 'reader');
    const page = await openSignedIn(t, service, cookie, '/console/search?q=Bycicle');
    await page.getByRole('heading', { level: 1, name: 'found for “Bycicle”' }).waitFor();
    await page.getByText('This was found for “bicycle”').waitFor();
    assert.equal(await page.title(), 'Bycicle – Search · WS01');
    await page.getByRole('link', { name: 'Bicycle 2 自行车' }).first().waitFor();
    // No record is called so; one has the word in its text.
    const { open } = visitor(service, cookie);
    assert.match(await open('/console/search?q=Quiett'), /This was found for “Quiet”/);
  });

  test('where nothing is found, a page says what was searched, and leads there', async (t) => {
    const service = filled();
    const path = '/console/search?q=Xylophone';
    const page = await openAs(t, service, 'reader', path);
    const told = 'Nothing was found for “Xylophone”.';
    await page.getByRole('heading', { level: 1, name: told }).waitFor();
    await page.getByText('Words are found by their beginnings').waitFor();
    const main = page.getByRole('main');
    // A reader sees no tokens.
    assert.equal(await main.getByRole('link', { name: 'Tokens' }).count(), 0);
    await main.getByRole('link', { name: 'Adverts' }).click();
    await page.getByRole('heading', { level: 1, name: 'Adverts' }).waitFor();
  });

  test('a number is found by its last digits, with how many messages went there; in either language', async (t) => {
    const service = await filledService(t, SEEDED_SETTINGS);
    const cookie = await sessionOf(service, 'owner');
    for (const [locale, told] of [
      ['en-GB', /\+14155550123 1 text message · /],
      ['zh-CN', /\+14155550123 1 条短信 · /],
    ] as const)
      for (const q of ['0123', '555-0123', '(415) 555 0123', '٤١٥٥٥٥٠١٢٣']) {
        const headers = { Cookie: cookie, 'Accept-Language': locale };
        const url = `${service.url}/console/search?q=${encodeURIComponent(q)}`;
        const page = await (await fetch(url, { headers })).text();
        assert.match(page.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' '), told, q);
      }
  });

  test('no search has more to look through because much was done; it leads to the audit trail', async () => {
    const service = filled();
    const store = await service.database.open({ guest: true });
    const entry = { token_id: null, target_kind: 'article', target_key: 'flat', address: null };
    const rows = Array.from({ length: 3_000 }, (_, at) => ({
      ...{ ...entry, id: `01930b9e-0000-7000-8000-${String(at).padStart(12, '0')}` },
      ...{ at: at + 1, action: 'article.edit', details: '{}', request_id: null },
    }));
    for (let first = 0; first < rows.length; first += 500)
      await store.write(async (tx) => {
        await tx
          .insertInto('audit')
          .values(rows.slice(first, first + 500))
          .execute();
      });
    const { open } = visitor(service, await sessionOf(service, 'owner'));
    for (const words of ['piano', 'xylophone']) {
      const page = await open(`/console/search?q=${words}`);
      assert.doesNotMatch(page, /found for .* so far|These have more to look through/, words);
      assert.match(
        page,
        new RegExp(`<a href="/console/audit\\?q=${words}">Look for “${words}” in`),
      );
    }
  });

  test('of a wrong word not so much is left out that any other begins so', async () => {
    const service = filled();
    const { open } = visitor(service, await sessionOf(service, 'owner'));
    await call(service, 'InsertArticle', { guid: 'the', caption: 'The flat', CreateUserId: 'bob' });
    for (const words of ['theme', 'flax'])
      assert.doesNotMatch(await open(`/console/search?q=${words}q`), /This was found/, words);
    assert.match(await open('/console/search?q=lessonsxx'), /This was found for “lessons”/);
    // As one types, the nearest word is offered where nothing is found.
    const offers = await open('/console/completions?q=bycicle');
    assert.match(offers, /data-url="\/console\/search\?q=bicycle"><bdi>Did you mean “bicycle”\?/);
    assert.doesNotMatch(await open('/console/completions?q=bicycle'), /Did you mean/);
  });

  test('what has more than is shown leads to all of it, with their number', async (t) => {
    const service = filled();
    for (const number of [1, 2, 3, 4, 5, 6]) {
      const advert = { guid: `ad-${number}`, title: `Call ${number}`, CreateUserId: 'spammer' };
      await call(service, 'addNewAdvert', advert);
    }
    const page = await openAs(t, service, 'reader', '/console/search?q=spammer');
    const adverts = page.getByRole('region', { name: 'Adverts' }).getByRole('listitem');
    assert.equal(await adverts.count(), 5);
    await page.getByRole('link', { name: 'All 6 in Adverts' }).click();
    await page.getByRole('link', { name: 'Call 1', exact: true }).waitFor();
    await page.goto(`${service.url}/console/search?q=bicycle`);
    await page.getByRole('link', { name: 'Bicycle 2 自行车' }).first().waitFor();
    assert.equal(await page.getByRole('link', { name: /^All / }).count(), 0);
  });

  test('kind and filters in the box lead to the list, in the words of either language; what is none is searched', async (t) => {
    const service = filled();
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
    const page = await openSignedIn(t, service, cookie, '/console');
    await page.getByRole('combobox', { name: 'Search' }).fill('kind:article owner:bob bicycle 2');
    await page.keyboard.press('Enter');
    // The overview has links of that name, too.
    await page.getByText('Owner: bob').waitFor();
    await page.getByRole('link', { name: 'Bicycle 2 自行车' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Bicycle 1 自行车' }).count(), 0);
    const box = page.getByRole('combobox', { name: 'Search' });
    assert.match((await box.getAttribute('title')) ?? '', /kind:article state:pending/);
    const missed = async (words: string) =>
      (await fetch(`${service.url}/console/search?q=${words}`, { headers: { cookie } })).text();
    const advice = '<p>With filters: kind:article';
    assert.ok((await missed('state:pending')).includes(advice));
    assert.ok(!(await missed('https://example.org/none')).includes(advice));
  });

  test('boxes offer kinds, filters and values as one types, by keys and by touch; nobody needs their syntax', async (t) => {
    const service = filled();
    const cookie = await sessionOf(service, 'owner');
    const page = await openSignedIn(t, service, cookie, '/console');
    const box = page.getByRole('combobox', { name: 'Search' });
    const offer = (name: string) => page.getByRole('option', { name, exact: true });
    await typeAtOnce(box, 'art');
    await offer('Articles kind:articles').waitFor();
    // The offers of a further letter do not come between.
    await box.press('i');
    assert.equal(await box.getAttribute('aria-expanded'), 'true');
    // The page itself is first; last are syntax, then all that is found.
    await box.press('ArrowUp');
    await box.press('ArrowUp');
    assert.equal(
      await box.getAttribute('aria-activedescendant'),
      await offer('Articles kind:articles').getAttribute('id'),
    );
    await box.press('Enter');
    assert.equal(await box.inputValue(), 'kind:articles ');
    await typeAtOnce(box, 'pub');
    await offer('State: published state:published').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await box.press('Escape');
    await offer('State: published state:published').waitFor({ state: 'hidden' });
    assert.equal(await box.inputValue(), 'kind:articles pub', 'Escape leaves what is typed');
    await box.press('ArrowDown');
    await offer('State: published state:published').click();
    await typeAtOnce(box, 'owner:');
    await page.getByRole('option').filter({ hasText: 'owner:bob' }).click();
    await box.press('Enter');
    await page.waitForURL(/articles\?state=published&createUserId=bob$/);
    // Without a kind the offers name it; the box of a list needs none.
    await box.fill('');
    await typeAtOnce(box, 'state:publ');
    await offer('Articles: State: published kind:articles state:published').waitFor();

    const look = { ...PHONE, locale: 'zh-CN' };
    const phone = await openSignedIn(t, service, cookie, '/console/articles', look);
    await phone.getByText('筛选条件').first().tap();
    const words = phone.getByRole('combobox', { name: '关键词' });
    await typeAtOnce(words, '已发布');
    await phone.getByRole('option').filter({ hasText: '状态：已发布' }).first().tap();
    // A browser makes a click of a tap after it.
    await until(async () => (await words.inputValue()) !== '已发布');
    await words.press('Enter');
    await phone.waitForURL(/\?state=published$/);

    const plain = { ...DESKTOP, javaScriptEnabled: false };
    const bare = await openSignedIn(t, service, cookie, '/console/articles', plain);
    await bare.getByLabel('Words').fill('state:published owner:bob');
    await bare.getByRole('button', { name: 'Filter' }).click();
    await bare.waitForURL(/state=published&createUserId=bob/);
  });

  test('what is typed leads to pages and records at once, by keys and by touch, people first and syntax last', async (t) => {
    const service = filled();
    const owner = sessionOf(service, 'owner');
    const { api } = visitor(service, await owner);
    const names = { bikerada: 'Bic Rider' };
    for (const [id, name] of Object.entries(names)) await api('POST', '/users', { id, name });
    const fourth = { guid: 'mine', caption: 'Bicycle of mine', CreateUserId: 'bob' };
    await call(service, 'InsertArticle', fourth);
    const page = await openSignedIn(t, service, await owner, '/console');
    const box = page.getByRole('combobox', { name: 'Search' });
    const options = page.getByRole('option');
    await typeAtOnce(box, 'bic');
    await options.filter({ hasText: 'Bicycle 2' }).waitFor();
    assert.match((await options.first().textContent()) ?? '', /^Bic Rider user/);
    assert.match(
      (await options.filter({ hasText: 'Bicycle 2' }).textContent()) ?? '',
      /Bicycle 2 自行车 article published/,
    );
    assert.deepEqual(await violationsOf(page), []);
    assert.equal(await options.filter({ hasText: 'article published' }).count(), 3);
    await box.press('ArrowDown');
    await box.press('Enter');
    await page.waitForURL(/\/console\/users\/bikerada$/);
    await box.fill('');
    await box.pressSequentially('bicycle of');
    // On a busy machine some letters of it have their own offers.
    await options
      .last()
      .filter({ hasText: /^All results for “bicycle of”/ })
      .waitFor();
    await options.filter({ hasText: 'Bicycle of mine' }).first().waitFor();
    await box.press('ArrowUp');
    await box.press('Enter');
    await page.waitForURL(/\/console\/search\?q=bicycle%20of$/);
    await box.fill('');
    await typeAtOnce(box, 'arti');
    await options.filter({ hasText: 'Articles page' }).first().click();
    await page.waitForURL(/\/console\/articles$/);
  });
});

test('completions are of what a role may read', async (t) => {
  const service = await filledService(t);
  const { open } = visitor(service, await sessionOf(service, 'moderator'));
  assert.match(await open('/console/completions?q=arti'), /kind:articles/);
  assert.doesNotMatch(await open('/console/completions?q='), /kind:(?:tokens|mails)/);
  assert.doesNotMatch(await open('/console/completions?q=kind:audit%20tok'), /token:/);
  const mail = '/console/completions?q=answered';
  assert.doesNotMatch(await open(mail), /data-url/);
  const owner = visitor(service, await sessionOf(service, 'owner'));
  assert.match(await owner.open(mail), /data-url="\/console\/mails\/[^"]+"><bdi>Your advert was/);
  const paths = async (words: string) =>
    [...(await owner.open(`/console/completions?q=${words}`)).matchAll(/data-url="([^"]+)"/g)].map(
      ([, path]) => path!,
    );
  assert.ok((await paths('bicycle')).length <= 8);
  assert.deepEqual(await paths('state:publ'), [], 'a filter asks for a list');
  assert.equal((await paths('bike-2'))[0], '/console/articles/bike-2', 'the very key is first');
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
