import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openAs } from './kit/browser.ts';
import { call, filledService } from './kit/filled.ts';

/** What is pressed, typed into or chosen, and the ways to other pages. */
const CONTROLS = 'nav, button, input, select, textarea, summary, a.button, a[href*=".csv"]';

test('on paper a page has what it tells, and nothing to press', async (t) => {
  const service = await filledService(t);
  const waiting = { guid: 'waits', caption: 'It waits', content: 'To be looked at.', Status: '2' };
  await call(service, 'InsertArticle', waiting);
  const page = await openAs(t, service, 'owner', '/console');
  await page.emulateMedia({ media: 'print' });
  for (const [path, told] of [
    ['articles/flat', ['Flat to let', 'Revision 2', 'Text changed']],
    ['articles', ['Flat to let', 'Bicycle 2 自行车', 'published']],
    ['desk', ['It waits', 'To be looked at.', 'pending']],
    ['audit', ['Flat to let', 'article: replaced', 'Revision 2']],
  ] as const) {
    await page.goto(`${service.url}/console/${path}`);
    for (const text of told) await page.getByText(text).filter({ visible: true }).first().waitFor();
    const shown = await page.locator(`:is(${CONTROLS}):visible`).allTextContents();
    assert.deepEqual(shown, [], path);
  }
  await page.goto(`${service.url}/console/articles/flat`);
  await page.locator('.seen').getByText('Three rooms.').waitFor();

  const content = `${'One more line of a long story.<br>'.repeat(400)}The end.`;
  await call(service, 'InsertArticle', { guid: 'long', caption: 'Long', content });
  await page.emulateMedia({ media: 'screen' });
  await page.goto(`${service.url}/console/articles/long`);
  await page.getByRole('link', { name: 'Edit' }).waitFor();
  assert.equal(await page.locator('.paper').count(), 0);
  await page.emulateMedia({ media: 'print' });
  await page.locator('.paper').waitFor();
  const lines = String(await page.locator('.paper').textContent()).split('\n');
  assert.deepEqual([lines.length >= 401, lines.at(-1)], [true, 'The end.']);
  assert.equal(await page.locator('iframe.preview').isVisible(), false);
  await page.emulateMedia({ media: 'screen' });
  assert.equal(await page.locator('.paper').isVisible(), false);
});
