import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { PATIENCE_MS, until } from '../../../../packages/asmx/test/kit/until.ts';
import { addAdmin, findAdminByName } from '../../src/domain/admins/admins.ts';
import { beginSession, SESSION_MS } from '../../src/domain/admins/sessions.ts';
import { startService, type TestService, TOKEN } from '../kit/service.ts';
import { addAuthenticator, openPage, openSignedIn, PASSWORD, sessionOf } from './kit/browser.ts';

const REFUSED = /status of 4\d\d/;
const VISITOR = { address: '127.0.0.1', agent: 'test' };
const SAME_ORIGIN = { 'Sec-Fetch-Site': 'same-origin', 'Accept-Language': 'zh-CN' };

/** Another session of an admin, who signed in so many ms ago. */
async function otherSession(service: TestService, name: string, ago: number) {
  const store = await service.database.open();
  const admin = (await findAdminByName(store, name))!;
  const at = Date.now() - ago;
  return `ws01-session=${await store.write((tx) => beginSession(tx, admin, at, VISITOR))}`;
}

interface Described {
  readonly 'x-confirmed'?: true;
  readonly responses: Readonly<Record<string, { readonly content?: Json }>>;
}
type Json = { readonly 'application/json'?: { readonly schema: { readonly $ref?: string } } };

suite('a stolen session makes nothing that outlives it', () => {
  test('each route of the API that does asks for a sign-in of the last two hours', async (t) => {
    const service = await startService(t);
    const fresh = await sessionOf(service, 'owner', 'olga');
    const late = await otherSession(service, 'olga', SESSION_MS.fresh);
    const inTime = await otherSession(service, 'olga', SESSION_MS.fresh - PATIENCE_MS);
    const document = await (await fetch(`${service.url}/api/v1/openapi.json`)).json();
    const { paths, components } = document as {
      paths: Record<string, Record<string, Described>>;
      components: { schemas: Record<string, { properties?: object }> };
    };
    const marked: string[] = [];
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { 'x-confirmed': isMarked, responses }] of Object.entries(methods)) {
        const contents = Object.values(responses).map(
          ({ content }) => content?.['application/json'],
        );
        const secrets = contents
          .flatMap((content) =>
            Object.keys(
              components.schemas[content?.schema.$ref?.split('/').at(-1) ?? '']?.properties ?? {},
            ),
          )
          .filter((name) => ['token', 'link', 'secret'].includes(name));
        const makesAdmins = path.startsWith('/admins') && method !== 'get';
        const opensWay = method === 'patch' && /^\/(?:tokens|webhooks|mail-server)/.test(path);
        const isCopyOfAll = path === '/backups/{id}/archive';
        const isExchange = method === 'post' && path === '/backups/{id}/restore';
        const outlives = secrets.length > 0 || makesAdmins || opensWay || isCopyOfAll || isExchange;
        assert.equal(isMarked === true, outlives, `${method} ${path}`);
        if (isMarked) marked.push(`${method.toUpperCase()} ${path}`);
      }
    }
    assert.ok(marked.includes('POST /tokens') && marked.length >= 8, marked.join());
    const send = async (line: string, headers: Record<string, string>) => {
      const [method, path = ''] = line.split(' ');
      const answer = await fetch(`${service.url}/api/v1${path.replace('{id}', 'none')}`, {
        method: method!,
        headers: { ...SAME_ORIGIN, ...headers, 'Content-Type': 'application/json' },
        ...(method === 'GET' ? {} : { body: '{"no such member":1}' }),
      });
      const { parameter } = (await answer.json()) as { parameter?: string };
      return `${answer.status} ${parameter}`;
    };
    for (const line of marked) {
      assert.equal(await send(line, { Cookie: late }), '401 session', line);
      for (const Cookie of [fresh, inTime])
        assert.match(await send(line, { Cookie }), /^40[04] /, line);
      assert.match(await send(line, { Authorization: `Bearer ${TOKEN}` }), /^40[034] /, line);
    }
  });

  test('the console asks, and goes on after it: a page, an action, one’s own account', async (t) => {
    const service = await startService(t);
    await sessionOf(service, 'owner', 'olga');
    await sessionOf(service, 'reader', 'rita');
    const cookie = await otherSession(service, 'olga', SESSION_MS.fresh);
    const page = await openSignedIn(t, service, cookie, '/console/tokens/new', {}, REFUSED);
    const confirm = async () => {
      await page.getByText('sign in once more to go on').waitFor();
      assert.equal(await page.getByLabel('Name').inputValue(), 'olga');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
    };
    await confirm();
    await page.getByLabel('manage').check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.locator('#secret').waitFor();
    const store = await service.database.open();
    const forget = () =>
      store.write((tx) => tx.updateTable('admin_sessions').set({ confirmed_at: null }).execute());

    await forget();
    await page.goto(`${service.url}/console/account`);
    await page.getByRole('link', { name: 'Sign in once more to change this' }).click();
    await confirm();
    await page.getByRole('button', { name: 'Add a passkey' }).waitFor();

    await forget();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await confirm();
    await page.getByRole('button', { name: 'Go on with what you typed' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const sessions = await store.read((db) =>
      db
        .selectFrom('admin_sessions')
        .innerJoin('admins', 'id', 'admin_id')
        .select('name')
        .execute(),
    );
    assert.deepEqual(
      sessions.map(({ name }) => name),
      ['rita'],
    );
  });

  test('each form of the console that would is kept over the sign-in; what it sends by itself is told why', async (t) => {
    const service = await startService(t);
    await sessionOf(service, 'owner', 'olga');
    const Cookie = await otherSession(service, 'olga', SESSION_MS.fresh);
    const admin = (await findAdminByName(await service.database.open(), 'olga'))!;
    const send = async (path: string, fields: Record<string, string>) => {
      const answer = await fetch(`${service.url}/console${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { ...SAME_ORIGIN, Cookie },
        body: new URLSearchParams(fields),
      });
      return { status: answer.status, text: await answer.text() };
    };
    for (const [path, fields] of Object.entries({
      '/tokens/new': { scopes: 'manage' },
      '/webhooks/new': { url: 'https://hooks.example/' },
      '/admins/new': { name: 'backdoor', role: 'owner' },
      '/admins/act': { verb: 'edit', key: admin.id, 'b-role': 'reader', confirm: 'yes' },
      '/account/passkey/remove': { id: 'x' },
      '/account/session/end': { id: 'x' },
    } as Record<string, Record<string, string>>)) {
      const { status, text } = await send(path, fields);
      assert.deepEqual([status, /请再次登录后继续/.test(text)], [401, true], path);
      const kept = /id="resume">(.*?)<\/form>/s.exec(text)![1]!;
      for (const [name, value] of Object.entries(fields))
        assert.ok(kept.includes(`name="${name}" value="${value}"`), `${path}: ${name}`);
    }
    const options = await fetch(`${service.url}/console/account/passkey/options`, {
      method: 'POST',
      headers: { ...SAME_ORIGIN, Cookie, 'Content-Type': 'application/json' },
      body: '{}',
    });
    assert.equal(options.status, 403);
    assert.match(((await options.json()) as { problem: string }).problem, /请再次登录/);
  });

  test('a passkey is enough to show who one is again: a page, and a form that goes on', async (t) => {
    const service = await startService(t);
    const store = await service.database.open();
    const secret = await addAdmin(store, { name: 'olga', role: 'owner' }, Date.now);
    // WebAuthn knows hosts by name.
    const home = `http://localhost:${service.app.port}/console`;
    const page = await openPage(t, `${home}/set-up/${secret}`, {}, REFUSED);
    await addAuthenticator(page);
    await page.getByRole('button', { name: 'Create a passkey' }).click();
    await page.waitForURL(/\/console(\/account)?$/);
    const forget = () =>
      store.write((tx) => tx.updateTable('admin_sessions').set({ confirmed_at: null }).execute());
    const again = async () => {
      await page.getByText('sign in once more to go on').waitFor();
      await page.waitForLoadState();
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    };

    await forget();
    await page.goto(`${home}/tokens/new`);
    await again();
    await page.getByLabel('manage').waitFor();

    await page.goto(`${home}/account`);
    await page.getByRole('button', { name: 'Sign out everywhere' }).waitFor();
    await forget();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.locator('#resume').getByText('/console/account').waitFor();
    await again();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await until(
      async () =>
        (await store.read((db) => db.selectFrom('admin_sessions').selectAll().execute())).length ===
        0,
    );
  });

  test('another password ends every other session', async (t) => {
    const service = await startService(t);
    const Cookie = await sessionOf(service, 'owner', 'olga');
    const stolen = await otherSession(service, 'olga', 0);
    const isIn = async (cookie: string) =>
      (
        await fetch(`${service.url}/console/account`, {
          headers: { Cookie: cookie },
          redirect: 'manual',
        })
      ).status === 200;
    const change = (current: string) =>
      fetch(`${service.url}/console/account/password`, {
        method: 'POST',
        headers: { ...SAME_ORIGIN, Cookie },
        body: new URLSearchParams({ current, password: 'another horse battery staple' }),
      });
    assert.equal((await change('wrong')).status, 400);
    assert.equal(await isIn(stolen), true);
    assert.equal((await change(PASSWORD)).status, 200);
    assert.deepEqual([await isIn(stolen), await isIn(Cookie)], [false, true]);
  });
});
