import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exchange } from '../../../../packages/asmx/test/kit/http.ts';
import { chromium } from '../console/kit/browser.ts';
import { newContext } from '../kit/chromium.ts';
import { echoForSuite } from '../kit/echo.ts';
import { startService, TOKEN } from '../kit/service.ts';

/** A page as ScriptManager makes it: loads the proxy, calls two operations, and shows what came. */
const PAGE = `<!doctype html><title>proxy</title><script src="/WS01.asmx/js"></script><pre id="log"></pre><script>
var log = function (text) { document.getElementById('log').textContent += text + '\\n'; };
var failed = function (error, context, method) {
  log(['failed', method, context, error.get_message(), error.get_exceptionType(), error.get_statusCode(),
    error.get_stackTrace() === '', error.get_timedOut()].join('|'));
};
WS01.countUserPosted('TOKEN', 'u-1', '', '', function (result, context, method) {
  log(['counted', method, context, result].join('|'));
  WS01.set_defaultUserContext('shared');
  WS01.set_defaultFailedCallback(failed);
  WS01.InsertArticle('wrong', 'g-1');
}, failed, 'mine');
</script>`;

describe('the proxy script', () => {
  const echo = echoForSuite();

  it('a page that loads it calls operations, and is told of success and failure', async (t) => {
    const { url } = await startService(t);
    const page = await (await newContext(await chromium())).newPage();
    t.after(() => page.context().close());
    const errors: unknown[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.route('**/proxy.html', (route) =>
      route.fulfill({ contentType: 'text/html', body: PAGE.replace('TOKEN', TOKEN) }),
    );
    await page.goto(`${url}/proxy.html`);
    await page.getByText('failed|InsertArticle').waitFor();
    const lines = (await page.textContent('#log'))!.trim().split('\n').sort();
    assert.match(lines.join('\n'), /^counted\|countUserPosted\|mine\|0$/m);
    assert.match(
      lines.join('\n'),
      /^failed\|InsertArticle\|shared\|[^|]+\|Unauthenticated\|403\|true\|false$/m,
    );
    assert.deepEqual(errors, []);
  });

  it('passes every kind of argument', async (t) => {
    const page = await (await newContext(await chromium())).newPage();
    t.after(() => page.context().close());
    await page.route('**/empty.html', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<p>' }),
    );
    await page.goto(`${echo.url}/empty.html`);
    await page.addScriptTag({ url: `${echo.url}/WS01.asmx/jsdebug` });
    const call = (operation: string, ...given: unknown[]): Promise<string> =>
      page.evaluate(
        ([name, args]) =>
          new Promise<string>((resolve, reject) => {
            const { WS01 } = globalThis as unknown as {
              WS01: new () => Record<string, (...given: unknown[]) => void>;
            };
            const fail = (error: { get_message(): string }) =>
              reject(new Error(error.get_message()));
            new WS01()[name as string]!(...(args as unknown[]), resolve, fail);
          }),
        [operation, given],
      );
    const text = `漢字😀 <&>"' \r\n\t`;
    const article = JSON.parse(await call('UpdateArticleCategory', text, null, ''));
    assert.deepEqual([article.token, article.guid, article.cateId], [text, null, '']);
    const advert = JSON.parse(await call('QueryAdvert', 'u', 'q', 5, -1, '', ''));
    assert.deepEqual([advert.pagesize, advert.pageindex], [5, -1]);
    echo.understood.length = 0;
    assert.equal(
      await call('InsertArticleImageFile', 'v', 'g', [1, 2, 255], '', '', true, ''),
      true,
    );
    assert.match(echo.understood[0]!, /"base64":"AQL\/"/);
    await assert.rejects(
      call('QueryAdvert', 'u', 'q', 'many', 1, '', ''),
      /pagesize: \\?"many\\?" is not a whole number/,
    );
  });

  for (const path of [
    '/WS01.asmx/js',
    '/ws01.asmx/JS',
    '/WS01.asmx/jsdebug',
    '/WS01.asmx/jsDebug',
  ]) {
    it(`${path} is a script that the client may keep`, async () => {
      const { status, headers, body } = await exchange(`${echo.url}${path}`);
      assert.deepEqual([status, headers['content-type']], [200, 'text/javascript; charset=utf-8']);
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(/^ *\/\//m.test(body), path.toLowerCase().endsWith('debug'));
      const again = await exchange(`${echo.url}${path}`, {
        headers: { 'If-None-Match': headers.etag! },
      });
      assert.equal(again.status, 304);
      assert.equal((await exchange(`${echo.url}${path}`, { method: 'HEAD' })).status, 200);
      const other = await exchange(`${echo.url}${path}`, { method: 'PUT' });
      assert.deepEqual([other.status, other.headers.allow], [405, 'GET, HEAD, OPTIONS']);
    });
  }
});
