import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { BY_NIGHT, someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { listen } from '../../../../packages/asmx/test/kit/listen.ts';
import { addAdmin } from '../../src/domain/admins/admins.ts';
import { ATTRIBUTES_WITH_PATHS } from '../../src/web/base-path.ts';
import { addAuthenticator, leave, openPage } from '../console/kit/browser.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** A path that can be written in several ways and begins as one of ours, and one; whether the proxy takes it away. */
const PLACES = [
  ['/s/%E7%BD%91%20&co', false],
  ['/ws', true],
] as const;

/**
 * Starts a service below a path of a host that has another site, behind a proxy.
 * @param strips whether the proxy takes the path away, as `proxy_pass http://ws01/;` and `handle_path` do, or
 *   passes it on, as `proxy_pass http://ws01;` and `handle` do.
 */
async function startBelow(t: TestContext, path: string, strips: boolean) {
  let port = 0;
  const proxy = createServer((req, res) => {
    const target = req.url ?? '';
    if (target !== path && !target.startsWith(`${path}/`))
      return res.writeHead(404).end('another site');
    const sent = request(
      {
        port,
        method: req.method,
        path: strips ? target.slice(path.length) : target,
        headers: { ...req.headers, 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' },
      },
      (answer) => {
        res.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(res);
      },
    ).on('error', () => res.destroy());
    res.on('close', () => sent.destroy());
    req.pipe(sent);
  });
  const url = `http://localhost:${await listen(t, proxy)}${path}`;
  const service = await startService(t, undefined, {
    BASE_URL: url,
    TRUSTED_PROXIES: '127.0.0.1',
    MCP: 'on',
  });
  port = service.app.port;
  return { ...service, url };
}

suite('a service below a path', () => {
  for (const [path, strips] of someOf(PLACES, 2)) {
    test(`${path}, which the proxy ${strips ? 'takes away' : 'passes on'}: console, passkey, API pages`, async (t) => {
      const service = await startBelow(t, path, strips);
      const fields = { token: TOKEN, guid: 'flat', caption: 'Flat to let', CreateUserId: 'ada' };
      const insert = await fetch(`${service.url}/WS01.asmx/InsertArticle`, {
        method: 'POST',
        body: new URLSearchParams({ ...fields, content: 'Two rooms.' }),
      });
      assert.equal(insert.status, 200, await insert.text());
      const store = await service.database.open();
      const secret = await addAdmin(store, { name: 'ada', role: 'owner' }, Date.now);
      const page = await openPage(t, `${service.url}/console/set-up/${secret}`);
      // Every path that a page asks for, the scripts' too, is below the path: the other site has none of them.
      const strays: string[] = [];
      page.on('request', (asked) => {
        if (!asked.url().startsWith(service.url) && !asked.url().startsWith('data:'))
          strays.push(asked.url());
      });
      await addAuthenticator(page);
      const live = `${service.url}/console?live=`;
      const figures = page.waitForResponse((answer) => answer.url().startsWith(live));
      await page.getByRole('button', { name: 'Create a passkey' }).click();
      await page.waitForURL(`${service.url}/console`);
      assert.equal((await figures).status(), 200);
      await page.goto(`${service.url}/console/desk/`);
      assert.equal(page.url(), `${service.url}/console/desk`, 'an address may end so');
      await page.goto(`${service.url}/console/account`);
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.waitForURL(`${service.url}/console/sign-in`);
      await page.waitForLoadState();
      await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
      await page.waitForURL(`${service.url}/console`);
      await page.getByRole('link', { name: /^Content/ }).click();
      await page.waitForURL(`${service.url}/console/articles`);
      await page.getByLabel('Words', { exact: true }).fill('Flat');
      await page.keyboard.press('Enter');
      await page.waitForURL(/q=Flat/);
      await page.getByRole('link', { name: 'Flat to let' }).click();
      await page.waitForURL(`${service.url}/console/articles/flat`);
      await page.getByRole('button', { name: 'Hold' }).click();
      await page.getByText('Held.').waitFor();
      await leave(page, () => page.getByRole('button', { name: '中文' }).click());
      const cookies = await page.context().cookies();
      assert.deepEqual(cookies.map((cookie) => [cookie.name, cookie.path]).toSorted(), [
        ['ws01-language', `${path}/console`],
        ['ws01-narrow', `${path}/console`],
        ['ws01-session', '/'],
        ['ws01-zone', `${path}/console`],
      ]);
      await page.goto(`${service.url}/api/docs`);
      await page.getByRole('heading', { level: 1, name: /^WS01: HTTP API/ }).waitFor();
      await page.locator('#operations-tag-public').getByRole('button').click();
      await page
        .locator('.opblock-summary-control', { hasText: '/public/articles' })
        .first()
        .click();
      await page.getByRole('button', { name: 'Execute' }).click();
      await page.locator('.live-responses-table').getByText('"items"').first().waitFor();
      assert.deepEqual(strays, []);
    });
  }

  test('paths in answers are below it, whether or not the proxy takes it away', async (t) => {
    for (const [at, path] of ['/ws', '/api', '/console', '/media', '/s'].entries()) {
      // By day one of them takes it away, the next one does not.
      for (const strips of [false, true].filter((one) => BY_NIGHT || one === (at % 2 === 1))) {
        const { url } = await startBelow(t, path, strips);
        const ask = async (target: string) => {
          const answer = await fetch(url + target, { redirect: 'manual' });
          return `${answer.status} ${answer.headers.get('location') ?? ''} ${await answer.text()}`;
        };
        const link = await ask(
          `/WS01.asmx/UrltoShortUrl?token=${TOKEN}&_userId=ada&_orgUrl=https%3A%2F%2Fexample.org%2F`,
        );
        const [, code] = new RegExp(`>${RegExp.escape(url)}/s/(\\w+)<`).exec(link) ?? [];
        assert.ok(code !== undefined, link);
        assert.match(await ask(`/s/${code}`), /^302 https:\/\/example\.org\/ /);
        assert.match(await ask('/'), new RegExp(`^302 ${path}/WS01\\.asmx `));
        // The other paths may be pages of ours that came without the path.
        if (path === '/ws') {
          if (!strips) assert.match(await ask(''), /^302 \/ws\/WS01\.asmx /);
          assert.ok((await ask('/nix')).endsWith(' the service is at /ws/WS01.asmx.\n'));
        }
        assert.ok((await ask('/WS01.asmx?WSDL')).includes(`location="${url}/WS01.asmx"`));
        assert.match(await ask('/healthz'), /^200 /);
        assert.match(await ask('/console'), new RegExp(`^303 ${path}/console/sign-in`));
        assert.match(await ask('/robots.txt'), new RegExp(`Disallow: ${path}/console\n`));
        assert.ok((await ask('/api/docs')).includes(`data-url="${path}/api/v1/openapi.json"`));
        assert.ok(
          (await ask('/api/v1/openapi.json')).includes(`"servers":[{"url":"${path}/api/v1"}]`),
        );
        assert.match(await ask('/api/v1/public/articles'), /^200 /);
        assert.match(await ask('/media/nothing.jpg'), /^404 /);
        const gone = await fetch(`${url}/media/nothing.jpg`, { headers: { Accept: 'text/html' } });
        const links = [...(await gone.text()).matchAll(/<a href="([^"]*)"/g)].map(([, to]) => to);
        assert.deepEqual(
          links,
          ['/WS01.asmx', '/api/docs', '/console'].map((page) => path + page),
        );
      }
    }
  });
});

/** What stands below a folder of the sources, by path. */
const sources = (folder: string, ending: RegExp) =>
  readdirSync(join(import.meta.dirname, '../../src', folder), { recursive: true })
    .map((name) => join(import.meta.dirname, '../../src', folder, String(name)))
    .filter((path) => ending.test(path))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));

suite('paths that pages write', () => {
  test('stand in attributes that get the path of the base URL', () => {
    const known = new Set(ATTRIBUTES_WITH_PATHS);
    // Fields that come back to the service, which has taken the path away; and what SVG calls a path.
    const own = ['value', 'data-next', 'd'];
    const strays = ['console', 'web']
      .flatMap((folder) => sources(folder, /\.ts$/))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\s([\w-]+)=(["']?)(?:\/(?![/>])|\$\{(?:HOME\b|[^}]*[pP]ath\}))/g)]
          .filter(([, name = '', quote]) => quote !== '"' || !known.has(name))
          .filter(([, name = '']) => !own.includes(name))
          .map(([found]) => `${path}: ${found}`),
      );
    assert.deepEqual(strays, []);
  });

  test('are written by no script and no style', () => {
    const strays = ['console', 'web']
      .flatMap((folder) => sources(folder, /assets\/.*\.(?:js|css)$/))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/(?:['"`]|url\(|=)\/\w+/g)].map(([found]) => `${path}: ${found}`),
      );
    assert.deepEqual(strays, []);
  });
});
