import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { violationsOf } from '../console/kit/axe.ts';
import { DESKTOP, openPage, PHONE } from '../console/kit/browser.ts';
import { startService } from '../kit/service.ts';

interface Spec {
  readonly info: { readonly title: string };
  readonly tags?: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string }>>>>;
}

suite('the viewer of the OpenAPI documents', () => {
  test('a call is tried from it, axe-core finds nothing wrong on desktop and phone, light and dark, under a strict policy', async (t) => {
    const service = await startService(t);
    // Whatever the policy forbids, or a script fails at, fails the test.
    const page = await openPage(t, `${service.url}/api/docs`, {
      ...DESKTOP,
      colorScheme: 'light',
    });
    await page.getByRole('heading', { level: 1, name: /^WS01: HTTP API/ }).waitFor();
    const measured = await page.context().newPage();
    const devtools = await page.context().newCDPSession(measured);
    await devtools.send('Network.enable');
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await measured.goto(`${service.url}/api/docs`);
    await measured.getByRole('heading', { level: 1, name: /^WS01: HTTP API/ }).waitFor();
    assert.ok(bytes > 100 * 1024 && bytes <= 500 * 1024, `the page is ${bytes} bytes`);
    await measured.close();
    await page.locator('#operations-tag-public').getByRole('button').click();
    await page.locator('.opblock-summary-control', { hasText: '/public/articles' }).first().click();
    await page.getByRole('button', { name: 'Execute' }).click();
    await page.locator('.live-responses-table').getByText('"items"').first().waitFor();
    for (const [viewport, colorScheme] of [
      [DESKTOP.viewport!, 'light'],
      [PHONE.viewport!, 'dark'],
      ...(BY_NIGHT
        ? ([
            [PHONE.viewport!, 'light'],
            [DESKTOP.viewport!, 'dark'],
          ] as const)
        : []),
    ] as const) {
      const what = `${viewport.width} wide, ${colorScheme}`;
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page
        .locator(`html${colorScheme === 'dark' ? '.dark-mode' : ':not(.dark-mode)'}`)
        .waitFor();
      assert.deepEqual(await violationsOf(page), [], what);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      assert.ok(width <= viewport.width, `${what}: the page is ${width} wide`);
    }
    const places = ['SOAP and forms', 'Console'].map((name) =>
      page.getByRole('link', { name }).getAttribute('href'),
    );
    assert.deepEqual(await Promise.all(places), ['/WS01.asmx', '/console']);
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.locator('[id$="-InsertArticle"]').first().waitFor();
    assert.deepEqual(await violationsOf(page), [], 'the operations');
    const answer = await fetch(`${service.url}/api/docs`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal((await fetch(`${service.url}/api/docs/assets/wrong/swagger-ui.js`)).status, 404);
  });

  test('is in Chinese for who reads that: its frame, its groups and what each operation does', async (t) => {
    const service = await startService(t);
    const look = { ...PHONE, locale: 'zh-CN' };
    const page = await openPage(t, `${service.url}/api/docs`, look);
    await page.getByRole('heading', { level: 2, name: '操作' }).waitFor();
    await page.locator('#operations-tag-文章').getByRole('button').click();
    await page.getByText('文章列表').first().waitFor();
    assert.deepEqual(await violationsOf(page), []);
    const documents = ['/api/v1/openapi.json', '/openapi.json'].map(async (path) =>
      (await fetch(service.url + path)).json(),
    );
    const words = (await (await fetch(`${service.url}/api/docs/words/zh.json`)).json()) as Record<
      string,
      string
    >;
    for (const { info, tags, paths } of (await Promise.all(documents)) as Spec[]) {
      const operations = Object.values(paths).flatMap((path) => Object.values(path));
      const summaries = operations.flatMap(({ summary }) => summary ?? []);
      assert.ok(summaries.length >= 40);
      const said = [...summaries, ...(tags ?? []).map(({ name }) => name)];
      assert.deepEqual(
        said.filter((text) => words[text] === undefined && text !== 'WS01'),
        [],
        info.title,
      );
    }
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: /^WS01: HTTP API/ }).waitFor();
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByRole('link', { name: '中文' }).waitFor();
  });
});
