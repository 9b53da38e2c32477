import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { violationsOf } from '../console/kit/axe.ts';
import { DESKTOP, openPage, PHONE, useChromium } from '../console/kit/browser.ts';
import { startService } from '../kit/service.ts';

suite('the viewer of the OpenAPI documents', () => {
  const browser = useChromium();

  test('a call is tried from it, axe-core finds nothing wrong on desktop and phone, light and dark, under a strict policy', async (t) => {
    const service = await startService(t);
    // Whatever the policy forbids, or a script fails at, fails the test.
    const page = await openPage(t, browser(), `${service.url}/api/docs`, {
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
});
