import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BY_NIGHT } from '../../../../packages/asmx/test/kit/lane.ts';
import { freePort } from '../../../../packages/asmx/test/kit/listen.ts';
import { freshDatabase } from '../kit/database.ts';
import { spawnService } from '../kit/process.ts';
import { startService } from '../kit/service.ts';
import { openAs } from './kit/browser.ts';
import { call } from './kit/filled.ts';

test('the overview says that a killed service is gone, and follows it by itself when it is back', async (t) => {
  const database = await freshDatabase('sqlite', t);
  const PORT = String(await freePort());
  // By day it is stopped, which to the page is the same: its stream ends.
  const start = async () => {
    if (!BY_NIGHT) {
      const { app, url } = await startService(t, database, { PORT });
      return { url, end: () => app.stop() };
    }
    const { url, end } = await spawnService(t, database, { PORT });
    return { url, end: () => end('SIGKILL') };
  };
  const first = await start();
  const service = { url: first.url, database };
  // Chromium tells of the connection that broke, and of those that were refused; htmx tells of those that the page made
  // while the service was away for long.
  const told = /net::ERR_|^htmx:(?:afterRequest|sendError)/;
  const page = await openAs(t, service, 'owner', '/console', {}, told);
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

  await first.end();
  await lost.waitFor();
  await page.getByRole('cell', { name: 'addNewAdvert', exact: true }).waitFor();

  await start();
  await lost.waitFor({ state: 'detached' });
  await insert('three');
  // What the killed process had counted and written is in the database.
  await counted(3);
  assert.equal(await page.evaluate('window.untouched'), true, 'the page was not loaded again');
});
