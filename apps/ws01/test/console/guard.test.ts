import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { RawConnection } from '../../../../packages/asmx/test/kit/http.ts';
import { issueToken } from '../../src/domain/credentials/tokens.ts';
import { startService } from '../kit/service.ts';
import { form, PASSWORD, sessionOf } from './kit/browser.ts';
import { useService } from './kit/filled.ts';

suite('the guard of the console', () => {
  const started = useService((life) => startService(life));

  test('a session is a credential of the API too, and changes records only from its own origin', async (t) => {
    const service = started();
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

  test('a page of another site loads nothing, no stream either; a person may follow its link', async () => {
    const service = started();
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

  test('sign-in and the choice of a language lead only to the console itself', async () => {
    const service = started();
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

  test('answers have a strict policy, and are kept nowhere', async () => {
    const service = started();
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
