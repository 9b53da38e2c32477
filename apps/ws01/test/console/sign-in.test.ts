import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { addAdmin } from '../../src/domain/admins/admins.ts';
import { ws01 } from '../kit/command.ts';
import { rowsOf } from '../kit/rows.ts';
import { startService } from '../kit/service.ts';
import {
  addAuthenticator,
  form,
  openPage,
  PASSWORD,
  saysInPassing,
  sessionOf,
} from './kit/browser.ts';
import { newPasskey } from './kit/passkey.ts';

/** Chromium writes into its console what is answered with an error. */
const REFUSED = /status of 4\d\d/;

suite('signing in to the console', () => {
  test('by the link of the first admin, with a passkey, all by keyboard', async (t) => {
    const service = await startService(t);
    const added = await ws01(service.database, ['admin', 'add', 'ada', '--role', 'owner'], '', {
      // WebAuthn knows hosts by name.
      BASE_URL: `http://localhost:${service.app.port}`,
    });
    assert.equal(added.code, 0, added.stderr);
    const link = added.stdout.trim();
    const page = await openPage(t, link);
    await addAuthenticator(page);
    await page.getByRole('button', { name: 'Create a passkey' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console(\/account)?$/);
    await page.goto(`http://localhost:${service.app.port}/console/account`);
    await page.getByRole('heading', { name: 'Passkeys' }).waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // The button is there before the script that it needs.
    await page.waitForLoadState();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console(\/account)?$/);
    const store = await service.database.open();
    const told = (await rowsOf(store, 'audit', 'id'))
      .map(({ action }) => action)
      .filter((action) => action.startsWith('admin.'))
      .reverse();
    assert.deepEqual(told, [
      'admin.sign-in',
      'admin.sign-out',
      'admin.sign-in',
      'admin.passkey',
      'admin.add',
    ]);
  });

  test('with a password, by keyboard; the page asked for comes after it', async (t) => {
    const service = await startService(t);
    await sessionOf(service, 'moderator', 'bob');
    const page = await openPage(t, `${service.url}/console/account`, {}, REFUSED);
    await page.getByLabel('Name').focus();
    await page.keyboard.type('bob');
    await page.keyboard.press('Tab');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'Wrong name or password' }).waitFor();
    await page.getByLabel('Password').focus();
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/account');
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const store = await service.database.open();
    assert.deepEqual(
      await store.read((db) => db.selectFrom('admin_sessions').selectAll().execute()),
      [],
    );
  });

  test('the console speaks Chinese when asked to', async (t) => {
    const service = await startService(t);
    await sessionOf(service, 'reader');
    const page = await openPage(t, `${service.url}/console/sign-in`);
    await page.getByRole('button', { name: '中文' }).click();
    await page.getByRole('heading', { name: '登录' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN');
  });

  test('when a browser cannot make a passkey, the page says so in its language and offers the password', async (t) => {
    const service = await startService(t);
    const store = await service.database.open();
    const secret = await addAdmin(store, { name: 'ada', role: 'owner' }, Date.now);
    // For a host that is an address each browser refuses, in English.
    for (const [locale, said] of [
      ['zh-CN', '通行密钥在此无法使用，请使用密码。'],
      ['en-US', 'The passkey did not work here; use a password.'],
    ] as const) {
      const path = `${service.url}/console/set-up/${secret}`;
      const page = await openPage(t, path, { locale });
      await page.waitForLoadState();
      await saysInPassing(page, said, () => page.locator('[data-passkey=set-up]').click());
    }
  });
});

suite('a link and a passkey', () => {
  test('a new sign-in ends the session that the browser had', async (t) => {
    const service = await startService(t);
    const Cookie = await sessionOf(service, 'reader');
    const account = (cookie: string) =>
      fetch(`${service.url}/console/account`, { redirect: 'manual', headers: { Cookie: cookie } });
    assert.equal((await account(Cookie)).status, 200);
    const answer = await fetch(
      `${service.url}/console/sign-in`,
      form({ name: 'reader', password: PASSWORD }, { Cookie }),
    );
    const [renewed = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
    assert.notEqual(renewed, Cookie);
    assert.deepEqual([(await account(Cookie)).status, (await account(renewed)).status], [303, 200]);
    // Nobody can choose a session for others.
    const chosen = `ws01-session=${'A'.repeat(43)}`;
    const other = await fetch(
      `${service.url}/console/sign-in`,
      form({ name: 'reader', password: PASSWORD }, { Cookie: chosen }),
    );
    assert.doesNotMatch(other.headers.get('set-cookie') ?? '', /AAAA/);
    assert.equal((await account(chosen)).status, 303);
  });

  test('a link for setting up works once, however many use it at a time', async (t) => {
    const service = await startService(t);
    const store = await service.database.open();
    const secret = await addAdmin(store, { name: 'ada', role: 'owner' }, Date.now);
    const set = (password: string) =>
      fetch(`${service.url}/console/set-up/${secret}`, form({ password }));
    const answers = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((number) => set(`${PASSWORD} ${number}`)),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [303, 404, 404, 404, 404, 404]);
    assert.equal((await fetch(`${service.url}/console/set-up/${secret}`)).status, 404);
    assert.equal(
      (await store.read((db) => db.selectFrom('admin_sessions').selectAll().execute())).length,
      1,
    );
  });

  test('a passkey of somebody is nobody else’s, whatever a browser says', async (t) => {
    const service = await startService(t);
    const [ada, eve] = [
      await sessionOf(service, 'owner', 'ada'),
      await sessionOf(service, 'reader', 'eve'),
    ];
    const add = async (Cookie: string) => {
      const post = (path: string, body: object) =>
        fetch(`${service.url}/console/account/passkey${path}`, {
          method: 'POST',
          headers: { Cookie, 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' },
          body: JSON.stringify(body),
        });
      const { challenge } = (await (await post('/options', {})).json()) as { challenge: string };
      return post('', { response: newPasskey(service.url, challenge, Buffer.alloc(16, 7)) });
    };
    assert.equal((await add(ada)).status, 200);
    const refused = await add(eve);
    assert.deepEqual(
      [refused.status, await refused.json()],
      [409, { problem: 'This passkey is in use already.' }],
    );
    const store = await service.database.open();
    const [passkey, ...others] = await store.read((db) =>
      db.selectFrom('admin_passkeys').selectAll().execute(),
    );
    assert.deepEqual(others, []);
    const remove = (Cookie: string) =>
      fetch(`${service.url}/console/account/passkey/remove`, form({ id: passkey!.id }, { Cookie }));
    const left = async () =>
      (await store.read((db) => db.selectFrom('admin_passkeys').select('id').execute())).length;
    await remove(eve);
    assert.equal(await left(), 1, 'that of another');
    await remove(ada);
    assert.equal(await left(), 0);
  });
});

test('ws01 admin: list, reset, remove', async (t) => {
  const service = await startService(t);
  const run = (...args: string[]) => ws01(service.database, ['admin', ...args]);
  assert.equal((await run('list', '--json')).stdout, '[]\n');
  const added = JSON.parse((await run('add', 'eve', '--json')).stdout);
  assert.match(added.link, /^http:\/\/localhost:8080\/console\/set-up\/[\w-]{43}$/);
  assert.match((await run('list')).stdout, /^NAME +ROLE +SIGNS IN BY/);
  const again = await run('reset', 'eve');
  assert.notEqual(again.stdout.trim(), added.link);
  await run('add', 'bob');
  assert.equal((await run('remove', 'bob')).stdout, 'Removed bob, moderator.\n');
  assert.equal((await run('remove', 'eve')).stdout, 'Removed eve, owner.\n', 'the first person');
  assert.equal((await run('reset', 'eve')).stderr, 'ws01: There is no admin eve.\n');
});
