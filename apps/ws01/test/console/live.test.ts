import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';
import { openSignedIn, sessionOf, useChromium } from './kit/browser.ts';
import { call } from './kit/filled.ts';

const browser = useChromium();

test('the overview says that a killed service is gone, and follows it by itself when it is back', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const PORT = String(await freePort());
  const first = await spawnService(t, database, { PORT });
  const service = { url: first.url, database };
  const cookie = await sessionOf(service, 'owner');
  // Chromium tells of the connection that broke, and of those that were refused; htmx tells of those that the page made
  // while the service was away for long.
  const told = /net::ERR_|^htmx:(?:afterRequest|sendError)/;
  const page = await openSignedIn(t, browser(), service, cookie, '/console', {}, told);
  await page.evaluate('window.untouched = true');
  const insert = (guid: string) =>
    call(service, 'addNewAdvert', { guid, title: 'Sofa', CreateUserId: 'ada' });
  const counted = (calls: number) =>
    page.getByRole('row', { name: new RegExp(`^addNewAdvert .* ${calls} `) }).waitFor();
  await insert('one');
  await insert('two');
  await page.locator('#by-operation:not([open]) summary').click();
  await counted(2);
  const lost = page.getByRole('status').filter({ hasText: 'The connection is lost' });
  assert.equal(await lost.count(), 0);

  await first.end('SIGKILL');
  await lost.waitFor();
  await page.getByRole('cell', { name: 'addNewAdvert', exact: true }).waitFor();

  await spawnService(t, database, { PORT });
  await lost.waitFor({ state: 'detached' });
  await insert('three');
  // What the killed process had counted and written is in the database.
  await counted(3);
  assert.equal(await page.evaluate('window.untouched'), true, 'the page was not loaded again');
});
