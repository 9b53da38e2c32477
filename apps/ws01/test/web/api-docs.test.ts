import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { DESKTOP, openPage, PHONE, useChromium } from '../console/kit/browser.ts';
import { startService } from '../kit/service.ts';

suite('the viewer of the OpenAPI documents', () => {
  const browser = useChromium();

  test('shows both documents, on a phone too, and a call is tried from it, under a policy that allows nothing else', async (t) => {
    const service = await startService(t);
    // Whatever the policy forbids, or a script fails at, fails the test.
    const page = await openPage(t, browser(), `${service.url}/api/docs`, DESKTOP);
    await page.getByRole('heading', { name: /^WS01: what is stored/ }).waitFor();
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.locator('#operations-WS01-InsertArticle, [id$="-InsertArticle"]').first().waitFor();
    await page.goto(`${service.url}/api/docs`);
    await page.locator('.opblock-summary-control', { hasText: '/public/articles' }).first().click();
    await page.getByRole('button', { name: 'Execute' }).first().click();
    await page.locator('.live-responses-table').getByText('"items"').first().waitFor();
    const phone = await openPage(t, browser(), `${service.url}/api/docs`, { ...PHONE, colorScheme: 'dark' });
    await phone.getByRole('heading', { name: /^WS01: what is stored/ }).waitFor();
    assert.equal(await phone.evaluate('document.documentElement.classList.contains("dark-mode")'), true);
    const answer = await fetch(`${service.url}/api/docs`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal((await fetch(`${service.url}/api/docs/assets/wrong/swagger-ui.js`)).status, 404);
  });
});
