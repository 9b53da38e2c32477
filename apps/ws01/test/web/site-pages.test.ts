import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { violationsOf } from '../console/kit/axe.ts';
import { openPage, PHONE } from '../console/kit/browser.ts';
import { startService, TOKEN } from '../kit/service.ts';

const GONE = /status of 4(?:04|10)/;

test('/api leads to the documents of the API, and what is not there below it says where they are', async (t) => {
  const { url } = await startService(t);
  for (const path of ['/api', '/api/']) {
    const answer = await fetch(url + path, { redirect: 'manual' });
    assert.deepEqual([answer.status, answer.headers.get('location')], [302, '/api/docs']);
  }
  for (const path of ['/api/v2/articles', '/api/v1/none']) {
    const answer = await fetch(url + path);
    const { detail } = (await answer.json()) as { detail: string };
    assert.deepEqual(
      [answer.status, detail],
      [404, `There is no GET ${path}; see /api/v1/openapi.json.`],
    );
  }
});

suite('pages that visitors of the site meet', () => {
  test('speak the browser’s language, satisfy axe-core, fit a phone; programs get a sentence', async (t) => {
    const service = await startService(t, undefined, { SERVICE_NAME: 'Corner market' });
    const call = async (operation: string, fields: Record<string, string>) =>
      (
        await fetch(`${service.url}/WS01.asmx/${operation}`, {
          method: 'POST',
          body: new URLSearchParams({ token: TOKEN, ...fields }),
        })
      ).text();
    const made = await call('UrltoShortUrl', { _userId: 'ada', _orgUrl: 'https://example.org/' });
    const [, live] = /(\/s\/\w+)</.exec(made) ?? assert.fail(made);
    const pages = [
      ['/nix', 404, 'There is no such page', '没有这个页面'],
      [`/media/${'0'.repeat(64)}.jpg`, 404, 'There is no such page', '没有这个页面'],
      ['/media/nix.jpg?w=80', 404, 'There is no such page', '没有这个页面'],
      ['/s/abc', 404, 'No such link', '没有这个链接'],
      ['/s/BBBBBBB', 404, 'No such link', '没有这个链接'],
      [`${live}+`, 200, 'Where this short link leads', '这个短链接通向哪里'],
    ] as const;
    for (const [path, status, english, chinese] of pages) {
      for (const [locale, lang, title, colorScheme] of [
        ['en-GB', 'en', english, 'dark'],
        ['zh-CN', 'zh-CN', chinese, 'light'],
      ] as const) {
        const options = { ...PHONE, locale, colorScheme };
        const page = await openPage(t, service.url + path, options, GONE);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        assert.equal(await page.title(), `${title} · Corner market`);
        await page.getByRole('banner').getByText('Corner market').waitFor();
        assert.equal(await page.locator('html').getAttribute('lang'), lang);
        assert.deepEqual(await violationsOf(page), [], `${path} ${locale}`);
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        assert.ok(width <= 360, `${path} is ${width} wide`);
        const links = await page.getByRole('navigation').getByRole('link').all();
        for (const link of links)
          assert.ok((await fetch(service.url + (await link.getAttribute('href')))).ok);
      }
      const plain = await fetch(service.url + path);
      assert.equal(plain.status, status);
    }
    for (const path of [`/media/${'0'.repeat(64)}.jpg`, '/media/nix.jpg']) {
      const headers = { Accept: 'image/avif,image/webp,*/*;q=0.8' };
      const shown = await fetch(service.url + path, { headers });
      assert.equal(
        await shown.text(),
        'There is no such image.\n',
        'pages that show it get no page',
      );
    }
    const help = await openPage(t, `${service.url}/WS01.asmx?op=SendEmail`);
    for (const [name, path] of [
      ['HTTP API', '/api/docs'],
      ['Console', '/console/sign-in?next=%2Fconsole'],
    ] as const) {
      await help.goto(`${service.url}/WS01.asmx?op=SendEmail`);
      await help.getByRole('banner').getByRole('link', { name }).click();
      await help.waitForURL(service.url + path);
    }
    const told = await fetch(`${service.url}/nix`);
    assert.equal(await told.text(), 'Nothing is served here; the service is at /WS01.asmx.\n');
  });
});
