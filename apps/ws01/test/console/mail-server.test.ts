import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { startMailServer } from '../kit/mail-server.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { violationsOf } from './kit/axe.ts';
import { leave, openSignedIn, sessionOf, visitor } from './kit/browser.ts';
import { call } from './kit/filled.ts';

suite('the mail server as a form', () => {
  test('is where each page leads that warns of mails which are not sent', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner', 'ada');
    for (const path of ['/console/inbox', '/console/mails']) {
      const page = await openSignedIn(t, service, cookie, path);
      const warning = page.locator('.notice', { hasText: 'No mail server is set' });
      await warning.getByRole('link', { name: 'Set up the mail server' }).click();
      await page.getByLabel('Host').waitFor();
    }
  });

  test('says all that is wrong with it at once, each at its field, in both languages, and saves nothing', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner', 'ada');
    const path = '/console/settings/SMTP_URL';
    for (const [locale, javaScriptEnabled] of [
      ['en-GB', true],
      ['zh-CN', false],
    ] as const) {
      const options = { locale, javaScriptEnabled };
      const page = await openSignedIn(t, service, cookie, path, options, /400/);
      const field = (name: string) => page.locator(`main [name="${name}"]`);
      await field('b-host').fill('mail example');
      await field('b-port').fill('many');
      await field('b-sender').fill('nobody');
      await field('to').fill('somebody');
      await page.locator('main button.primary').click();
      await page.locator('.problem').first().waitFor();
      for (const name of ['b-host', 'b-port', 'b-sender', 'to']) {
        assert.equal(await field(name).getAttribute('aria-invalid'), 'true', name);
        const told = page.locator(
          `#${await field(name).getAttribute('aria-describedby')}`.replace(/ .*/, ''),
        );
        assert.notEqual(await told.textContent(), '', name);
      }
      assert.equal(await field('b-port').inputValue(), 'many');
      await page.locator('[name=b-host]:focus').waitFor();
    }
    const { api } = visitor(service, cookie);
    assert.equal((await api('GET', '/mail-server')).body.host, null);
  });

  test('is set up, tried and undone; its password is kept, never shown, and sent to no other host', async (t) => {
    const server = await startMailServer(t);
    const { port } = new URL(server.url);
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner', 'ada');
    const path = '/console/settings/SMTP_URL';
    const told = /status of 4(?:00|09)/;
    const page = await openSignedIn(t, service, cookie, '/console/settings', {}, told);
    await page.getByRole('link', { name: 'Mail server' }).click();
    await page.getByText('There is no mail server yet').waitFor();
    assert.equal(await page.getByLabel('Encryption').inputValue(), 'starttls');
    assert.deepEqual(await violationsOf(page), []);
    const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Host').fill('mail example');
    await page.getByLabel('Port').fill(port);
    await page.getByLabel('Sender').fill('Market <market@example.com>');
    await save();
    await page.getByText('must be a name such as mail.example.com').waitFor();
    assert.equal(await page.getByLabel('Host').getAttribute('aria-invalid'), 'true');
    assert.equal(await page.getByLabel('Port').inputValue(), port);
    assert.deepEqual(await violationsOf(page), []);
    await page.getByLabel('Host').fill('127.0.0.1');
    await page.getByLabel('Encryption').selectOption('unencrypted');
    await save();
    await page.getByText('The mail server was changed').waitFor();

    const send = async (to: string) => {
      await page.getByLabel('Send the test mail to').fill(to);
      await page.getByRole('button', { name: 'Send me a test mail' }).click();
    };
    await send('nobody');
    await page.getByText('must be one e-mail address').waitFor();
    assert.equal(await page.getByLabel('Send the test mail to').inputValue(), 'nobody');
    await send('ada@example.com');
    await page.getByText('The mail server took the mail:').waitFor();
    assert.match(server.received[0]!.raw, /^From: .*market@example\.com/m);
    await page.getByText('What was said').click();
    await page.getByText('< 220').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    server.behave({ at: 'RCPT', code: 550, text: '5.1.1 No such user here' });
    await send('nobody@example.com');
    await page.getByText('The mail was not sent. There is no such mailbox').waitFor();
    await page.getByText('What was said').click();
    await page.getByText('5.1.1 No such user here').first().waitFor();

    await page.getByLabel('User').fill('bob');
    await page.getByLabel('Password').fill('s3cret: p@ss/wörd');
    await save();
    await page.getByText('The mail server was changed').waitFor();
    await page.getByText('A password is stored and never shown').waitFor();
    const store = await service.database.open();
    const stored = async () => {
      const row = await store.read((db) =>
        db
          .selectFrom('settings')
          .select('value')
          .where('variable', '=', 'SMTP_URL')
          .executeTakeFirst(),
      );
      return new URL(row!.value);
    };
    const password = async () => decodeURIComponent((await stored()).password);
    assert.equal(await password(), 's3cret: p@ss/wörd');
    assert.doesNotMatch(await page.content(), /s3cret|p%40ss/);
    await page.getByLabel('Encryption').selectOption('offered');
    await leave(page, save);
    await leave(page, () => page.getByRole('button', { name: 'Undo' }).click());
    await page.getByText('The mail server was changed').waitFor();
    assert.deepEqual(
      [(await stored()).search, await password()],
      ['?tls=off', 's3cret: p@ss/wörd'],
    );
    await page.getByLabel('Host').fill('mail.attacker.example');
    await save();
    await page.getByText('Give the password again').waitFor();
    assert.equal((await stored()).hostname, '127.0.0.1');

    // Somebody else changes the port meanwhile.
    await page.goto(service.url + path);
    const { api } = visitor(service, cookie);
    const other = await api('PATCH', '/mail-server', { port: 2525 });
    assert.equal(other.status, 200);
    assert.doesNotMatch(JSON.stringify(other.body), /s3cret|p%40ss/);
    await page.getByLabel('Port').fill('26');
    await save();
    await page.getByText('Meanwhile somebody wrote: 2525').waitFor();
    assert.equal((await stored()).port, '2525');
    await save();
    await page.getByText('The mail server was changed').waitFor();
    assert.equal((await stored()).port, '26');
    const audit = await api('GET', '/audit?limit=100');
    assert.doesNotMatch(JSON.stringify(audit.body), /s3cret|p%40ss/);
  });

  test('encryption brings its port, a save is tried in the same step, and its address is kept', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner', 'ada');
    const path = '/console/settings/SMTP_URL';
    const page = await openSignedIn(t, service, cookie, path);
    const ids = await page.evaluate<string[]>(
      "[...document.querySelectorAll('main form :is(select, input)[id]')].map(({ id }) => id)",
    );
    assert.ok(ids.indexOf('b-security') < ids.indexOf('b-port'), ids.join(' '));
    const { api } = visitor(service, cookie);
    const portNow = async () => (await api('GET', '/mail-server')).body.port;
    // Nothing listens there.
    await page.getByLabel('Host').fill('127.0.0.1');
    await page.getByLabel('Encryption').selectOption('tls');
    await page.getByLabel('Port').fill('465');
    await page.getByLabel('Send the test mail to').fill('ada@example.com');
    await page.getByRole('button', { name: 'Save and send me a test mail' }).click();
    await page.getByText('The mail was not sent. Nothing listens at this host and port').waitFor();
    await page.getByText('The mail server was changed.').waitFor();
    assert.equal(await portNow(), 465);
    assert.equal(await page.getByLabel('Send the test mail to').inputValue(), 'ada@example.com');
    assert.deepEqual(await violationsOf(page), []);
    await page.getByLabel('Encryption').selectOption('starttls');
    await leave(page, () => page.getByRole('button', { name: 'Save', exact: true }).click());
    await page.getByText('Send a test mail to see whether it works.').waitFor();
    assert.equal(await portNow(), null, 'that of the other encryption');
    await page.goto(service.url + path);
    assert.equal(await page.getByLabel('Send the test mail to').inputValue(), 'ada@example.com');
  });

  test('mails from before it are offered once there is one; what does not go out is said, with why', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner', 'ada');
    const send = (subject: string) =>
      call(service, 'SendEmail', {
        ...{ authorizationUserId: TOKEN, receiverEmail: 'bob@example.com', subject, body: 'x' },
      });
    const mail = await send('Welcome, Bob');
    await send('Good-bye, Bob');
    const { api } = visitor(service, cookie);
    const statusOf = async () => (await api('GET', `/mails/${mail}`)).body.status;
    await until(async () => (await statusOf()) === 'kept');
    const page = await openSignedIn(t, service, cookie, `/console/mails/${mail}`);
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Send again' }).count(), 0);
    await page.getByRole('link', { name: 'Set up the mail server' }).click();
    // Nothing listens there.
    const gone = await startMailServer(t);
    const { port } = gone;
    await gone.stop();
    await page.getByLabel('Host').fill('127.0.0.1');
    await page.getByLabel('Port').fill(String(port));
    await page.getByLabel('Encryption').selectOption('unencrypted');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('2 mails from before there was a mail server wait.').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await page.getByRole('button', { name: 'Don’t send them', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send them …' }).click();
    await page.getByRole('cell', { name: 'Welcome, Bob' }).waitFor();
    await page.getByRole('heading', { level: 1, name: 'Send these mails?' }).waitFor();
    assert.equal(await statusOf(), 'kept', 'a preview sends nothing');
    const kept = await openSignedIn(t, service, cookie, `/console/mails/${mail}`);
    await kept.getByText('It was kept from before the mail server was set; send it.').waitFor();
    await kept.getByRole('button', { name: 'Send now', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.waitForURL('**/settings/SMTP_URL**');
    await until(async () => (await statusOf()) === 'deferred');
    const { items } = (await api('GET', `/audit?targetKey=${mail}`)).body;
    assert.deepEqual([items[0].action, items[0].details.state], ['mail.retry', 'kept']);
    await page.goto(`${service.url}/console`);
    const notice = page.locator('.notice', { hasText: 'not gone out' });
    await notice.getByText('Nothing listens at this host and port').waitFor();
    assert.deepEqual(await violationsOf(page), []);
    await notice.getByRole('link', { name: 'Mail server' }).click();
    await page.waitForURL('**/settings/SMTP_URL');
  });

  test('a mail to a suppressed address is sent again only once the address is let go', async (t) => {
    const server = await startMailServer(t);
    const service = await startService(t, undefined, { SMTP_URL: server.url });
    const cookie = await sessionOf(service, 'owner', 'ada');
    const { api } = visitor(service, cookie);
    server.behave({ at: 'RCPT', code: 550, text: '5.1.1 No such user here' });
    const mail = await call(service, 'SendEmail', {
      ...{ authorizationUserId: TOKEN, receiverEmail: 'bob@example.com', subject: 'Hello' },
      body: 'x',
    });
    const statusOf = async () => (await api('GET', `/mails/${mail}`)).body.status;
    await until(async () => (await statusOf()) === 'bounced');
    server.behave('accept');
    for (const way of ['retry?preview=true', 'retry']) {
      const { status, body } = await api('POST', `/mails/${mail}/${way}`);
      assert.deepEqual(
        [status, body.detail],
        [
          400,
          'Nothing is sent to bob@example.com: it is suppressed. Take it off the list of suppressed addresses first.',
        ],
      );
    }
    assert.equal(await statusOf(), 'bounced');
    const page = await openSignedIn(t, service, cookie, `/console/mails/${mail}`);
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const letGo = button('Send to the address again');
    await letGo.and(page.locator('.primary')).waitFor();
    assert.equal(await button('Send again').count(), 0);
    assert.equal(await button('Suppress the address').count(), 0);
    assert.deepEqual(await violationsOf(page), []);
    await letGo.click();
    await button('Send again').and(page.locator('.primary')).waitFor();
    await button('Suppress the address').waitFor();
    assert.equal(await letGo.count(), 0);
    await button('Send again').click();
    await page.getByText('Nothing has been done yet').waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await until(async () => (await statusOf()) === 'sent');
  });

  test('is shown as fixed where the environment says it, and can be tried', async (t) => {
    const server = await startMailServer(t);
    const service = await startService(t, undefined, { SMTP_URL: server.url });
    const cookie = await sessionOf(service, 'owner', 'ada');
    const path = '/console/settings/SMTP_URL';
    const page = await openSignedIn(t, service, cookie, path);
    await page.getByText('set on the server').first().waitFor();
    assert.equal(await page.getByLabel('Host').count(), 0);
    await page.getByLabel('Sender').fill('market@example.com');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The mail server was changed').waitFor();
    await page.getByLabel('Send the test mail to').fill('ada@example.com');
    await page.getByRole('button', { name: 'Send me a test mail' }).click();
    await page.getByText('The mail server took the mail:').waitFor();
    const { api } = visitor(service, cookie);
    assert.equal((await api('PATCH', '/mail-server', { host: 'mail.example.com' })).status, 403);
  });
});
