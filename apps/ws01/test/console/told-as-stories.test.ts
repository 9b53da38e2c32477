import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import { apiOfSession, openAs, openSignedIn, PHONE, sessionOf } from './kit/browser.ts';
import { call, useService } from './kit/filled.ts';

suite('records that nobody wrote tell their story', () => {
  const started = useService((life) => startService(life));

  test('a short link is headed by what one passes on, whole, with its QR code to save; below it where it leads', async (t) => {
    const service = started();
    const _orgUrl = 'https://example.org/a/long/address-of-a-page';
    const code = (await call(service, 'UrltoShortUrl', { _userId: 'ada', _orgUrl })).slice(-7);
    const page = await openAs(t, service, 'owner', '/console/links', PHONE);
    await page.getByRole('link', { name: `/s/${code}` }).click();
    const heading = page.getByRole('heading', { level: 1, name: `/s/${code}` });
    await heading.waitFor();
    // Until its style is there, all is elsewhere.
    await page.waitForLoadState();
    const last = heading.locator('.whole').last();
    assert.equal(await last.textContent(), code);
    assert.equal(await last.evaluate((part) => part.getClientRects().length), 1, 'it is broken');
    await page.getByRole('button', { name: `/s/${code}` }).waitFor();
    await page.getByText(`It leads to ${_orgUrl}`).waitFor();
    for (const form of ['SVG', 'PNG']) {
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: `Save as ${form}` }).click();
      const name = `${code}.${form.toLowerCase()}`;
      assert.equal((await download).suggestedFilename(), name);
    }
  });

  test('who looks for an address gets whose it is, and how its mails went; a person has counts at once', async (t) => {
    const service = started();
    const cookie = await sessionOf(service, 'owner');
    const api = apiOfSession(service, cookie);
    const email = 'grace@example.com';
    await api('POST', '/users', { id: 'grace', name: 'Grace Hopper', email });
    for (const subject of ['One', 'Two'])
      await call(service, 'SendEmail', {
        ...{ authorizationUserId: TOKEN, receiverEmail: email, subject, body: 'x' },
      });
    await call(service, 'InsertArticle', { guid: 'one', caption: 'One', CreateUserId: 'grace' });
    const path = `/console/search?q=${email}`;
    const page = await openSignedIn(t, service, cookie, path);
    const found = page.locator('#person');
    await found.getByText('2 mails').waitFor();
    assert.match((await found.textContent()) ?? '', /Grace Hopper.*0 failed.*not suppressed/s);
    assert.deepEqual(await violationsOf(page), []);
    await found.getByRole('link', { name: 'Grace Hopper' }).click();
    await page.getByRole('link', { name: 'Articles: 1' }).waitFor();
    assert.equal(
      await page.getByRole('region', { name: 'Of this person' }).getByText('Adverts').count(),
      0,
    );
    await api('POST', `/suppressions/${email}/add`, { note: 'asked for it' });
    await page.goto(service.url + path);
    await found.getByRole('link', { name: 'suppressed' }).waitFor();
  });

  test('a delivery to a webhook has each attempt as a step, with its time', async (t) => {
    const service = started();
    const cookie = await sessionOf(service, 'owner');
    const api = apiOfSession(service, cookie);
    const wanted = { url: 'http://127.0.0.1:9/hook', types: ['*'], label: 'CRM' };
    const { id } = (await api('POST', '/webhooks', wanted)).item;
    await api('POST', `/webhooks/${id}/test`);
    const attempted = async () =>
      (await api('GET', '/deliveries')).items.find((one: { attempts: number }) => one.attempts > 0);
    await until(async () => (await attempted()) !== undefined);
    const path = `/console/deliveries/${(await attempted()).id}`;
    const page = await openSignedIn(t, service, cookie, path, PHONE);
    const steps = page.locator('.steps li');
    const tried = steps.filter({ hasText: '127.0.0.1 is in a private network' }).first();
    // Attempts follow within a minute.
    const atSecond = /\d:\d\d:\d\d/;
    await tried.locator('time', { hasText: atSecond }).waitFor();
    await steps.filter({ hasText: 'Next attempt' }).filter({ hasText: atSecond }).waitFor();
    // Until now a time was made a word of: `2026 11 29t10:59:31.288z`.
    assert.doesNotMatch((await page.locator('main').textContent()) ?? '', /\d{4} \d\d \d\dt/i);
    const sent = (await page.getByRole('region', { name: 'What is sent' }).textContent()) ?? '';
    assert.match(
      sent,
      /webhook-signature: v1,… \(made with the secret\)\n\{"type":"webhook\.(?:add|test)"/,
    );
    assert.deepEqual(await violationsOf(page), []);
  });
});
