import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { ICONS } from '../../src/console/icons.ts';
import { beginSlot } from '../kit/clock.ts';
import { violationsOf } from './kit/axe.ts';
import { openAs, openSignedIn, sessionOf, untilInPage } from './kit/browser.ts';
import { call, filledService, useService } from './kit/filled.ts';

suite('the pages of the console', () => {
  const filled = useService();

  test('a list is filtered without a reload, sorted, paged and exported', async (t) => {
    const service = filled();
    const cookie = await sessionOf(service, 'owner');
    const page = await openSignedIn(t, service, cookie, '/console/articles');
    await page.evaluate('window.kept = true');
    await page.getByLabel('Words').fill('bicycle');
    await page.getByLabel('Words').press('Enter');
    await page.getByRole('link', { name: 'Flat to let' }).waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('window.kept'), true, 'no reload');
    await page.waitForURL(/q=bicycle/);
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
    const service = filled();
    const page = await openAs(t, service, 'owner', '/console/articles/flat');
    const drawn = `[...document.querySelectorAll('svg.icon')].filter((icon) => icon.checkVisibility()).map((icon) => [
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
    beginSlot(t, DAY_MS);
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
    const page = await openSignedIn(t, service, cookie, path);
    await page.getByRole('cell', { name: 'news.example' }).waitFor();
    await page.getByRole('cell', { name: 'Austrian German' }).waitFor();
    const chart = page.getByRole('figure', { name: 'Visits by day' });
    await chart.locator('canvas').waitFor();
    assert.deepEqual(
      JSON.parse((await chart.getAttribute('data-chart'))!).series,
      [
        [0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 1],
      ],
      'a single day is seen beside those before it',
    );
    const name = new RegExp(`^Copy: http.*/${short.split('/').at(-1)}$`);
    await page.getByRole('button', { name }).waitFor();
    assert.deepEqual(await violationsOf(page), []);
  });
});
