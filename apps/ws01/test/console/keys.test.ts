import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { violationsOf } from './kit/axe.ts';
import { openAs } from './kit/browser.ts';
import { call, useService } from './kit/filled.ts';

suite('the list of keys', () => {
  const filled = useService();

  test('is shown by ? and by its button, says what each key does, and goes by Escape; not where keys are off', async (t) => {
    const service = filled();
    const page = await openAs(t, service, 'moderator', '/console/desk');
    const list = page.getByRole('dialog', { name: 'Shortcuts' });
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
    await page.waitForLoadState();
    await page.keyboard.press('?');
    assert.equal(await list.isVisible(), false);
  });

  test('down from the filters begins the list; J and K go on from the page of a record, in the order of its list', async (t) => {
    const service = filled();
    const path = '/console/articles?sort=created';
    const page = await openAs(t, service, 'owner', path);
    const [first, second] = await page
      .locator(
        '#records tbody tr td:not(.tight):first-of-type a, #records tbody tr td.tight + td a',
      )
      .evaluateAll((links) => links.slice(0, 2).map((link) => link.getAttribute('href')));
    for (const field of [page.getByLabel('Words'), page.getByRole('button', { name: 'Filter' })]) {
      await field.focus();
      await page.keyboard.press('ArrowDown');
      assert.equal(await page.evaluate(`document.activeElement.getAttribute('href')`), first);
    }
    await page.keyboard.press('Enter');
    await page.waitForURL(`**${first}`);
    await page.keyboard.press('j');
    await page.waitForURL(`**${second}`);
    await page.keyboard.press('k');
    await page.waitForURL(`**${first}`);
    // Before the first one is nothing, and of no list nothing is known.
    await page.keyboard.press('k');
    await page.goto(`${service.url}/console/adverts/spam`);
    await page.keyboard.press('j');
    assert.match(page.url(), /\/adverts\/spam$/);
  });

  test('J on the last record of a page of a list leads to its next page, K on the first to the one before', async (t) => {
    const service = filled();
    for (let index = 0; index < 30; index++)
      await call(service, 'InsertArticle', { guid: `more-${index}`, caption: `More ${index}` });
    const path = '/console/articles?sort=created&limit=25';
    const page = await openAs(t, service, 'owner', path);
    const record = (which: 'first' | 'last') =>
      page.locator(`#records tbody tr`)[which]().locator('a[href*="/articles/"]').first();
    await record('last').click();
    await page.waitForURL(/\/articles\/more-\d+$/);
    await page.keyboard.press('j');
    await page.waitForURL(/[?&]cursor=/);
    await record('first').click();
    await page.waitForURL(/\/articles\/more-\d+$/);
    await page.keyboard.press('k');
    await page.waitForURL(`**${path}`);
  });

  test('G and a letter open a page; J and K go through a list, also from a box; what the menu shows is over the page', async (t) => {
    const service = filled();
    const page = await openAs(t, service, 'owner', '/console/articles');
    const row = () => page.evaluate(`document.activeElement.closest('tr')?.rowIndex`);
    await page.keyboard.press('j');
    assert.equal(await row(), 1);
    await page.keyboard.press('j');
    assert.equal(await row(), 2);
    await page.keyboard.press('k');
    assert.equal(await row(), 1);
    await page.locator('tbody [type="checkbox"]').first().focus();
    await page.keyboard.press('/');
    assert.equal(await page.evaluate('document.activeElement.id'), 'q');
    await page.keyboard.type('gdj');
    assert.equal(await page.locator('#q').inputValue(), 'gdj', 'in a field they are letters');

    const audit = page.locator('.below a[href="/console/audit"]');
    await page.locator('.entry', { hasText: 'Service' }).hover();
    // A click that something else would get fails.
    await audit.click({ trial: true });
    await page.locator('.entry', { hasText: 'Messages' }).focus();
    await page.keyboard.press('Tab');
    assert.equal(
      await page
        .locator('.part:not(.open) > .below')
        .evaluateAll((all) => all.filter((one) => one.clientWidth > 1).length),
      1,
      'one at a time',
    );
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.waitForURL('**/console/desk');
  });
});
