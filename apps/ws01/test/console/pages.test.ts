import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { cellOf } from '../../src/console/csv.ts';
import { RecentCalls, reportOf } from '../../src/web/recent-calls.ts';
import { SEEDED_SETTINGS } from '../kit/api.ts';
import { keptLog } from '../kit/log.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import { openSignedIn, sessionOf, useChromium } from './kit/browser.ts';
import { walkInChinese } from './kit/chinese.ts';
import { call, filledService } from './kit/filled.ts';

suite('the pages of the console', () => {
  const browser = useChromium();

  test('a list is filtered without a reload, sorted, paged and exported', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'reader');
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
    const exported = await fetch(`${service.url}/console/articles.csv?q=bicycle`, { headers: { Cookie: cookie } });
    const lines = (await exported.text()).trim().split('\r\n');
    assert.match(exported.headers.get('content-disposition') ?? '', /attachment; filename="articles\.csv"/);
    assert.match(lines[0]!, /^\uFEFF?guid,caption,/);
    assert.equal(lines.length, 4);
    const settings = await fetch(`${service.url}/console/settings.csv`, { headers: { Cookie: cookie } });
    assert.match(await settings.text(), /^\uFEFF?variable,value,isSet,default,documentation\r\n/);
  });

  test('the page of a short link shows who followed it and where from, and so does its CSV', async (t) => {
    const service = await filledService(t);
    const short = await call(service, 'UrltoShortUrl', { _userId: 'ada', _orgUrl: 'https://example.org/flat' });
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
      exported = await (await fetch(`${service.url}${path}/visits.csv`, { headers: { Cookie: cookie } })).text();
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
    assert.deepEqual(await violationsOf(page), []);
  });

  test('one box finds a record by its key, from any page, by the key /', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'reader');
    const page = await openSignedIn(t, browser(), service, cookie, '/console/audit');
    await page.keyboard.press('/');
    await page.keyboard.type('bike-2');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Bicycle 2 自行车' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bicycle 2 自行车' }).waitFor();
  });

  test('the same box finds everything about one call by its request id: the log, the error, the audit and the mail', async (t) => {
    const service = await filledService(t);
    const ask = async (fields: Record<string, string>) => {
      const body = new URLSearchParams({ authorizationUserId: TOKEN, subject: 'Hello', body: 'Hello', ...fields });
      const answer = await fetch(`${service.url}/WS01.asmx/SendEmail`, { method: 'POST', body });
      return answer.headers.get('x-request-id')!;
    };
    const sent = await ask({ receiverEmail: 'grace@example.com' });
    const refused = await ask({ receiverEmail: 'nobody' });
    const cookie = await sessionOf(service, 'reader');
    const page = await openSignedIn(t, browser(), service, cookie, `/console/search?q=${sent}`);
    await page.getByRole('group', { name: 'Calls with this request id' }).getByText('SendEmail').waitFor();
    await page.getByRole('heading', { name: 'Mails' }).waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Hello' }).first().waitFor();
    await page.goto(`${service.url}/console/search?q=${refused}`);
    const calls = page.getByRole('group', { name: 'Calls with this request id' });
    await calls.getByText('InvalidParameter').waitFor();
  });

  test('the overview counts the calls as they come', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'reader');
    const page = await openSignedIn(t, browser(), service, cookie, '/console');
    await page.getByRole('cell', { name: 'InsertArticle', exact: true }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'InsertArticle' }).filter({ hasNotText: 'File' });
    await row.getByRole('cell', { name: '5', exact: true }).waitFor();
    await page.locator('[data-chart] canvas').waitFor();
    await page.evaluate(`document.querySelector('#live .scroll').focus(); window.untouched = true`);
    await call(service, 'addNewAdvert', { guid: 'sofa', title: 'Sofa', CreateUserId: 'ada' });
    await page.getByRole('row', { name: /^addNewAdvert .* 3 / }).waitFor();
    assert.equal(await page.evaluate('window.untouched'), true, 'the page was not loaded again');
    assert.equal(
      await page.evaluate(`document.activeElement === document.querySelector('#live .scroll')`),
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
      .getByRole('img', { name: '1 codes requested and 0 verified in 30 days, by day' })
      .locator('canvas')
      .waitFor();
  });
});

test('a console with a record of each kind', async (t) => {
  const service = await filledService(t, SEEDED_SETTINGS);
  const cookie = await sessionOf(service, 'owner', 'ada');

  await t.test('a Chinese page has no English sentence: every page, and the form of every action', async () => {
    const { pages, english } = await walkInChinese(service, cookie);
    assert.ok(pages > 20, `${pages} pages`);
    assert.deepEqual(english, []);
  });

  await t.test('a cancelled mail and a cancelled text message can be undone', async () => {
    const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
    const act = async (kind: string, verb: string, key: string) => {
      const body = new URLSearchParams({ verb, key, confirm: 'yes' });
      return (await fetch(`${service.url}/console/${kind}/act`, { method: 'POST', headers, body })).text();
    };
    for (const kind of ['mails', 'sms']) {
      const list = await fetch(`${service.url}/api/v1/${kind}`, { headers });
      const { items } = (await list.json()) as { items: [{ id: string }] };
      const { id } = items[0];
      // A text message may just be on its way to the gateway, which is not there.
      let cancelled = '';
      await until(async () => {
        cancelled = await act(kind, 'cancel', id);
        return cancelled.includes('Done: Cancel, 1 of 1.');
      });
      const [undo] = /<form[^>]*>(?:(?!<\/form>).)*Undo<\/button>/s.exec(cancelled) ?? [];
      assert.match(String(undo), new RegExp(`name="verb" value="retry"><input type="hidden" name="key" value="${id}"`));
      assert.match(await act(kind, 'retry', id), /Done: Send again, 1 of 1\./);
    }
  });
});

suite('an export', () => {
  const suppressed = (from: number, rows: number) =>
    Array.from({ length: rows }, (_, row) => ({
      address: `row-${from + row}@example.com`,
      reason: 'manual' as const,
      detail: '',
      mail_id: null,
      created_at: from + row,
    }));

  test('has as many rows as may be, and says when there are more', async (t) => {
    const service = await startService(t, undefined, { CONSOLE_EXPORT_ROWS: '150' });
    const store = await service.database.open();
    const headers = { Cookie: await sessionOf(service, 'reader') };
    const linesOf = async () => {
      const answer = await fetch(`${service.url}/console/suppressions.csv`, { headers });
      return (await answer.text()).trimEnd().split('\r\n');
    };
    const add = (from: number, rows: number) =>
      store.write((tx) => tx.insertInto('mail_suppressions').values(suppressed(from, rows)).execute());
    await add(0, 150);
    const whole = await linesOf();
    assert.equal(whole.length, 1 + 150);
    assert.match(whole.at(-1)!, /^row-\d+@example\.com,/);
    await add(150, 1);
    const part = await linesOf();
    assert.equal(part.length, 1 + 150 + 1);
    assert.equal(part.at(-1), 'The export ends here: the limit is 150 rows.');
  });

  test('breaks off when a later page fails, and the log says why; the first page that fails is an error page', async (t) => {
    const { log, lines } = keptLog();
    const service = await startService(t, undefined, {}, log);
    const store = await service.database.open();
    const headers = { Cookie: await sessionOf(service, 'reader') };
    const entry = (row: number) => ({
      id: `00000000-0000-7000-8000-${String(row).padStart(12, '0')}`,
      at: row,
      token_id: null,
      action: 'link.disable',
      target_kind: 'link',
      target_key: 'a',
      address: null,
      details: row === 0 ? 'damaged' : '{}',
      request_id: null,
    });
    const entries = Array.from({ length: 150 }, (_, row) => entry(row));
    await store.write((tx) => tx.insertInto('audit').values(entries).execute());
    const answer = await fetch(`${service.url}/console/audit.csv`, { headers });
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text(), /terminated/);
    await until(() => lines.some(({ msg, path }) => msg === 'an export broke off' && path === '/console/audit.csv'));
    const first = await fetch(`${service.url}/console/audit.csv?sort=created`, { headers });
    assert.deepEqual([first.status, first.headers.get('content-disposition')], [500, null]);
  });
});

test('no cell of an export is a formula', () => {
  for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '  =1', '＝1']) {
    assert.match(cellOf(text), /^"?'/, JSON.stringify(text));
  }
  assert.equal(cellOf(-1), '-1');
  assert.equal(cellOf('a "b", c'), '"a ""b"", c"');
  assert.equal(cellOf(null), '');
  assert.equal(cellOf({ a: 1 }), '"{""a"":1}"');
});

test('calls are counted for an hour', () => {
  let now = Date.UTC(2026, 0, 1);
  const calls = new RecentCalls(() => now);
  const note = (durationMs: number, side?: 'client' | 'server') =>
    calls.note({ operation: 'A', binding: 'soap11', side, durationMs });
  for (let call = 0; call < 95; call++) note(3);
  for (let call = 0; call < 4; call++) note(90, 'client');
  note(30_000, 'server');
  now += 59 * 60_000;
  note(3);
  const { summaries, calls: counted, errors } = calls.report();
  const mean = (96 * 3 + 4 * 90 + 30_000) / 101;
  assert.deepEqual(summaries, [
    { operation: 'A', binding: 'soap11', calls: 101, clientErrors: 4, serverErrors: 1, mean, p95: 5 },
  ]);
  assert.deepEqual([counted[0], counted.at(-1), errors[0]], [100, 1, 5]);
  const other = new RecentCalls(() => now);
  other.note({ operation: 'A', binding: 'soap11', side: 'client', durationMs: 3 });
  // As it comes from another process.
  const both = reportOf([...calls.counts(), ...structuredClone(other.counts())], now);
  assert.deepEqual([both.summaries[0]?.calls, both.summaries[0]?.clientErrors, both.calls.at(-1)], [102, 5, 2]);
  now += 60_000;
  assert.equal(calls.report().summaries[0]?.calls, 1);
  now += 60 * 60_000;
  assert.deepEqual(calls.report().summaries, []);
});
