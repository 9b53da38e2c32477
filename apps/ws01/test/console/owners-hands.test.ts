import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { passLimits } from '../../../../packages/asmx/test/kit/steered-time.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { WAIT_MS } from '../../src/console/watched.ts';
import { startHttpGateway } from '../kit/http-gateway.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import {
  apiOfSession,
  boxOf,
  leave,
  openAs,
  openSignedIn,
  saysDone,
  sessionOf,
  untilInPage,
  visitor,
} from './kit/browser.ts';
import { call, useService } from './kit/filled.ts';

suite('tokens and webhooks in the hands of an owner', () => {
  const started = useService((life) => startService(life));

  test('a token: scopes that are wrong stay as chosen, an edit is undone, a new secret is shown once', async (t) => {
    const service = started();
    const cookie = await sessionOf(service, 'owner', 'ada');
    const api = apiOfSession(service, cookie);
    const { item } = await api('POST', '/tokens', { scopes: ['articles', 'mail'], label: 'Shop' });
    const path = `/console/tokens/${item.id}`;
    const page = await openSignedIn(t, service, cookie, path, {}, /status of 4(?:00|09)/);
    await page.getByRole('link', { name: 'Edit' }).click();
    const scope = (name: string) => page.getByRole('checkbox', { name: new RegExp(`^${name}`) });
    assert.equal(await scope('mail').isChecked(), true);
    await scope('mail').uncheck();
    await scope('articles').uncheck();
    await page.getByLabel('What it is for').fill('Shop of Bob');
    await page.getByRole('button', { name: 'Save' }).click();
    const wrong = page.getByRole('group', { name: 'Scopes' });
    await wrong.getByText('Choose at least one.').waitFor();
    await page.waitForLoadState();
    const why = await boxOf(wrong.getByText('Choose at least one.'));
    const first = await boxOf(wrong.getByRole('checkbox').first());
    assert.ok(why.y + why.height <= first.y, 'it stands above the first box');
    assert.equal(await wrong.getAttribute('aria-invalid'), 'true');
    assert.equal(await page.getByLabel('What it is for').inputValue(), 'Shop of Bob');
    assert.deepEqual(await violationsOf(page), []);
    await scope('images').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await saysDone(page, 'Saved.');
    const now = async () => {
      const { label, scopes } = await api('GET', `/tokens/${item.id}`);
      return [label, scopes];
    };
    assert.deepEqual(await now(), ['Shop of Bob', ['images']]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await saysDone(page, 'Undone.');
    assert.deepEqual(await now(), ['Shop', ['articles', 'mail']]);

    // Of two who choose scopes, the later one sees what the other chose.
    await page.goto(`${service.url}${path}/edit`);
    await api('PATCH', `/tokens/${item.id}`, { scopes: ['counts'] });
    await scope('users').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Meanwhile somebody wrote: counts').waitFor();
    assert.deepEqual(await now(), ['Shop', ['counts']]);

    await page.goto(`${service.url}${path}`);
    await page.getByRole('button', { name: 'Replace' }).click();
    const overlap = page.getByLabel('The old token');
    assert.equal(await overlap.inputValue(), '24h');
    await overlap.selectOption('works on for an hour');
    await page.getByRole('button', { name: 'Replace now' }).click();
    await saysDone(page, 'There is a new secret.');
    const secret = (await page.locator('#secret').textContent()) ?? '';
    const count = async () =>
      (
        await fetch(`${service.url}/WS01.asmx/countIpPosted`, {
          method: 'POST',
          body: new URLSearchParams({ tokenId: secret, IP: '192.0.2.1', lastFewDays: '1' }),
        })
      ).status;
    assert.equal(await count(), 200);
    assert.deepEqual(await violationsOf(page), []);
    await leave(page, () => page.getByRole('link', { name: 'The new token' }).click());
    await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor();
    assert.equal(await page.getByText(secret).count(), 0, 'it is shown once');
    const more = page.locator('.more > summary');
    await more.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Revoke' }).waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'hidden' });
  });

  test('a new token: what the app is chooses what it may do', async (t) => {
    const service = started();
    const cookie = await sessionOf(service, 'owner', 'ada');
    const page = await openSignedIn(t, service, cookie, '/console/tokens/new');
    await page.getByRole('radio', { name: 'A partner that sends articles' }).check();
    assert.deepEqual(await violationsOf(page), []);
    await page.getByLabel('What it is for').fill('Partner');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('#secret').waitFor();
    const scopesOf = async (label: string) =>
      (await apiOfSession(service, cookie)('GET', '/tokens')).items.find(
        (one: { label: string }) => one.label === label,
      ).scopes;
    assert.deepEqual(await scopesOf('Partner'), ['articles', 'images']);
    // What is chosen below counts.
    await page.goto(`${service.url}/console/tokens/new`);
    await page.getByRole('radio', { name: 'A server that sends mail' }).check();
    await page.getByRole('checkbox', { name: /^counts/ }).check();
    await page.getByLabel('What it is for').fill('Counter');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('#secret').waitFor();
    assert.deepEqual(await scopesOf('Counter'), ['counts']);
    // Without a name it is called what its app is; the warning and the button that copies are one block.
    await page.goto(`${service.url}/console/tokens/new`);
    await page.getByRole('radio', { name: 'A website that reads' }).check();
    await page.getByRole('button', { name: 'Create' }).click();
    const block = page.getByRole('region', { name: /shown|once/i });
    await block.getByRole('button', { name: 'Copy' }).waitFor();
    assert.equal(await block.locator('#secret').count(), 1);
    await page.getByRole('heading', { level: 1, name: 'A website that reads' }).waitFor();
    assert.deepEqual(await scopesOf('A website that reads'), ['read']);
  });

  test('a webhook in a private network: form, test, lists and delivery say that nothing is sent there, and lead to the setting', async (t) => {
    const service = started();
    const cookie = await sessionOf(service, 'owner', 'ada');
    const page = await openSignedIn(t, service, cookie, '/console/webhooks/new');
    await page.getByLabel('Address').fill('http://[::1]:9/');
    await page.getByRole('button', { name: 'Create' }).click();
    const asked = page.getByText('Nothing is sent there: the address is in a private network.');
    await asked.getByRole('link', { name: 'WEBHOOK_NETWORKS' }).waitFor();
    assert.deepEqual(await violationsOf(page), []);
    // Of another address it asks anew.
    await page.getByLabel('Address').fill('http://localhost:9/');
    await page.getByRole('button', { name: 'Save anyway' }).click();
    await page.locator('main [name=answered]').nth(1).waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Save anyway' }).click();
    await page.getByText('Keep it').waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Address').fill('http://127.0.0.1:9/');
    await page.getByRole('button', { name: 'Save' }).click();
    await asked.waitFor();
    await page.getByRole('button', { name: 'Save anyway' }).click();
    await saysDone(page, 'Saved.');
    await page.getByRole('button', { name: 'Send a test' }).click();
    const said = page.getByRole('alert').filter({ hasText: 'The test did not reach the receiver' });
    const why =
      'Not sent, because 127.0.0.1 is in a private network; to allow it, list the network in WEBHOOK_NETWORKS.';
    assert.equal(
      await said.textContent(),
      `The test did not reach the receiver. ${why} It is sent again later.`,
    );
    const here = page.url();
    await said.getByRole('link', { name: 'WEBHOOK_NETWORKS' }).waitFor();
    for (const list of ['webhooks', 'deliveries']) {
      await page.goto(`${service.url}/console/${list}`);
      // Of its own edit the webhook is told, too, on a busy machine by now.
      await page.getByRole('cell', { name: why }).first().waitFor();
    }
    const chinese = visitor(service, `${cookie}; ws01-language=zh`);
    assert.match(await chinese.open('/console/deliveries'), /未发送，因为 127\.0\.0\.1 位于内网/);
    await page.goto(here);
    await page.getByRole('cell', { name: why }).first().waitFor();
    await page.getByRole('link', { name: 'tested' }).first().click();
    await page.getByRole('link', { name: 'WEBHOOK_NETWORKS' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Networks of webhooks' }).waitFor();
  });

  test('a webhook: its page shows by itself that a test arrives, by the secret that it has now', async (t) => {
    const receiver = await startHttpGateway(t);
    receiver.answer = { status: 503, body: 'closed for lunch' };
    const service = await startService(t, undefined, { WEBHOOK_NETWORKS: '127.0.0.1' });
    const path = '/console/webhooks/new';
    const page = await openAs(t, service, 'owner ada', path, {}, /status of 400/);
    await page.getByLabel('Address').fill(`${receiver.url}/first`);
    await page.getByLabel('What it is for').fill('CRM');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByText('Keep it').waitFor();
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByLabel('Address').fill('gopher://example.com');
    await page.getByRole('checkbox', { name: /^Everything that happens/ }).uncheck();
    await page.getByRole('checkbox', { name: /^Articles/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be an http or https URL').waitFor();
    assert.equal(await page.getByLabel('Address').inputValue(), 'gopher://example.com');
    assert.deepEqual(await violationsOf(page), []);
    await page.getByLabel('Address').fill(`${receiver.url}/second`);
    await page.getByRole('button', { name: 'Save' }).click();
    await saysDone(page, 'Saved.');
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('button', { name: 'New secret now' }).click();
    await saysDone(page, 'There is a new secret.');
    assert.match((await page.locator('#secret').textContent()) ?? '', /^whsec_/);

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /did not take the test: HTTP 503 \(\d+ ms\): closed for lunch/ })
      .waitFor();
    await page.evaluate('window.untouched = true');
    const deliveries = page.getByRole('region', { name: 'Deliveries to webhooks' });
    const row = deliveries.getByRole('row', { name: /webhook: tested/ });
    await row.getByText('503').waitFor();
    const [tested] = receiver.calls.filter(({ body }) => body.includes('webhook.test'));
    assert.equal(tested!.path, '/second');
    const signatures = String(tested!.headers['webhook-signature']).split(' ');
    assert.equal(signatures.length, 2, 'the new secret and the one before');
    receiver.answer = { status: 200, body: 'thanks' };
    await row.getByText('200').waitFor();
    await row.getByText('sent', { exact: true }).waitFor();
    assert.equal(await page.evaluate('window.untouched'), true, 'nobody loaded it again');
    assert.deepEqual(await violationsOf(page), []);

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /took the test: HTTP 200 \(\d+ ms\): thanks/ })
      .waitFor();
    receiver.answer = undefined;
    const sent = receiver.calls.length;
    const pressed = page.getByRole('button', { name: 'Send a test' }).click();
    await until(() => receiver.calls.length > sent);
    passLimits(WAIT_MS);
    await pressed;
    await page.getByText('The receiver has not answered yet').waitFor();
    receiver.answer = { status: 200, body: '' };

    await page.getByRole('button', { name: 'Pause' }).click();
    await saysDone(page, 'Paused');
    await page.getByText('disabled', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await saysDone(page, 'Undone.');
    const calls = receiver.calls.length;
    await fetch(`${service.url}/WS01.asmx/InsertArticle`, {
      method: 'POST',
      body: new URLSearchParams({ token: TOKEN, guid: 'piano', caption: 'Piano' }),
    });
    await until(() => receiver.calls.length > calls);
    await untilInPage(page, `document.body.textContent.includes('article: created')`);
  });

  test('buttons of a record have ranks: what takes much or cannot be undone is folded', async () => {
    const service = started();
    const cookie = await sessionOf(service, 'owner', 'ada');
    const headers = { Cookie: cookie };
    const put = (guid: string, Status: string) =>
      call(service, 'InsertArticle', { guid, caption: guid, CreateUserId: 'bob', Status });
    await put('waits', '2');
    await put('shown', '0');
    const { api } = visitor(service, headers.Cookie);
    const { item } = (await api('POST', '/tokens', { scopes: ['mail'] })).body;
    const buttonsOf = async (path: string) => {
      const page = await (await fetch(`${service.url}/console/${path}`, { headers })).text();
      const [, tools = ''] =
        /role="group"\s+aria-label="Actions">(.*?)<(?:h2|div class="columns")/s.exec(page) ?? [];
      const [open = '', folded = ''] = tools.split('<details class="more"');
      const names = (text: string) =>
        [
          ...text
            .replaceAll(/<svg.*?<\/svg>/g, '')
            // A rejection asks why where it stands.
            .replaceAll(/<details class="ask">.*?<\/details>/gs, '')
            .matchAll(/<(?:button|a)[^>]*class="([^"]*)"[^>]*>([^<]+)</g),
        ].map(([, tone = '', name]) => `${tone.replace('button', '').trim()} ${name}`.trim());
      return [names(open), names(folded)];
    };
    assert.deepEqual(await buttonsOf('articles/waits'), [
      ['primary Publish', 'Edit', 'Hold', 'danger Take down'],
      [],
    ]);
    assert.deepEqual(await buttonsOf('articles/shown'), [
      ['primary Edit', 'Hold', 'danger Take down'],
      [],
    ]);
    assert.deepEqual(await buttonsOf(`tokens/${item.id}`), [
      ['primary Edit', 'Replace'],
      ['danger final Revoke'],
    ]);
    const [open, folded] = await buttonsOf('users/bob');
    assert.deepEqual(open, ['primary Edit']);
    assert.ok(folded!.includes('danger final Erase the person') && folded!.length === 5);
  });
});
