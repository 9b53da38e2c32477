import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { addAdmin } from '../../src/domain/admins/admins.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import { ws01 } from '../kit/command.ts';
import { rowsOf } from '../kit/rows.ts';
import { startService, TOKEN } from '../kit/service.ts';
import { addAuthenticator, openPage, PASSWORD, sessionOf, useChromium } from './kit/browser.ts';
import { newPasskey } from './kit/passkey.ts';

/** Chromium writes into its console what is answered with an error. */
const REFUSED = /status of 4\d\d/;

/** A request as a browser's form makes it. */
const form = (
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): RequestInit => ({
  method: 'POST',
  redirect: 'manual',
  headers: { 'Sec-Fetch-Site': 'same-origin', ...headers },
  body: new URLSearchParams(fields),
});

suite('signing in to the console', () => {
  const browser = useChromium();

  test('by the link of the first admin, with a passkey, all by keyboard', async (t) => {
    const service = await startService(t);
    const added = await ws01(service.database, ['admin', 'add', 'ada', '--role', 'owner'], '', {
      // WebAuthn knows hosts by name.
      BASE_URL: `http://localhost:${service.app.port}`,
    });
    assert.equal(added.code, 0, added.stderr);
    const link = added.stdout.trim();
    const page = await openPage(t, browser(), link);
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
    const page = await openPage(t, browser(), `${service.url}/console/account`, {}, REFUSED);
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
    const page = await openPage(t, browser(), `${service.url}/console/sign-in`);
    await page.getByRole('button', { name: '中文' }).click();
    await page.getByRole('heading', { name: '登录' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN');
  });
});

suite('the guard of the console', () => {
  test('a session is a credential of the API too, and changes records only from its own origin', async (t) => {
    const service = await startService(t);
    const Cookie = await sessionOf(service, 'moderator', 'bob');
    const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
      fetch(`${service.url}/api/v1${path}`, { method, headers });
    assert.equal((await ask('/articles', {})).status, 401);
    assert.equal((await ask('/articles', { Cookie: `${Cookie}x` })).status, 401);
    assert.equal((await ask('/articles', { Cookie })).status, 200);
    assert.equal(
      (await ask('/tokens', { Cookie }, 'POST')).status,
      403,
      'a moderator makes no tokens',
    );
    // Plain http is for this machine alone, also when a name of somebody else leads here.
    const elsewhere = await RawConnection.open(t, service.app.port);
    elsewhere.send(
      'GET /api/v1/articles HTTP/1.1',
      'Host: ws01.example',
      `Cookie: ${Cookie}`,
      '',
      '',
    );
    assert.equal((await elsewhere.answer()).status, 401);
    const hold = (headers: Record<string, string>) =>
      ask('/articles/none/hold', { Cookie, ...headers }, 'POST');
    assert.equal((await hold({})).status, 403);
    assert.equal((await hold({ 'Sec-Fetch-Site': 'cross-site' })).status, 403);
    assert.equal((await hold({ Origin: 'http://ws01.example' })).status, 403);
    assert.equal((await hold({ Origin: service.url })).status, 404);
    assert.equal((await hold({ 'Sec-Fetch-Site': 'same-origin' })).status, 404);
    const events = await ask('/events', { Cookie, Accept: 'text/event-stream' });
    assert.equal(events.headers.get('content-type'), 'text/event-stream');
    await events.body?.cancel();
  });

  test('the stream of the overview ends when its session ends: signed out, or expired', async (t) => {
    const service = await startService(t);
    const store = await service.database.open();
    const ends: Record<string, (cookie: string) => Promise<unknown>> = {
      leaver: (Cookie) =>
        fetch(`${service.url}/console/account/sign-out-everywhere`, form({}, { Cookie })),
      sleeper: () =>
        store.write((tx) =>
          tx.updateTable('admin_sessions').set({ created_at: 1, seen_at: 1 }).execute(),
        ),
    };
    for (const [name, end] of Object.entries(ends)) {
      const Cookie = await sessionOf(service, 'reader', name);
      const headers = { Cookie, Accept: 'text/event-stream' };
      const answer = await fetch(`${service.url}/console?live=0`, { headers });
      const pieces = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
      t.after(() => pieces.cancel().catch(() => {}));
      let told = '';
      while (!told.includes('data: ')) {
        const { value, done } = await pieces.read();
        assert.ok(!done, `a page came instead of a stream: ${told.slice(0, 200)}`);
        told += value;
      }
      await end(Cookie);
      while (!(await pieces.read()).done);
      assert.equal(
        (await fetch(`${service.url}/console?live=0`, { headers, redirect: 'manual' })).status,
        303,
        name,
      );
    }
  });

  test('a stranger reaches nothing but the sign-in page', async (t) => {
    const service = await startService(t);
    for (const path of ['', '/account', '/nothing']) {
      const answer = await fetch(`${service.url}/console${path}`, { redirect: 'manual' });
      assert.equal(answer.status, 303, path);
      assert.match(answer.headers.get('location') ?? '', /^\/console\/sign-in\?next=%2Fconsole/);
    }
    const asset = await fetch(`${service.url}/console/assets/x/y`);
    assert.deepEqual([asset.status, asset.headers.has('content-security-policy')], [404, true]);
    const partial = await fetch(`${service.url}/console`, {
      headers: { 'HX-Request': 'true' },
      redirect: 'manual',
    });
    assert.deepEqual(
      [partial.status, partial.headers.get('hx-redirect')],
      [401, '/console/sign-in'],
    );
    const page = await (await fetch(`${service.url}/console/sign-in`)).text();
    assert.match(page, /ws01 admin add NAME --role owner/);
  });

  test('a page of another site loads nothing, no stream either; a person may follow its link', async (t) => {
    const service = await startService(t);
    const Cookie = await sessionOf(service, 'owner');
    const ask = async (path: string, headers: Record<string, string>) => {
      const answer = await fetch(service.url + path, {
        headers: { Cookie, Accept: 'text/event-stream', ...headers },
      });
      await answer.body?.cancel();
      return answer.status;
    };
    const [own, embedded, link] = [
      { Origin: service.url, 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'empty' },
      { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Dest': 'script' },
      {
        'Sec-Fetch-Site': 'cross-site',
        'Sec-Fetch-Mode': 'navigate',
        'Sec-Fetch-Dest': 'document',
      },
    ];
    for (const path of [
      '/console?live=0',
      '/console/users.csv',
      '/api/v1/events',
      '/api/v1/users',
    ]) {
      assert.equal(await ask(path, { Origin: 'https://evil.example' }), 403, path);
      assert.equal(await ask(path, { Origin: 'null' }), 403, path);
      assert.equal(await ask(path, embedded), 403, path);
      assert.deepEqual(
        [await ask(path, own), await ask(path, link), await ask(path, {})],
        [200, 200, 200],
        path,
      );
    }
    const store = await service.database.open();
    const token = await issueToken(
      store,
      { kind: 'service', scopes: ['articles'], label: 'cannot read' },
      Date.now,
    );
    assert.equal(await ask('/api/v1/events', { Authorization: `Bearer ${token.text}` }), 403);
  });

  test('another site can have nothing done', async (t) => {
    const service = await startService(t);
    const cookie = await sessionOf(service, 'owner');
    const ask = (headers: Record<string, string>) =>
      fetch(
        `${service.url}/console/account/sign-out-everywhere`,
        form({}, { Cookie: cookie, ...headers }),
      );
    assert.equal((await ask({ 'Sec-Fetch-Site': 'cross-site' })).status, 403);
    assert.equal((await ask({ 'Sec-Fetch-Site': 'same-site' })).status, 403);
    const noMetadata = (headers: Record<string, string>) =>
      fetch(`${service.url}/console/account/sign-out-everywhere`, {
        method: 'POST',
        redirect: 'manual',
        headers: { Cookie: cookie, ...headers },
      });
    assert.equal((await noMetadata({ Origin: 'https://evil.example' })).status, 403);
    assert.equal((await noMetadata({})).status, 403);
    assert.equal(
      (await fetch(`${service.url}/console/account`, { headers: { Cookie: cookie } })).status,
      200,
    );
    assert.equal((await noMetadata({ Origin: service.url })).status, 303);
    assert.equal(
      (
        await fetch(`${service.url}/console/account`, {
          headers: { Cookie: cookie },
          redirect: 'manual',
        })
      ).status,
      303,
    );
  });

  test('by plain http from elsewhere nobody signs in; by https the cookie is __Host-', async (t) => {
    const service = await startService(t, undefined, { TRUSTED_PROXIES: 'loopback' });
    await sessionOf(service, 'owner');
    const through = (proto: string, init: RequestInit = {}) =>
      fetch(`${service.url}/console/sign-in`, {
        ...init,
        headers: { ...init.headers, 'X-Forwarded-Host': 'ws.example', 'X-Forwarded-Proto': proto },
      });
    const plain = await through('http');
    assert.equal(plain.status, 403);
    assert.match(await plain.text(), /ssh -L/);
    const encrypted = await through('https', form({ name: 'owner', password: PASSWORD }));
    assert.equal(encrypted.status, 303);
    const cookie = encrypted.headers.get('set-cookie') ?? '';
    assert.match(cookie, /^__Host-ws01-session=[\w-]{43}; /);
    for (const part of ['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/'])
      assert.ok(cookie.includes(part), part);
    assert.doesNotMatch(cookie, /Domain=/);
  });

  test('sign-in and the choice of a language lead only to the console itself', async (t) => {
    const service = await startService(t);
    await sessionOf(service, 'owner');
    const leads: Record<string, string> = {
      'https://evil.example': '/console',
      '//evil.example': '/console',
      '/\\evil.example': '/console',
      '/%2f/evil.example': '/console',
      'javascript:alert(1)': '/console',
      '/WS01.asmx': '/console',
      // What browsers resolve: a short link leads anywhere.
      '/console/../BCDFGH': '/console',
      '/console/%2e%2e/BCDFGH': '/console',
      '/console/\t.%2E/BCDFGH': '/console',
      '/console/\\..\\..\\BCDFGH': '/console',
      '/console/\\evil.example': '/console//evil.example',
      '/console/..//console//evil.example': '/console',
      '/console/\u0001\u000b\r\nSet-Cookie: a': '/console/%01%0BSet-Cookie:%20a',
      '/console/articles?q=一': '/console/articles?q=%E4%B8%80',
    };
    for (const [next, path] of Object.entries(leads)) {
      for (const [way, fields] of Object.entries({
        'sign-in': { name: 'owner', password: PASSWORD },
        choice: {},
      })) {
        const answer = await fetch(`${service.url}/console/${way}`, form({ ...fields, next }));
        assert.deepEqual(
          [answer.status, answer.headers.get('location')],
          [303, path],
          `${way} ${next}`,
        );
      }
    }
  });

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

  test('who guesses passwords is slowed down, and then told to wait', async (t) => {
    const service = await startService(t);
    await sessionOf(service, 'owner');
    const guess = () =>
      fetch(`${service.url}/console/sign-in`, form({ name: 'owner', password: 'guess' }));
    const statuses: number[] = [];
    for (let round = 0; round < 22; round++) statuses.push((await guess()).status);
    assert.deepEqual(new Set(statuses.slice(0, 20)), new Set([403]));
    assert.ok(statuses.slice(20).includes(429), String(statuses));
  });

  test('beside forty who guess for another name, the right password gets in', async (t) => {
    const service = await startService(t);
    await sessionOf(service, 'owner');
    const signIn = async (name: string, password: string) =>
      (
        await fetch(`${service.url}/console/sign-in`, {
          ...form({ name, password }),
          redirect: 'manual',
        })
      ).status;
    for (let round = 0; round < 22; round++) await signIn('nobody', 'guess');
    const guesses = Promise.all(Array.from({ length: 40 }, () => signIn('nobody', 'guess')));
    assert.equal(await signIn('owner', PASSWORD), 303);
    // On a busy machine one may be heard again meanwhile.
    const told = await guesses;
    assert.ok(told.includes(429) && told.every((one) => one === 403 || one === 429), `${told}`);
  });

  test('who guesses a password from one network keeps nobody out elsewhere', async (t) => {
    const service = await startService(t, undefined, { TRUSTED_PROXIES: '127.0.0.1' });
    await sessionOf(service, 'owner');
    const signIn = async (password: string, address: string) => {
      const forwarded = { 'X-Forwarded-For': address, 'X-Forwarded-Proto': 'https' };
      const fields = form({ name: 'owner', password }, forwarded);
      return (await fetch(`${service.url}/console/sign-in`, fields)).status;
    };
    const guesses = Promise.all(
      Array.from({ length: 80 }, (_, index) => signIn('guess', `198.51.100.${index}`)),
    );
    assert.equal(await signIn(PASSWORD, '203.0.113.9'), 303);
    assert.ok((await guesses).includes(429));
  });

  test('who guesses the password of a session that is not theirs waits, too, right or wrong', async (t) => {
    const service = await startService(t);
    const Cookie = await sessionOf(service, 'owner');
    const guess = (current: string) =>
      fetch(
        `${service.url}/console/account/password`,
        form({ current, password: 'short' }, { Cookie }),
      );
    for (let round = 0; round < 25; round++) await guess('wrong');
    // All of them wait, of which there may be 20: a right one is refused as well, for no other reason.
    const answers = await Promise.all(Array.from({ length: 60 }, () => guess(PASSWORD)));
    const told = await Promise.all(answers.map((answer) => answer.text()));
    assert.ok(told.some((text) => text.includes('Too many unusable credentials')));
  });

  test('a stranger may send 16 KiB, and has nothing written by asking for challenges', async (t) => {
    const service = await startService(t, undefined, { impatient: true });
    const cookie = await sessionOf(service, 'owner');
    const refuses = async (path: string, bytes: number, ...headers: string[]) => {
      const client = await RawConnection.open(t, service.app.port);
      const common = ['Host: localhost', 'Connection: close', 'Sec-Fetch-Site: same-origin'];
      const head = [
        `POST /console${path} HTTP/1.1`,
        ...common,
        `Content-Length: ${bytes}`,
        ...headers,
      ];
      // One that is too long is refused by its length alone.
      client.socket.write(`${head.join('\r\n')}\r\n\r\n`);
      if (bytes <= 262_144 && (headers.length > 0 || bytes <= 16_384))
        client.socket.write('a'.repeat(bytes));
      return (await client.answer()).status === 413;
    };
    for (const path of [
      '/sign-in',
      '/passkey',
      '/set-up/none',
      '/set-up/none/passkey',
      '/choice',
      '/sign-out',
    ]) {
      assert.deepEqual(
        [await refuses(path, 16_384), await refuses(path, 16_385)],
        [false, true],
        path,
      );
    }
    const signedIn = [`Cookie: ${cookie}`];
    const path = '/account/passkey/remove';
    assert.deepEqual(
      [await refuses(path, 262_144, ...signedIn), await refuses(path, 262_145, ...signedIn)],
      [false, true],
    );
    const store = await service.database.open();
    const challenges = () =>
      store.read((db) => db.selectFrom('admin_challenges').selectAll().execute());
    const asked = async () =>
      (await (await fetch(`${service.url}/console/passkey/options`, form({}))).json()) as {
        challenge: string;
      };
    const [first, second] = [await asked(), await asked()];
    assert.match(first.challenge, /^[\w-]{75}$/);
    assert.notEqual(first.challenge, second.challenge);
    assert.deepEqual(await challenges(), []);
  });

  test('a stranger has nothing written by answering challenges, with no link or somebody’s', async (t) => {
    const service = await startService(t);
    const store = await service.database.open();
    const { link } = (await (
      await fetch(`${service.url}/api/v1/admins`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'olga', role: 'owner' }),
      })
    ).json()) as { link: string };
    const secrets = ['A'.repeat(43), link.split('/').at(-1)!];
    for (const path of [...secrets.map((secret) => `set-up/${secret}/passkey`), 'passkey']) {
      const asked = await fetch(`${service.url}/console/passkey/options`, form({}));
      const { challenge } = (await asked.json()) as { challenge: string };
      const type = path === 'passkey' ? 'webauthn.get' : 'webauthn.create';
      const client = JSON.stringify({ type, challenge, origin: service.url });
      const response = {
        ...{ id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: Buffer.from(client).toString('base64url'),
          attestationObject: 'AAAA',
        },
      };
      const answer = await fetch(`${service.url}/console/${path}`, {
        ...form({}),
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ response }),
      });
      assert.equal(answer.status, 403, path);
    }
    assert.deepEqual(
      await store.read((db) => db.selectFrom('admin_challenges').selectAll().execute()),
      [],
    );
  });

  test('answers have a strict policy, and are kept nowhere', async (t) => {
    const service = await startService(t);
    const { headers } = await fetch(`${service.url}/console/sign-in`);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
  });

  test('CONSOLE=off has none, CONSOLE_PORT serves it there alone', async (t) => {
    const off = await startService(t, undefined, { CONSOLE: 'off' });
    assert.equal((await fetch(`${off.url}/console/sign-in`)).status, 404);
    const own = await startService(t, undefined, { CONSOLE_PORT: '0' });
    assert.equal((await fetch(`${own.url}/console/sign-in`)).status, 404);
    assert.equal(
      (await fetch(`http://127.0.0.1:${own.app.consolePort}/console/sign-in`)).status,
      200,
    );
    assert.equal((await fetch(`http://127.0.0.1:${own.app.consolePort}/WS01.asmx`)).status, 404);
    const Cookie = await sessionOf(own, 'reader');
    assert.equal((await fetch(`${own.url}/api/v1/articles`, { headers: { Cookie } })).status, 401);
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
  assert.equal((await run('remove', 'eve')).stdout, 'Removed eve, moderator.\n');
  assert.equal((await run('reset', 'eve')).stderr, 'ws01: There is no admin eve.\n');
});
