import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { removeAdmin } from '../../src/domain/admins/admins.ts';
import { beginSlot } from '../kit/clock.ts';
import { forBothEngines } from '../kit/database.ts';
import { startService, type TestService } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import { DESKTOP, openAs, saysDone, sessionOf, untilInPage, visitor } from './kit/browser.ts';
import { call } from './kit/filled.ts';

/** Sends a form of the console. @returns the status and the words of the page that it leads to. */
async function send(
  service: TestService,
  cookie: string,
  path: string,
  fields: Record<string, string>,
): Promise<string> {
  const { status, text } = await visitor(service, cookie).submit(`/console${path}`, fields);
  return `${status} ${text.replaceAll(/<[^>]*>/g, ' ')}`;
}

test('a moderator saves a filter under a name, comes back to it by one click, and removes it', async (t) => {
  const service = await startService(t);
  for (const guid of ['sofa', 'lamp'])
    await call(service, 'addNewAdvert', { guid, title: guid, CreateUserId: 'ada' });
  const page = await openAs(t, service, 'moderator mia', '/console/adverts');
  assert.equal(await page.getByText('Save this filter').count(), 0, 'nothing is narrowed');
  await page.getByLabel('Words').fill('lamp');
  await page.getByLabel('Words').press('Enter');
  await page.locator('summary', { hasText: 'Save this filter' }).click();
  await page.getByLabel('Its name').fill('Lamps <b>');
  await page.getByRole('button', { name: 'Save this filter' }).click();
  await saysDone(page, 'Saved: Lamps <b>');
  assert.deepEqual(await violationsOf(page), []);

  await page.goto(`${service.url}/console/adverts`);
  await page.getByRole('link', { name: 'sofa' }).waitFor();
  await page.getByRole('link', { name: 'Lamps <b>' }).click();
  await page.getByRole('link', { name: 'sofa' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'lamp', exact: true }).waitFor();
  const other = await openAs(t, service, 'moderator tom', '/console/adverts');
  assert.equal(await other.getByRole('link', { name: 'Lamps <b>' }).count(), 0, 'it is hers alone');

  await page.getByRole('button', { name: 'Remove the filter “Lamps <b>”' }).click();
  await saysDone(page, 'Removed: Lamps <b>');
  assert.equal(await page.getByRole('link', { name: 'Lamps <b>' }).count(), 0);
});

test('a saved filter of the last days means other days tomorrow; days and times are the reader’s', async (t) => {
  // In Los Angeles it is afternoon.
  beginSlot(t, 86_400_000);
  const service = await startService(t, undefined, { TIME_ZONE: 'Asia/Shanghai' });
  const timezoneId = 'America/Los_Angeles';
  const days = { recent: 6, today: 0, old: 8 };
  const store = await service.database.open();
  for (const [guid, before] of Object.entries(days)) {
    await call(service, 'InsertArticle', { guid, caption: guid, content: 'x' });
    const created_at = Date.now() - before * 86_400_000;
    await store.write((tx) =>
      tx.updateTable('articles').set({ created_at }).where('guid', '=', guid).execute(),
    );
  }
  const options = { ...DESKTOP, timezoneId };
  const page = await openAs(t, service, 'owner', '/console/articles', options);
  await page.getByRole('link', { name: 'Last 7 days' }).click();
  await page.getByRole('link', { name: 'old', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'recent', exact: true }).waitFor();
  await page.locator('summary', { hasText: 'Save this filter' }).click();
  await page.getByLabel('Its name').fill('Lately');
  await page.getByRole('button', { name: 'Save this filter' }).click();
  await page.getByRole('link', { name: 'Lately' }).waitFor();
  const saved = await store.read((db) =>
    db.selectFrom('saved_filters').select(['name', 'query']).execute(),
  );
  assert.deepEqual(saved, [{ name: 'Lately', query: 'createdFrom=week' }], 'no date');
  // It stays so when the list is narrowed further, and is said in words.
  assert.equal(await page.getByLabel('Created from').inputValue(), 'week');
  await page.getByText('Created from: Last 7 days').waitFor();
  await page.getByText(`Days are those of ${timezoneId}.`).waitFor();

  await page.goto(`${service.url}/console`);
  const shown = page.locator('.news time').first();
  const instant = await shown.getAttribute('datetime');
  const own = { dateStyle: 'full', timeStyle: 'long', timeZone: timezoneId } as const;
  const expected = new Intl.DateTimeFormat('en-GB', own).format(new Date(instant!));
  await untilInPage(page, `document.querySelector('.news time').title === '${expected}'`);
  await page.getByRole('link', { name: /^\d+ articles?$/ }).click();
  await page.waitForURL(/createdFrom=today$/);
  await page.getByText(`Days are those of ${timezoneId}.`).waitFor();
});

suite('saved filters', () => {
  forBothEngines((engine, freshDatabase) => {
    test(`keep what the list knows, are bounded, asked for by role, and leave with their admin, ${engine}`, async (t) => {
      const service = await startService(t, await freshDatabase(t));
      const cookie = await sessionOf(service, 'moderator', 'mia');
      const store = await service.database.open();
      const rows = () =>
        store.read((db) => db.selectFrom('saved_filters').select(['name', 'query']).execute());
      const save = (name: string, query: string) =>
        send(service, cookie, '/adverts/filters', { name, query });
      await save(' Held ', 'state=held&cursor=abc&nonsense=1&q=&sort=created');
      assert.deepEqual(await rows(), [{ name: 'Held', query: 'sort=created&state=held' }]);
      await save('Held', 'state=removed');
      assert.deepEqual(await rows(), [{ name: 'Held', query: 'state=removed' }], 'in its place');
      assert.match(await save('', 'state=held'), /^400 .*Fill this in/s);
      assert.match(await save('x'.repeat(61), 'state=held'), /^400 .*at most 60 characters/s);
      assert.match(await save('None', 'nonsense=1'), /^400 .*is required/s);
      for (let number = 2; number <= 20; number++) await save(`Filter ${number}`, 'state=held');
      assert.match(await save('One more', 'state=held'), /^400 .*You have 20 saved filters/s);
      assert.equal((await rows()).length, 20);

      const reader = await sessionOf(service, 'reader', 'rea');
      const forbidden = await send(service, reader, '/mails/filters', { name: 'x', query: 'q=a' });
      assert.match(forbidden, /^403 /);
      await removeAdmin(store, 'mia', Date.now);
      assert.deepEqual(await rows(), []);
    });
  });
});
