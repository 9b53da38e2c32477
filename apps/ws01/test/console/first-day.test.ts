import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Page } from 'playwright-core';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { ws01 } from '../kit/command.ts';
import { emptyDatabase, forEachEngine } from '../kit/database.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { pasted } from '../kit/pasted.ts';
import { startService } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import { leave, openPage, openSignedIn, PASSWORD, sessionOf } from './kit/browser.ts';

const listIn = (page: Page) => page.getByRole('region', { name: 'First steps' });

suite('the first day', () => {
  test('goes from the link to an article, a test mail, a verified backup and a call of the token, without a terminal', async (t) => {
    const mail = await startMailServer(t);
    const database = await emptyDatabase('sqlite', t);
    const service = await startService(t, database);
    const added = await ws01(database, ['admin', 'add', 'olga']);
    const link = new URL(added.stdout.trim());
    const page = await openPage(t, service.url + link.pathname);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    const list = listIn(page);
    await list.getByText('1 of 5 done').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    const goOn = (done: string) => async () => {
      await page.goto(`${service.url}/console`);
      await list.getByText(done).waitFor();
    };

    await list.getByRole('link', { name: 'Write an article' }).click();
    await page.getByLabel('Caption').fill('Bicycle for sale');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.locator('#standing', { hasText: 'published' }).waitFor();

    await goOn('2 of 5 done')();
    await list.getByRole('link', { name: 'Set up the mail server' }).click();
    await page.getByLabel('Host').fill('127.0.0.1');
    await page.getByLabel('Port').fill(String(mail.port));
    await page.getByLabel('Encryption').selectOption('unencrypted');
    await leave(page, () => page.getByRole('button', { name: 'Save', exact: true }).click());
    // A server that nobody has tried may be the wrong one.
    await goOn('2 of 5 done')();
    await list.getByRole('link', { name: 'Send a test mail' }).click();
    const trial = async (says: string) => {
      await page.getByLabel('Send the test mail to').fill('olga@example.com');
      await page.getByRole('button', { name: 'Send me a test mail' }).click();
      await page.getByText(says).waitFor();
    };
    // Nothing listens there.
    await page.getByLabel('Port').fill('465');
    await trial('The mail was not sent.');
    await goOn('2 of 5 done')();
    await list.getByText('The mail was not sent. Nothing listens at this host and port').waitFor();
    await list.getByRole('link', { name: 'Send a test mail' }).click();
    await page.getByLabel('Port').fill(String(mail.port));
    await leave(page, () => page.getByRole('button', { name: 'Save', exact: true }).click());
    // What was said of another server is past.
    await goOn('2 of 5 done')();
    await list.getByText('a test mail to yourself shows').waitFor();
    await list.getByRole('link', { name: 'Send a test mail' }).click();
    await trial('The mail server took the mail:');

    await goOn('3 of 5 done')();
    assert.equal(await list.getByText('Publish an article').isVisible(), false, 'it is done');
    await list.getByText('3 of 5 done').click();
    await list.getByText('Publish an article').waitFor();
    await list.getByRole('button', { name: 'Make the first backup' }).click();
    await page.locator('tbody .tag', { hasText: 'verified' }).waitFor();
    const { stdout } = await ws01(database, ['backup', '--list', '--json']);
    assert.equal(JSON.parse(stdout).length, 1, 'where the command looks, too');

    await goOn('4 of 5 done')();
    await list.getByRole('link', { name: 'Make a token' }).click();
    await page.getByRole('checkbox', { name: /^articles/ }).check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const call = (await page.locator('#call').textContent()) ?? '';
    // A token that nothing has called with is not in use.
    const inUse = await page.context().newPage();
    await inUse.goto(`${service.url}/console`);
    await listIn(inUse).getByText('4 of 5 done').waitFor();
    await listIn(inUse).getByRole('link', { name: 'See the tokens' }).waitFor();
    assert.match(await pasted(call), / 200$/, call);
    // The last use is written down a second later.
    await until(async () => {
      await page.goto(`${service.url}/console`);
      await page.getByRole('heading', { name: 'What needs attention' }).waitFor();
      return (await list.count()) === 0;
    });
    assert.equal(await page.getByRole('button', { name: 'Show the first steps' }).count(), 0);
  });

  forEachEngine((_engine, fresh) => {
    test('each step, and the list, goes when an owner says so, for all owners, and comes back', async (t) => {
      const service = await startService(t, await fresh(t));
      const ada = await sessionOf(service, 'owner', 'ada');
      const page = await openSignedIn(t, service, ada, '/console');
      const list = listIn(page);
      await list.getByText('1 of 5 done').waitFor();
      await list.getByRole('button', { name: 'Not needed: Send a mail' }).click();
      await list.getByText('1 of 4 done').click();
      await list.getByRole('button', { name: 'Bring back: Send a mail' }).click();
      await list.getByText('1 of 5 done').waitFor();
      await list.getByRole('button', { name: 'Hide this list' }).click();
      await list.waitFor({ state: 'detached' });
      const bob = await sessionOf(service, 'owner', 'bob');
      const theirs = await openSignedIn(t, service, bob, '/console');
      await theirs.getByRole('button', { name: 'Show the first steps' }).click();
      const steps = listIn(theirs);
      for (const step of ['Publish', 'Send', 'Make', 'Let'])
        await leave(theirs, () =>
          steps.getByRole('button', { name: `Not needed: ${step}` }).click(),
        );
      await steps.waitFor({ state: 'detached' });
      await theirs.getByRole('button', { name: 'Show the first steps' }).click();
      await steps.getByText('1 of 5 done').waitFor();
      const moderator = await sessionOf(service, 'moderator');
      const other = await openSignedIn(t, service, moderator, '/console');
      await other.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
      assert.equal(await listIn(other).count(), 0);
    });
  });
});
