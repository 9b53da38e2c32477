import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { newKey } from '../../src/domain/values/keys.ts';
import { countAt } from '../kit/call-counts.ts';
import { beginSlot, Clock } from '../kit/clock.ts';
import { startService } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import {
  apiOfSession,
  boxOf,
  DESKTOP,
  leave,
  openAs,
  openSignedIn,
  PHONE,
  sessionOf,
  visitor,
} from './kit/browser.ts';
import { call } from './kit/filled.ts';

/** Notes each text that is written on a canvas: itself, and where its middle stands, in px of the page. */
const NOTE_TEXTS = `const { fillText } = CanvasRenderingContext2D.prototype;
globalThis.written = [];
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  written.push({ text, x: x / devicePixelRatio, y });
  fillText.call(this, text, x, y);
};`;

/** The labels below a chart as they were written last, from the left. */
const LABELS = `(() => {
  const bottom = Math.max(...written.map(({ y }) => y));
  const below = written.filter(({ y }) => y === bottom);
  return [...new Map(below.map((one) => [one.text, one])).values()].sort((a, b) => a.x - b.x);
})()`;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The ranges: how long, how long a bar is, and how labels look. */
const RANGES = {
  '1h': { ms: 60 * MINUTE_MS, step: 'minute', slotMs: MINUTE_MS, label: /^\d\d:\d[05]$/ },
  '24h': { ms: DAY_MS, step: 'quarter', slotMs: 15 * MINUTE_MS, label: /^\d\d:00$/ },
  '7d': { ms: 7 * DAY_MS, step: 'hour', slotMs: 60 * MINUTE_MS, label: /^\d+ \w+$/ },
  '30d': { ms: 30 * DAY_MS, step: 'quarter-day', slotMs: 360 * MINUTE_MS, label: /^\d+ \w+$/ },
  '90d': { ms: 90 * DAY_MS, step: 'day', slotMs: DAY_MS, label: /^\d+ \w+$/ },
} as const;

suite('the history and the settings, by hand', () => {
  test('a chart has all of the time it names, with labels at equal distances, and says when records begin', async (t) => {
    const clock = new Clock(t);
    clock.stop();
    const service = await startService(t);
    const store = await service.database.open();
    const counts = Object.values(RANGES).map(({ step, slotMs }) =>
      countAt(step, Math.floor(Date.now() / slotMs) * slotMs - slotMs),
    );
    await store.write((tx) => tx.insertInto('call_counts').values(counts).execute());
    const cookie = await sessionOf(service, 'owner');
    const looks = [DESKTOP, { ...PHONE, timezoneId: 'Asia/Shanghai' }];
    for (const [at, on] of looks.entries()) {
      const page = await openSignedIn(t, service, cookie, '/console', on);
      await page.addInitScript(NOTE_TEXTS);
      for (const [range, { ms, slotMs, label }] of someOf(Object.entries(RANGES), 2, at)) {
        await page.goto(`${service.url}/console?range=${range}`);
        const chart = page.locator('[data-chart]').first();
        await chart.locator('canvas').waitFor();
        await page.getByText('Grey: nothing was recorded before').first().waitFor();
        const { times, ends } = JSON.parse((await chart.getAttribute('data-chart'))!);
        assert.equal(ends - times[0], ms / 1_000, range);
        await page.waitForFunction('written.length > 0');
        const labels = await page.evaluate<readonly { text: string; x: number }[]>(LABELS);
        const width = (await boxOf(chart)).width;
        assert.ok(labels.length >= 3 && labels.length <= 8, `${range}: ${labels.length}`);
        for (const { text } of labels) assert.match(text, label);
        const gaps = labels.slice(1).map(({ x }, at) => x - labels[at]!.x);
        assert.ok(Math.max(...gaps) - Math.min(...gaps) <= 2, `${range}: ${gaps}`);
        assert.ok(labels[0]!.x >= 20 && labels.at(-1)!.x <= width - 20, range);
        const slider = page.getByRole('slider', { name: 'When' }).first();
        const bars = Number(await slider.getAttribute('aria-valuemax')) + 1;
        const room = (await boxOf(page.locator('.u-over').first())).width / bars;
        assert.ok(room >= 3.9, `${range}: ${room}`);
        assert.ok(on === DESKTOP ? bars === ms / slotMs : bars <= ms / slotMs);
      }
    }
  });

  test('a point of the chart, its row in the table, an operation and a code lead to the failed calls', async (t) => {
    // A quarter of an hour that begins meanwhile would be another point.
    beginSlot(t, 15 * MINUTE_MS);
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner');
    const bad = `${service.url}/WS01.asmx/QueryAdvert?userId=ada&pagesize=many`;
    assert.equal((await fetch(bad)).status, 400);
    // It is written after its answer, with its count.
    const { api } = visitor(service, cookie);
    await until(async () => (await api('GET', '/failures')).body.items.length > 0);
    const page = await openSignedIn(t, service, cookie, '/console');
    await page.getByRole('link', { name: 'InvalidParameter' }).click();
    await page.getByRole('heading', { level: 1, name: 'Failed calls' }).waitFor();
    await page.getByRole('cell', { name: 'pagesize' }).waitFor();

    await page.goto(`${service.url}/console?range=24h`);
    await page.getByRole('link', { name: 'QueryAdvert' }).click();
    await page.getByRole('heading', { name: 'QueryAdvert' }).waitFor();
    await page.getByText('The figures as a table').click();
    await page.getByRole('group', { name: 'The figures as a table' }).getByRole('link').click();
    await page.getByRole('cell', { name: 'pagesize' }).waitFor();
    assert.match(page.url(), /failures\?operation=QueryAdvert&createdFrom=.*&createdTo=/);

    await page.goto(`${service.url}/console?range=24h`);
    const chart = page.locator('.u-over').first();
    const { width, height } = await boxOf(chart);
    // The last point: the present quarter of an hour.
    await chart.click({ position: { x: width - 2, y: height / 2 } });
    await page.getByRole('cell', { name: 'pagesize' }).waitFor();

    // By keyboard: back to it from the one before.
    await page.goto(`${service.url}/console?range=24h`);
    const slider = page.getByRole('slider', { name: 'When' }).first();
    await slider.press('ArrowLeft');
    await slider.and(page.locator('[aria-valuetext$="Calls 0, Errors 0"]')).waitFor();
    await slider.press('ArrowRight');
    await slider.and(page.locator('[aria-valuetext$="Calls 1, Errors 1"]')).waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await slider.press('Enter');
    await page.getByRole('cell', { name: 'pagesize' }).waitFor();
  });

  test('the time before is drawn behind, and is in the table; a finger reads first, and goes on by a second tap', async (t) => {
    beginSlot(t, 15 * MINUTE_MS);
    const service = await startService(t);
    const store = await service.database.open();
    const day = 86_400_000;
    const at = Math.floor(Date.now() / 900_000) * 900_000;
    await store.write((tx) =>
      tx
        .insertInto('call_counts')
        .values([countAt('quarter', at, 3), countAt('quarter', at - day, 8)])
        .execute(),
    );
    const path = '/console?range=24h';
    const page = await openAs(t, service, 'owner', path, PHONE);
    await page.getByText('-63% from 8 before').waitFor();
    await page.getByText('Each bar: 30 minutes').first().waitFor();
    await page.getByText('The figures as a table').click();
    const row = page.getByRole('group', { name: 'The figures as a table' }).getByRole('row').nth(1);
    assert.match((await row.textContent()) ?? '', /3\s*8\s*0\s*0\.0 ms/);
    const chart = page.locator('.u-over').first();
    const { width, height } = await boxOf(chart);
    const position = { x: width - 2, y: height / 2 };
    await chart.tap({ position });
    await page
      .locator(
        '[aria-valuetext*="(so far), Calls 3, "][aria-valuetext$="Calls 3, Errors 0, Calls in the time before 8"]',
      )
      .waitFor();
    assert.equal(new URL(page.url()).pathname, '/console');
    await chart.tap({ position });
    await page.waitForURL('**/console/failures?*');
  });

  test('how long calls took is drawn and told, of bars that are joined as well', async (t) => {
    // Three hours that are one bar on a phone end now.
    beginSlot(t, 12 * HOUR_MS);
    const service = await startService(t);
    const store = await service.database.open();
    const at = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const took = (calls: number, us: number) => ({ calls, us, ms_5: calls });
    const rows = [
      { ...countAt('hour', at - 2 * HOUR_MS), ...took(1, 1_000) },
      { ...countAt('hour', at - HOUR_MS), ...took(3, 9_000), ms_20: 1, ms_5: 2 },
    ];
    await store.write((tx) => tx.insertInto('call_counts').values(rows).execute());
    const cookie = await sessionOf(service, 'owner');
    const path = '/console?range=7d';
    for (const [on, told] of [
      [DESKTOP, 'On average 3 ms, 95 of 100 within 20 ms'],
      [PHONE, 'On average 2.5 ms, 95 of 100 within 20 ms'],
    ] as const) {
      const page = await openSignedIn(t, service, cookie, path, {
        ...{ ...on, timezoneId: 'UTC' },
      });
      if (on === PHONE) await page.locator('#times > summary').tap();
      const figure = page.getByRole('figure', { name: 'How long calls took: 2.5 ms on average' });
      // A chart that was folded has its bars with the first frame after that.
      await figure.getByText(on === PHONE ? 'Each bar: 3 hours' : 'Each bar: 1 hour').waitFor();
      await figure.getByRole('slider').press('ArrowLeft');
      const value = await figure.getByRole('slider').getAttribute('aria-valuetext');
      assert.ok(value?.toLowerCase().endsWith(told.toLowerCase()), value!);
      await page.getByText('Pale: not over yet').first().waitFor();
      assert.deepEqual(await violationsOf(page), []);
    }
  });

  test('without scripts charts are pictures, and what is grey in them is said, in both languages', async (t) => {
    beginSlot(t, HOUR_MS);
    const service = await startService(t);
    const store = await service.database.open();
    const row = { ...countAt('hour', Math.floor(Date.now() / HOUR_MS) * HOUR_MS), us: 9_000 };
    await store.write((tx) => tx.insertInto('call_counts').values(row).execute());
    const cookie = await sessionOf(service, 'owner');
    const languages = [
      ['en-GB', 'Pale: not over yet', 'Grey: nothing was recorded before'],
      ['zh-CN', '浅色：尚未结束', '灰色：此前没有记录'],
    ] as const;
    for (const [at, [locale, open, none]] of languages.entries())
      for (const on of someOf([DESKTOP, PHONE], 2, at)) {
        const options = { ...on, locale, javaScriptEnabled: false };
        const path = '/console?range=7d';
        const page = await openSignedIn(t, service, cookie, path, options);
        if (on === PHONE) await page.locator('#times > summary').tap();
        // A browser makes a click of a tap after it.
        await page.getByRole('figure').nth(1).waitFor();
        for (const figure of await page.getByRole('figure').all()) {
          const bar = await boxOf(figure.locator('path.whole'));
          assert.ok(bar.height > 100 && bar.width < 20, `${bar.height} × ${bar.width}`);
        }
        assert.equal(await page.getByRole('figure').count(), 2);
        await page.getByText(open).first().waitFor();
        await page.getByText(none).first().waitFor();
      }
  });

  test('a failed call is called by what its caller was told, without the value, in both languages', async (t) => {
    const service = await startService(t);
    const bad = `${service.url}/WS01.asmx/QueryAdvert?userId=ada&pagesize=many%20pages`;
    const id = (await fetch(bad)).headers.get('x-request-id')!;
    const told = /^pagesize: "…" is not a whole number; write decimal digits/;
    const page = await openAs(t, service, 'owner', '/console/failures', {}, told);
    assert.deepEqual(await violationsOf(page), []);
    await page.getByRole('row').nth(1).getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: told }).waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await page.getByText('Codes and ids').click();
    await page.getByText('InvalidParameter').waitFor();
    await page.goto(`${service.url}/console/search?q=${id}`);
    await page.getByRole('link', { name: told }).waitFor();
    await page.getByRole('cell', { name: told }).waitFor();

    await page.getByRole('button', { name: '中文' }).click();
    await page.getByRole('link', { name: 'pagesize：“…”不是整数' }).click();
    await page.getByRole('heading', { level: 1, name: 'pagesize：“…”不是整数' }).waitFor();
    assert.doesNotMatch(await page.content(), /many pages/);
  });

  test('a failed call that stands for others says how many, in the list and on its page, in both languages', async (t) => {
    const service = await startService(t);
    const store = await service.database.open();
    const row = { id: newKey(), at: Date.now(), request_id: 'r', status: 400, us: 1 };
    const call = { operation: 'QueryAdvert', binding: 'json', error: 'InvalidParameter' };
    const failed = {
      ...row,
      ...call,
      parameter: 'pagesize',
      address: '192.0.2.1',
      more_alike: 290,
    };
    await store.write((tx) => tx.insertInto('failed_calls').values(failed).execute());
    const cookie = await sessionOf(service, 'owner');
    for (const [language, inList, onPage] of [
      ['en', 'and 290 more, not listed', '290 more calls failed likewise within two seconds'],
      ['zh', '另有 290 次，未列出', '两秒内另有 290 次同样失败的调用'],
    ] as const) {
      const headers = { Cookie: cookie, 'Accept-Language': language };
      const open = async (path: string) =>
        (await fetch(`${service.url}/console/failures${path}`, { headers })).text();
      assert.ok((await open('')).includes(inList), language);
      const page = await open(`/${row.id}`);
      assert.ok(page.includes(onPage), language);
      assert.match(page, /<dd[^>]*>pagesize</);
    }
  });

  test('a setting is changed by its form, refused at its field, and undone', async (t) => {
    const service = await startService(t, undefined, { AUDIT_KEPT_DAYS: '400' });
    const isPublic = async () =>
      (await fetch(`${service.url}/api/v1/public/articles`)).status === 200;
    const page = await openAs(t, service, 'owner', '/console/settings', {}, /400/);
    await page.getByText('What visitors see').click();
    await page.getByRole('link', { name: 'Public reading' }).click();
    await page.getByLabel('Value').fill('perhaps');
    await page.getByRole('button', { name: 'Change the setting' }).click();
    await page.getByText('PUBLIC_READING must be').waitFor();
    assert.equal(await page.getByLabel('Value').inputValue(), 'perhaps');
    assert.equal(await page.getByLabel('Value').getAttribute('aria-invalid'), 'true');
    await page.getByLabel('Value').fill('off');
    await page.getByRole('button', { name: 'Change the setting' }).click();
    await page.getByText('Public reading was changed.').waitFor();
    assert.equal(await isPublic(), false);
    await leave(page, () => page.getByRole('button', { name: 'Undo' }).click());
    await page.getByText('Public reading was changed.').waitFor();
    assert.equal(await isPublic(), true);
    await page.goto(`${service.url}/console/settings/AUDIT_KEPT_DAYS`);
    await page.getByText('This is set on the server.').waitFor();
    assert.equal(await page.getByLabel('Value').count(), 0);
    await page.getByText(/^Value: \d+$/).waitFor();
  });

  test('who saves a setting that somebody else has changed meanwhile sees both values, and chooses', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner');
    const path = '/console/settings/MAIL_KEPT_DAYS';
    const page = await openSignedIn(t, service, cookie, path, {}, /409/);
    const change = apiOfSession(service, cookie);
    await change('PATCH', '/settings/MAIL_KEPT_DAYS', { value: '41' });
    const save = page.getByRole('button', { name: 'Change the setting' });
    await page.getByLabel('Value').fill('42');
    await save.click();
    await page.getByText('Meanwhile somebody wrote').filter({ hasText: '41' }).waitFor();
    assert.equal(await page.getByLabel('Value').inputValue(), '42');
    assert.equal((await change('GET', '/settings/MAIL_KEPT_DAYS')).value, '41');
    await save.click();
    await page.getByText('was changed.').waitFor();
    assert.equal((await change('GET', '/settings/MAIL_KEPT_DAYS')).value, '42');
    await change('PATCH', '/settings/MAIL_KEPT_DAYS', { value: '43' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Meanwhile somebody wrote').filter({ hasText: '43' }).waitFor();
    await page.getByText(/^Changed by: .+, (?:now|\d)/).waitFor();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await page.getByText('What they wrote stays').waitFor();
    assert.equal((await change('GET', '/settings/MAIL_KEPT_DAYS')).value, '43');
  });

  test('a long text is whole in its frame, and not in the page', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner');
    const content = `${'word '.repeat(20_000)}the end`;
    await call(service, 'InsertArticle', {
      guid: 'long',
      caption: 'Long',
      content,
      CreateUserId: 'ada',
    });
    const open = async (path: string) =>
      (await fetch(service.url + path, { headers: { cookie } })).text();
    const page = await open('/console/articles/long');
    assert.ok(page.length < 40_000, `${page.length}`);
    assert.match(page, /src="\/console\/articles\/long\/seen"/);
    assert.ok((await open('/console/articles/long/seen')).includes('the end'));
  });
});
