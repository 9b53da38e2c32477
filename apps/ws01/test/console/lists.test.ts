import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { firstKeyAt } from '../../src/records/conditions.ts';
import { openApiDesk } from '../kit/api.ts';
import { forBothEngines } from '../kit/database.ts';
import { putMail } from '../kit/rows.ts';
import { addArticles, NOW } from '../kit/search-index.ts';
import { startService, type TestService } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import {
  boxOf,
  DESKTOP,
  openAs,
  openSignedIn,
  saysInPassing,
  sessionOf,
  untilInPage,
  visitor,
} from './kit/browser.ts';
import { call, filledService, useService } from './kit/filled.ts';

/** Puts articles into the database, the oldest first, a second apart; some of them say something. */
async function addPlain(
  { database }: TestService,
  count: number,
  captions: Readonly<Record<number, string>> = {},
  startedAt = NOW,
  prefix = 'art',
): Promise<void> {
  const all = Array.from({ length: count }, (_, number) => captions[number] ?? 'Plain');
  await addArticles(await database.open(), all, prefix, (startedAt - NOW) / 1_000);
}

const textOf = (page: string) => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

test('the oldest of many records is found by one word, in the box and in the list; what is absent is said to be', async (t) => {
  // A page of the API looks through 100 of 1,200, so that none of them finds it alone.
  const service = await startService(t, undefined, { fixed: { apiRowsRead: 100 } });
  await addPlain(service, 1_200, { 31: 'Zeppelin hangar' });
  const { open } = visitor(service, await sessionOf(service, 'owner'));
  /** Looks further, as a person does, until a page does not say that there is more. */
  const lookedUpTo = async (path: string) => {
    let page = await open(path);
    for (let pages = 0; pages < 200; pages++) {
      const [, next] = /rel="next" href="([^"]+)"/.exec(page) ?? [];
      if (next === undefined || page.includes('/console/articles/art-')) break;
      assert.match(page, /Only a part was looked through so far: 0 records found/);
      assert.doesNotMatch(page, /No article has/);
      page = await open(next.replaceAll('&amp;', '&'));
    }
    return page;
  };
  const found = await open('/console/search?q=zeppelin');
  assert.ok(/Zeppelin hangar/.test(found) || /so far/.test(found), textOf(found));
  assert.match(await lookedUpTo('/console/articles?q=zeppelin'), /Zeppelin hangar/);
  const absent = await lookedUpTo('/console/articles?q=zzzz');
  assert.match(absent, /No article has “zzzz”\./);
  assert.match(absent, /<a href="\/console\/articles">Show all articles<\/a>/);
  assert.match(absent, /<a href="\/console\/search\?q=zzzz">Search for “zzzz” everywhere<\/a>/);
  assert.doesNotMatch(absent, /rel="next"/);
});

test('a search says “nothing” only after it looked through everything', async (t) => {
  const service = await startService(t, undefined, {
    fixed: { apiRowsRead: 100, apiReadMs: 1 },
  });
  await addPlain(service, 6_000, { 0: 'Zeppelin' });
  const { open } = visitor(service, await sessionOf(service, 'owner'));
  for (const word of ['zeppelin', 'zzzz']) {
    const page = await open(`/console/search?q=${word}`);
    const isPart = page.includes('have more to look through');
    if (isPart) assert.match(page, /<a href="\/console\/articles\?q=\w+">Articles<\/a>/);
    assert.equal(
      /Nothing was found for “\w+”\.</.test(page),
      word === 'zzzz' && !isPart,
      textOf(page),
    );
    assert.match(page, new RegExp(`<title>${word} – Search`));
    assert.match(
      page,
      new RegExp(`name="q" type="search"\\s+value="${word}"`),
      'the box keeps the words',
    );
  }
});

test('nothing says “none” while there is more to look through: a list goes on, the inbox leads to lists', async (t) => {
  // A page looks at ten rows, and no index knows a sign.
  const service = await startService(t, undefined, { fixed: { apiRowsRead: 10, apiReadMs: 0 } });
  const store = await service.database.open();
  const now = Date.now();
  const ids = Array.from({ length: 25 }, (_, at) => firstKeyAt(now - 60_000 + at));
  await store.write(async (tx) => {
    for (const id of ids)
      await putMail(tx, { id, state: 'sent', created_at: now, give_up_at: now });
    await tx.updateTable('mails').set({ subject: '100 %' }).where('id', '=', ids[0]!).execute();
  });
  const Cookie = await sessionOf(service, 'owner');
  const { open } = visitor(service, Cookie);
  const none = /No records\.|No mail has/;
  const inbox = await open('/console/inbox?q=%25');
  assert.match(inbox, /have more to look through/);
  assert.match(inbox, /<a href="\/console\/mails\?q=%25">Mails<\/a>/);
  assert.doesNotMatch(inbox, none);
  assert.doesNotMatch(await open('/console/mails?q=%25'), none);
  // The stream of the page goes on until it has found the oldest.
  const answer = await fetch(`${service.url}/console/mails?q=%25&live=0`, {
    headers: { Cookie, Accept: 'text/event-stream' },
  });
  const pieces: string[] = [];
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of answer.body!) {
    text += decoder.decode(bytes, { stream: true });
    const events = text.split('\n\n');
    text = events.pop()!;
    pieces.push(...events.flatMap((event) => /^data: (".*)/.exec(event)?.[1] ?? []));
    if (pieces.at(-1)?.includes('100 %')) break;
  }
  for (const piece of pieces.slice(0, -1)) {
    assert.match(piece, /0 records found/);
    assert.match(piece, /Looked through as far as: <time datetime/);
    assert.match(piece, /<progress>/);
    assert.doesNotMatch(piece, none);
  }
  assert.ok(pieces.length > 2);
  assert.doesNotMatch(pieces.at(-1)!, /<progress>/);
  assert.match(await open('/console/mails.csv?q=%25'), /100 %/);
});

test('a phone code is found by its number, with and without the code of its country', async (t) => {
  const service = await startService(t);
  await call(service, 'CreateVerifyCode', { userId: 'ada', cellphone: '+14155550123' });
  const headers = { Cookie: await sessionOf(service, 'owner') };
  const search = async (number: string) => {
    const path = `/console/search?q=${encodeURIComponent(number)}`;
    return textOf(await (await fetch(service.url + path, { headers })).text());
  };
  for (const number of ['+1 (415) 555-0123', '(415) 555-0123', '4155550123', '0123'])
    assert.match(await search(number), /Phone codes .* created/, number);
});

test('days are days of the reader, and the last one counts', async (t) => {
  const service = await startService(t, undefined, { TIME_ZONE: 'Asia/Shanghai' });
  // 26 November 22:48 in Los Angeles, 27 November 14:48 in Shanghai.
  await addPlain(service, 1, {}, Date.parse('2026-11-27T06:48:00Z'));
  const session = await sessionOf(service, 'owner');
  const count = async (from: string, to: string, zone?: string) => {
    const Cookie = zone === undefined ? session : `${session}; ws01-zone=${zone}`;
    const answer = await fetch(
      `${service.url}/console/articles?createdFrom=${from}&createdTo=${to}`,
      {
        headers: { Cookie },
      },
    );
    const page = await answer.text();
    assert.ok(page.includes(`Days are those of ${zone ?? 'Asia/Shanghai'}.`), textOf(page));
    return page.includes('art-000000') ? 1 : 0;
  };
  assert.equal(await count('2026-11-26', '2026-11-26', 'America/Los_Angeles'), 1);
  assert.equal(await count('2026-11-27', '2026-11-27', 'America/Los_Angeles'), 0);
  assert.equal(
    await count('2026-11-27', '2026-11-27'),
    1,
    'that of the service, until the browser tells its own',
  );
  assert.equal(await count('2026-11-26', '2026-11-26'), 0);
  const undated = await fetch(`${service.url}/console/articles`, { headers: { Cookie: session } });
  assert.doesNotMatch(await undated.text(), /Days are those of/);
  const forged = await fetch(`${service.url}/console/articles?createdFrom=2026-11-26`, {
    headers: { Cookie: `${session}; ws01-zone=%3Cscript%3E` },
  });
  assert.match(await forged.text(), /Days are those of Asia\/Shanghai\./);
  // A token that expires on a day works on it.
  const inCalifornia = visitor(service, `${session}; ws01-zone=America/Los_Angeles`);
  await inCalifornia.send('/console/tokens/new', {
    ...{ kind: 'service', scopes: 'mail', label: 'x', expiresAt: '2030-07-01', guid: 'false' },
  });
  const { items } = (await inCalifornia.api('GET', '/tokens?q=x')).body;
  assert.ok(
    items.some(
      ({ expiresAt }: { expiresAt: string | null }) => expiresAt === '2030-07-02T07:00:00.000Z',
    ),
    JSON.stringify(items),
  );
});

suite('lists', () => {
  const filled = useService();

  test('a long text of a row stays in its frame, and stands there whole for who points at it', async (t) => {
    const service = filled();
    const long = `${'Kleinanzeigen-und-Mehr-'.repeat(2)}ende`;
    const article = { guid: 'long', caption: 'Lang', CreateUserId: 'bob', categoryGuid: long };
    await call(service, 'InsertArticle', article);
    const page = await openAs(t, service, 'owner', '/console/articles');
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.reload();
      const cell = page.locator('.clip', { hasText: 'ende' });
      const height = async () => (await boxOf(cell)).height;
      const fits = `(list) => list.scrollWidth <= list.clientWidth`;
      const frame = await page.evaluate(`(${fits})(document.getElementById('records'))`);
      assert.ok(frame, 'no table is wider than the page');
      const before = await height();
      await cell.focus();
      assert.ok((await height()) >= before);
      assert.equal(await cell.textContent(), long);
    }
  });

  test('a preview of many records opens at its beginning, with its button; each page of a list has a number', async (t) => {
    const service = filled();
    for (let number = 0; number < 60; number++)
      await call(service, 'addNewAdvert', {
        ...{ guid: `many-${number}`, title: `Advert ${number}`, CreateUserId: 'mallory' },
      });
    const path = '/console/adverts?createUserId=mallory';
    const page = await openAs(t, service, 'owner', path);
    await page.getByText('61 records').waitFor();
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Take down' }).click();
    const act = page.locator('button[name=confirm]');
    await act.and(page.locator(':focus')).waitFor();
    assert.equal(await page.evaluate('scrollY'), 0);
    const { y } = await boxOf(act);
    assert.ok(y < 700, `the button is at ${y}`);
    await page.goto(`${service.url}${path}`);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/cursor=/);
    await page.getByText('61 records').first().waitFor();
  });

  test('a search shows each record that it finds or says that it is busy, however many search at once', async (t) => {
    const service = await startService(t);
    await addPlain(service, 8);
    const store = await service.database.open();
    const each = Array.from({ length: 8 }, (_, at) => ({ id: firstKeyAt(at + 1), created_at: at }));
    await store.write(async (tx) => {
      await tx.updateTable('articles').set({ owner: 'heavy' }).execute();
      for (const { id, created_at } of each) {
        const review = { id, subject: 'heavy', voter: `user:${id}`, ip: '', updated_at: 1 };
        await tx
          .insertInto('reviews')
          .values({ ...review, created_at })
          .execute();
        const report = { id, target_kind: 'article' as const, target_key: 'heavy', reporter: id };
        const text = { reason: 'spam' as const, detail: 'heavy', created_at };
        await tx
          .insertInto('reports')
          .values({ ...report, ...text })
          .execute();
        const token = { id, hash: Buffer.from(id), label: 'heavy', kind: 'service' as const };
        await tx
          .insertInto('tokens')
          .values({ ...token, scopes: 'read', created_at })
          .execute();
      }
    });
    const headers = { cookie: await sessionOf(service, 'owner') };
    const found = async () => {
      const answer = await fetch(`${service.url}/console/search?q=heavy`, { headers });
      if (answer.status === 503) return undefined;
      const links = (await answer.text()).matchAll(
        /href="(\/console\/(?:articles|re\w+|tokens)\/[^"]+)"/g,
      );
      return [...new Set(links.map(([, link]) => link))];
    };
    const alone = await found();
    assert.ok(alone!.length >= 15, String(alone));
    const others = await Promise.all(Array.from({ length: 24 }, found));
    const answered = others.filter((links) => links !== undefined);
    assert.ok(answered.length > 0);
    for (const links of answered) assert.deepEqual(links, alone);
  });

  test('are sorted by filters with an index, which only those are offered who may use them', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner');
    const ordersFor = async (cookie: string) => {
      const answer = await fetch(`${service.url}/console/users`, {
        headers: { cookie: `${cookie}; ws01-narrow=1` },
      });
      const [, select = ''] =
        /<select id="f-sort".*?>(.*?)<\/select>/s.exec(await answer.text()) ?? [];
      return [...select.matchAll(/value="([^"-]+)"/g)].map(([, name]) => name);
    };
    assert.deepEqual(await ordersFor(cookie), ['created', 'id', 'email', 'cellPhone']);
    assert.deepEqual(await ordersFor(await sessionOf(service, 'reader')), ['created', 'id']);
    await addPlain(service, 3);
    const page = await openSignedIn(t, service, cookie, '/console/articles');
    await page.getByRole('columnheader', { name: 'Owner' }).getByRole('link').click();
    await page.locator('th[aria-sort=ascending]').filter({ hasText: 'Owner' }).waitFor();
    assert.equal(await page.locator('.filters [name=sort]').inputValue(), 'createUserId');
  });

  test('are counted, sorted by their headings, paged forth and back; unknown filters are told', async (t) => {
    const service = await startService(t);
    await addPlain(service, 120);
    const page = await openAs(t, service, 'owner', '/console/articles');
    await page.getByText('120 records').waitFor();
    const first = () => page.locator('#list tbody a').first().getAttribute('href');
    assert.equal(await first(), '/console/articles/art-000119');
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.locator('a[href="/console/articles/art-000069"]').waitFor();
    await page.getByRole('link', { name: 'Next page' }).click();
    await page.locator('a[href="/console/articles/art-000019"]').waitFor();
    await page.getByRole('link', { name: 'Previous page' }).click();
    await page.locator('a[href="/console/articles/art-000069"]').waitFor();
    await page.getByRole('link', { name: 'Previous page' }).click();
    await page.locator('a[href="/console/articles/art-000119"]').waitFor();
    assert.equal(await page.getByRole('link', { name: 'Previous page' }).count(), 0);
    assert.equal(
      await page.getByRole('columnheader', { name: 'Created' }).getAttribute('aria-sort'),
      'descending',
    );
    await page.getByRole('columnheader', { name: 'Created' }).getByRole('link').click();
    await page.locator('th[aria-sort=ascending]').waitFor();
    assert.equal(await first(), '/console/articles/art-000000');
    await page.goto(`${service.url}/console/articles?owner=mallory&toString=1&sort=color`);
    await page
      .getByRole('alert')
      .filter({ hasText: 'ignored: owner, toString, sort=color' })
      .waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await page.goto(`${service.url}/console/articles?createUserId=nobody`);
    await page.getByText('No article meets these filters.').waitFor();
    await page.goto(`${service.url}/console/articles?q=plain&state=published&limit=25`);
    assert.equal(await page.locator('#records tbody tr').count(), 25);
    // On a phone the filters are folded, the rows are cards, and what the list is narrowed by is seen.
    await page.setViewportSize({ width: 360, height: 740 });
    const filters = page.getByLabel('State', { exact: true });
    assert.equal(await filters.isVisible(), false);
    const cell = `document.querySelector('td[data-label=State]')`;
    const isShort = `${cell}.offsetWidth < ${cell}.parentElement.offsetWidth / 2`;
    assert.equal(await page.evaluate(isShort), true, 'short values share a line');
    assert.deepEqual(await violationsOf(page), []);
    await page.getByRole('link', { name: 'Leave out State: published' }).click();
    await page.waitForURL((url) => url.search === '?q=plain&limit=25');
    await page.setViewportSize({ width: 1280, height: 800 });
    await filters.waitFor();
  });

  test('tell the last day by hours, earlier ones by date, of other years the date alone; a record tells all', async (t) => {
    const service = await startService(t);
    const now = Date.parse('2026-05-20T12:00:30Z');
    for (const [number, at] of [now - 300_000, now - 7_200_000, now - 172_800_000].entries())
      await addPlain(service, 1, { 0: `Told ${number}` }, at, `t-${number}`);
    await addPlain(service, 1, { 0: 'Told 3' }, Date.parse('2025-11-02T10:00:00Z'), 't-3');
    const cookie = await sessionOf(service, 'reader');
    const told = async (locale: string) => {
      const options = { ...DESKTOP, locale, timezoneId: 'Asia/Shanghai' };
      const page = await openSignedIn(
        t,
        service,
        cookie,
        '/console',
        options,
        // The clock's own script, in the preview of a record.
        /Blocked script execution/,
      );
      // It stands still: "5 min ago" holds for a minute.
      await page.clock.install({ time: now - 3_600_000 });
      await page.clock.pauseAt(now);
      await page.goto(`${service.url}/console/articles`);
      await page.locator('tbody time[title]').first().waitFor();
      return { page, times: await page.locator('tbody time').allTextContents() };
    };
    const { page, times } = await told('en-GB');
    assert.deepEqual(times, ['5 min ago', '2 hr ago', '18 May, 20:00', '2 Nov 2025']);
    const chinese = await told('zh-CN');
    assert.deepEqual(chinese.times, ['5分钟前', '2小时前', '5月18日 20:00', '2025/11/2']);
    const first = page.locator('tbody time').first();
    assert.equal(await first.getAttribute('title'), 'Wednesday, 20 May 2026 at 19:55:30 GMT+8');
    // It goes on while the page is open, and paper, which does not, has the whole.
    await page.clock.fastForward(3_600_000);
    assert.equal(await first.textContent(), '1 hr ago');
    await page.emulateMedia({ media: 'print' });
    await untilInPage(page, `document.querySelector('tbody time').textContent.includes('19:55')`);
    await page.emulateMedia({ media: 'screen' });
    await untilInPage(page, `document.querySelector('tbody time').textContent === '1 hr ago'`);
    await chinese.page.getByRole('link', { name: 'Told 0' }).click();
    await chinese.page.locator('.facts time', { hasText: '2026/5/20 19:55' }).first().waitFor();
  });

  test('one filter is one request and one step back, and who hears the page is told the number', async (t) => {
    const service = filled();
    const page = await openAs(t, service, 'owner', '/console/articles');
    const asked: string[] = [];
    page.on('request', (request) => {
      const url = request.url();
      // What is kept up to date is asked for, too, where its stream is slow to come.
      if (request.headers()['hx-request'] === 'true' && !url.includes('live=')) asked.push(url);
    });
    await page.getByLabel('Words').fill('bicycle');
    await saysInPassing(page, '3 records', () => page.getByLabel('Words').press('Enter'));
    await page.getByLabel('State').selectOption('published');
    await page.waitForURL(/state=published/);
    assert.equal(asked.length, 2, asked.join('\n'));
    const back = async (isThere: (url: URL) => boolean) => {
      await page.evaluate(`window.left = true; setTimeout(() => history.back())`);
      await page.waitForURL(isThere);
      // htmx loads the page again after that.
      await untilInPage(page, `window.left === undefined && document.readyState === 'complete'`);
    };
    await back((url) => url.searchParams.get('q') === 'bicycle' && !url.searchParams.get('state'));
    await back((url) => url.search === '');
    assert.equal(page.viewportSize()?.width, DESKTOP.viewport?.width);
  });
});

forBothEngines((_engine, fresh) => {
  test('a total counts what the index of a list has, and nothing that it would have to read', async (t) => {
    const desk = await openApiDesk(t, fresh);
    await addPlain(desk.service, 10_050);
    await call(desk.service, 'InsertArticle', {
      token: desk.tokens.articles,
      guid: 'own',
      caption: 'x',
      CreateUserId: 'ada',
    });
    const total = async (query: string) =>
      (await desk.get(`/articles?limit=1&${query}`)).body.total;
    assert.equal(await total(''), undefined);
    assert.equal(await total('total=true'), 10_001, 'more than ten thousand');
    assert.equal(await total('total=true&createUserId=ada'), 1);
    assert.equal(await total('total=true&createUserId=nobody'), 0);
    assert.equal(await total('total=true&createdTo=2026-01-01T00:00:05Z'), 5);
    assert.equal(await total('total=true&q=Plain'), null);
  });
});

test('a record that is not there leads to its list, to what happened to its key, and to a search for it', async (t) => {
  const service = await filledService(t);
  const owner = visitor(service, await sessionOf(service, 'owner'));
  const removed = await owner.api('POST', '/articles/flat/remove', { reason: 'test' });
  assert.equal(removed.status, 200, JSON.stringify(removed.body));
  const purged = await owner.api('POST', '/articles/flat/purge', { reason: 'test' });
  assert.equal(purged.status, 200, JSON.stringify(purged.body));
  const search = '<a href="/console/search?q=flat">Search for “flat” everywhere</a>';
  const history = '<a href="/console/audit?targetKey=flat">What happened to “flat”</a>';
  const gone = await owner.open('/console/articles/flat');
  for (const way of ['<a href="/console/articles">Show all articles</a>', history, search])
    assert.ok(gone.includes(way), `${way}: ${textOf(gone)}`);
  const never = await owner.open('/console/articles/never');
  assert.match(never, /Search for “never” everywhere/);
  assert.doesNotMatch(never, /What happened to/);
  // What a role may not read leads nowhere but to the overview.
  const reader = visitor(service, await sessionOf(service, 'reader'));
  assert.doesNotMatch(await reader.open('/console/mails/x'), /everywhere/);
});

test('a page that is not there, and a filter that is refused, lead on, in the words of the pages', async (t) => {
  const service = await startService(t);
  const owner = visitor(service, await sessionOf(service, 'owner'));
  const overview = '<a href="/console">Back to the overview</a>';
  const nowhere = await owner.open('/console/nothing');
  for (const way of [overview, 'q=nothing">Search for “nothing” everywhere</a>'])
    assert.ok(nowhere.includes(way), textOf(nowhere));
  const refused = await owner.open('/console/articles?state=bogus');
  for (const way of [overview, '<a href="/console/articles">Show all articles</a>'])
    assert.ok(refused.includes(way), textOf(refused));
  assert.match(textOf(refused), /State must be one of published, draft, .*in the trash/);
});
