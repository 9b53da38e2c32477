import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { violationsOf } from './kit/axe.ts';
import { openSignedIn, sessionOf, untilInPage, useChromium } from './kit/browser.ts';
import { filledService } from './kit/filled.ts';

suite('the list of keys', () => {
  const browser = useChromium();

  test('is shown by ? and by its button, says what each key does, and goes by Escape; not where keys are off', async (t) => {
    const service = await filledService(t);
    const cookie = await sessionOf(service, 'moderator');
    const page = await openSignedIn(t, browser(), service, cookie, '/console/desk');
    const list = page.getByRole('dialog', { name: 'Shortcuts' });
    const loaded = () => untilInPage(page, `document.readyState === 'complete'`);
    await loaded();
    await page.keyboard.press('?');
    await list.getByText('Go to the search box').waitFor();
    for (const [key, does] of [
      ['P', 'Publish'],
      ['T', 'Take down'],
      ['U', 'Undo what was just done'],
    ] as const)
      assert.match(
        (await list.locator('div', { hasText: does }).textContent())!,
        new RegExp(`^${key} `),
      );
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Close');
    assert.deepEqual(await violationsOf(page), []);
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Shortcuts' }).click();
    await list.waitFor();
    await list.getByRole('button', { name: 'Close' }).click();
    await list.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Single keys: on' }).click();
    await page.getByRole('button', { name: 'Single keys: off' }).waitFor();
    await loaded();
    await page.keyboard.press('?');
    assert.equal(await list.isVisible(), false);
  });
});
