import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { HOUR_MS } from '@ws01/asmx/time';
import type { Locator, Page } from 'playwright-core';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { type BackupProgress, beginRecord, tellProgress } from '../../src/domain/backup/records.ts';
import { LEASE_MS } from '../../src/records/backups.ts';
import { ws01 } from '../kit/command.ts';
import { freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';
import { addArticles } from '../kit/search-index.ts';
import { startService, type TestService, TOKEN } from '../kit/service.ts';
import { startUnreliableProxy } from '../kit/unreliable-proxy.ts';
import { violationsOf } from './kit/axe.ts';
import { openAs, openSignedIn, sessionOf, untilInPage } from './kit/browser.ts';
import { call } from './kit/filled.ts';

const advert = (service: TestService, guid: string, title: string) =>
  call(service, 'addNewAdvert', { guid, title, CreateUserId: 'ada' });

const article = (service: TestService, guid: string, caption: string) =>
  call(service, 'InsertArticle', { guid, caption, CreateUserId: 'ada', Status: '2' });

/** Marks a page, so that it is known whether it was loaded again. */
const touch = (page: Page) => page.evaluate('window.untouched = true');
const wasLoadedAgain = async (page: Page) => !(await page.evaluate('window.untouched === true'));

/** Takes a record down on its page, as a moderator does. */
async function takeDown(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Take down' }).click();
}

test('a list that found nothing yet goes on by itself, where the page stands', async (t) => {
  // A page looks at ten rows, and no index knows a sign.
  const service = await startService(t, undefined, { fixed: { apiRowsRead: 10, apiReadMs: 0 } });
  const store = await service.database.open();
  // It would take ten minutes.
  const captions = Array.from({ length: 3_000 }, (_, at) => (at === 0 ? '100 %' : 'Plain'));
  await addArticles(store, captions);
  const page = await openAs(t, service, 'reader', '/console/articles?q=%25');
  await touch(page);
  await page.getByText('Only a part was looked through so far: 0 records found.').waitFor();
  await page.getByRole('link', { name: 'Look further' }).waitFor();
  await page.getByRole('progressbar').waitFor();
  assert.deepEqual(await violationsOf(page), []);
  await store.write((tx) => tx.deleteFrom('articles').where('caption', '=', 'Plain').execute());
  await page.getByRole('link', { name: '100 %' }).waitFor();
  assert.equal(await page.getByText('Only a part').count(), 0);
  assert.equal(await wasLoadedAgain(page), false);
});

test('two admins see what the other one does to a list, and what is new waits until they ask for it', async (t) => {
  const service = await startService(t);
  await advert(service, 'sofa', 'Sofa');
  await advert(service, 'spam', 'Win a phone');
  const mine = await openAs(t, service, 'moderator mia', '/console/adverts');
  await touch(mine);
  const row = (title: string) => mine.getByRole('row', { name: new RegExp(title) });
  const box = row('Sofa').getByRole('checkbox');
  await box.check();

  const theirs = await openAs(t, service, 'moderator tom', '/console/adverts/spam');
  await touch(theirs);
  await takeDown(theirs);
  await row('Win a phone').getByText('taken down').waitFor();

  await advert(service, 'lamp', 'Lamp');
  await mine.getByRole('button', { name: '1 new – show' }).waitFor();
  assert.equal(await row('Lamp').count(), 0, 'no row moves under the hand');
  assert.equal(await box.isChecked(), true);
  assert.deepEqual(await violationsOf(mine), []);
  await mine.getByRole('button', { name: '1 new – show' }).click();
  await row('Lamp').waitFor();
  await mine.getByText('3 records').waitFor();
  assert.equal(await mine.getByRole('button', { name: /show/ }).count(), 0);

  // A filter, which asks for a part of the page only, is followed as well.
  await mine.getByLabel('State').selectOption('removed');
  await row('Sofa').waitFor({ state: 'detached' });
  await mine.goto(`${service.url}/console/adverts/lamp`);
  assert.equal(await wasLoadedAgain(mine), true);
});

test('a moderator on the desk is told who has just decided of what they look at, and keeps what they typed', async (t) => {
  const service = await startService(t);
  await article(service, 'one', 'Flat to let');
  await article(service, 'two', 'Room to let');
  const mine = await openAs(t, service, 'moderator mia', '/console/desk');
  await touch(mine);
  await mine.getByText('1 of 2 that wait').waitFor();
  await mine.locator('.ask > summary').click();
  await mine.getByLabel('Reason').fill('No address');

  const theirs = await openAs(t, service, 'moderator tom', '/console/desk');
  await theirs.getByRole('heading', { name: 'Flat to let' }).waitFor();
  const decide = async () => {
    await theirs.waitForLoadState();
    await theirs.keyboard.press('p');
  };
  await decide();
  await theirs.getByRole('heading', { name: 'Room to let' }).waitFor();
  await mine.getByText('somebody else has decided it. tom: article: published').waitFor();
  assert.equal(await mine.getByLabel('Reason').inputValue(), 'No address');
  assert.equal(await wasLoadedAgain(mine), false);
  assert.deepEqual(await violationsOf(mine), []);

  await mine.getByRole('link', { name: 'Next' }).first().click();
  await mine.getByRole('heading', { name: 'Room to let' }).waitFor();
  await decide();
  await theirs.getByText('Nothing waits for you.').waitFor();
  await article(service, 'three', 'House to let');
  await theirs.getByRole('link', { name: '1 waits – show' }).click();
  await theirs.getByRole('heading', { name: 'House to let' }).waitFor();
});

test('news leave unfolded what is, and the focus where it is: in a field, at a fold, in a chart', async (t) => {
  const service = await startService(t);
  await article(service, 'one', 'Flat to let');
  const page = await openAs(t, service, 'owner', '/console/articles/one');
  await page.locator('.ask > summary').click();
  await page.locator('#reason:focus').waitFor();
  await article(service, 'one', 'Flat is let');
  await page.getByText('Caption: Flat to let').first().waitFor();
  assert.equal(await page.evaluate('document.activeElement.id'), 'reason');

  await page.goto(`${service.url}/console/users/ada`);
  await page.locator('.more > summary').focus();
  await call(service, 'updateUserInfo', { userId: 'ada', firstName: 'Ada' });
  await page.getByText('First name:').first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.more[open]').waitFor();

  await page.goto(`${service.url}/console`);
  await page.getByRole('slider').first().focus();
  await advert(service, 'sofa', 'Sofa');
  await page.locator('#by-operation', { hasText: 'addNewAdvert' }).waitFor();
  assert.equal(await page.evaluate('document.activeElement.role'), 'slider');
});

test('news that come between press and release take no click away, and are shown after it', async (t) => {
  const service = await startService(t);
  await advert(service, 'sofa', 'Sofa');
  const page = await openAs(t, service, 'owner', '/console');
  await page.locator('#by-operation:not([open]) summary').hover();
  await page.evaluate(`stream.addEventListener('message', () => { window.hasNews = true; })`);
  await page.mouse.down();
  await advert(service, 'lamp', 'Lamp');
  await untilInPage(page, 'window.hasNews');
  await page.mouse.up();
  await page.locator('#by-operation[open]').waitFor();
  await page.getByRole('row', { name: /^addNewAdvert .* 2 / }).waitFor();
});

test('the inbox, a mail, deliveries and backups show by themselves how far they are', async (t) => {
  const service = await startService(t);
  const mail = (subject: string) =>
    call(service, 'SendEmail', {
      ...{ authorizationUserId: TOKEN, receiverName: 'Bob', receiverEmail: 'bob@example.com' },
      ...{ subject, body: 'Hello.' },
    });
  const cookie = await sessionOf(service, 'owner');
  const open = (path: string) => openSignedIn(t, service, cookie, path);
  const inbox = await open('/console/inbox');
  await inbox.getByText('Nothing went out yet.').waitFor();
  await mail('First');
  await inbox.getByRole('link', { name: 'First' }).waitFor();
  await mail('Second');
  await inbox.getByRole('button', { name: '1 new – show' }).click();
  await inbox.getByRole('link', { name: 'Second' }).waitFor();

  const searched = await open('/console/inbox');
  await searched.getByLabel('Words').fill('sec');
  await searched.getByRole('button', { name: 'Filter' }).click();
  await searched.getByText('Words: sec').waitFor();
  assert.equal(await searched.getByRole('link', { name: 'First' }).count(), 0);
  const csv = await searched.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
  const exported = await (await fetch(service.url + csv, { headers: { cookie } })).text();
  assert.ok(exported.includes('Second') && !exported.includes('First'));
  await searched.getByRole('link', { name: 'Second' }).click();
  await searched.getByRole('link', { name: '← Outbox' }).click();
  await searched.getByText('Words: sec').waitFor();
  // A choice needs the script.
  await searched.waitForLoadState();
  await searched.getByLabel('Status').selectOption('cancelled');
  await searched.getByText('No records.').waitFor();
  await searched.close();

  const page = await open('/console/mails');
  await page.getByRole('link', { name: 'First' }).click();
  const theirs = await sessionOf(service, 'owner', 'tom');
  const act = await openSignedIn(t, service, theirs, '/console/mails');
  await act.getByRole('link', { name: 'First' }).click();
  await act.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Undo cancel' }).waitFor();
  await page.locator('h1 + #standing', { hasText: 'cancelled' }).waitFor();
  await inbox.getByRole('row', { name: /First/ }).getByText('cancelled').waitFor();

  const backups = await open('/console/backups');
  const store = await service.database.open();
  const now = Date.now();
  const begun = await beginRecord(store, { slot: now, target: 'disk', name: 'nightly', now });
  await backups.getByRole('row', { name: /nightly running/ }).waitFor();
  const backup = await open(`/console/backups/${begun!.id}`);
  await backup.getByText('Everything is copied').waitFor();
  const bar = (name: string) => backup.getByRole('progressbar', { name });
  /** As its process does again and again: without a word for a minute it counts as interrupted. */
  const tellUntil = (progress: BackupProgress, shown: Locator) =>
    until(async () => {
      await tellProgress(store, begun!.id, progress, Date.now());
      return shown.isVisible();
    });
  await tellUntil(
    { step: 'images', done: 12, total: 40 },
    bar('Copying image files: 30 %').and(backup.locator('[value="12"]')),
  );
  assert.deepEqual(await violationsOf(backup), []);
  // Its process was killed.
  await tellProgress(store, begun!.id, undefined, now - LEASE_MS);
  await backup.getByText('Interrupted: who made it').waitFor();
  await backups.getByRole('row', { name: /nightly interrupted/ }).waitFor();
  await tellUntil({ step: 'restoring', done: null, total: null }, bar('Restoring the copy'));
  await store.write((tx) =>
    tx.updateTable('backups').set({ verified_at: now }).where('id', '=', begun!.id).execute(),
  );
  await backups.getByRole('row', { name: /nightly verified/ }).waitFor();
  await backup.locator('h1 + #standing', { hasText: 'verified' }).waitFor();
  await backup.getByText('Everything is copied').waitFor({ state: 'hidden' });
});

test('of two admins on the page of a backup one verifies it, and the other sees that and what it finds', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const place = `${database.dataDir}-backups`;
  t.after(() => rm(place, { recursive: true, force: true }));
  const env = { BACKUP_TO: place, BACKUP_SCHEDULE: '720h' };
  const { code, stdout, stderr } = await ws01(database, ['backup', '--json'], '', env);
  assert.equal(code, 0, stderr);
  const { backup } = JSON.parse(stdout);
  const service = await spawnService(t, database, env);
  const store = await database.open({ guest: true });
  t.after(() => store.close());
  const kept = { database: { ...database, open: async () => store } };
  const open = async (name: string) =>
    openSignedIn(t, service, await sessionOf(kept, 'owner', name), '/console/backups');
  const [mine, theirs] = [await open('mia'), await open('tom')];
  for (const page of [mine, theirs])
    await page.getByRole('link', { name: backup.split('/').at(-1) }).click();
  const verify = () => theirs.getByRole('button', { name: 'Verify', exact: true }).click();
  await touch(mine);
  await verify();
  await mine.getByText('It was read back whole and is what was copied.').waitFor();
  await mine.getByText('tom').first().waitFor();
  await mine.getByText('backup: verification begun').waitFor();
  assert.deepEqual(await violationsOf(mine), []);

  await writeFile(`${backup}/ws01.sqlite`, 'cut');
  await verify();
  await mine.getByText('This backup is damaged; make another one.').waitFor();
  await mine.getByText('the database has other bytes').first().waitFor();
  assert.equal(await wasLoadedAgain(mine), false);
});

test('after ten seconds of silence the page says that its connection is lost', async (t) => {
  const service = await startService(t);
  await advert(service, 'sofa', 'Sofa');
  const cookie = await sessionOf(service, 'reader');
  const proxy = await startUnreliableProxy(t, Number(new URL(service.url).port));
  const url = `http://127.0.0.1:${proxy.port}`;
  const page = await openSignedIn(t, { url }, cookie, '/console/account');
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + HOUR_MS);
  const requests: string[] = [];
  page.on('response', (response) => requests.push(response.url()));
  await page.goto(`${url}/console/adverts`);
  await until(() => requests.some((one) => one.includes('live=')));
  const lost = page.getByRole('status').filter({ hasText: 'The connection is lost' });
  proxy.silent = true;
  await page.clock.runFor(9_900);
  assert.equal(await lost.count(), 0);
  // What the page got meanwhile may have come late.
  await until(async () => {
    await page.clock.runFor(100);
    return lost.isVisible();
  });

  proxy.silent = false;
  await page.clock.runFor(10_000);
  await lost.waitFor({ state: 'detached' });
});
