import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import { createDescriptions } from '../../../../packages/asmx/src/describe/descriptions.ts';
import { ERRORS } from '../../src/contract/errors.ts';
import { WS01 } from '../../src/contract/service.ts';
import { type EchoListener, listenAndEcho } from './kit/echo-listener.ts';

/** What the answer to a query begins with. */
const KINDS = { wsdl: '<wsdl:definitions', disco: '<discovery', page: '<!DOCTYPE html>' } as const;

/** The query rules of ASP.NET's handlers, as its recorded exchanges show them. */
const QUERIES: readonly [query: string, kind: keyof typeof KINDS, title?: string][] = [
  ['?WSDL', 'wsdl'],
  ['?wsdl', 'wsdl'],
  ['?WsDl', 'wsdl'],
  ['?%57SDL', 'wsdl'],
  ['?x=1&wsdl', 'wsdl'],
  ['?wsdl&x=1', 'wsdl'],
  ['?disco', 'disco'],
  ['?DISCO', 'disco'],
  ['', 'page', 'WS01 Web Service'],
  ['?', 'page', 'WS01 Web Service'],
  ['?foo', 'page', 'WS01 Web Service'],
  ['?foo=bar', 'page', 'WS01 Web Service'],
  ['?singleWsdl', 'page', 'WS01 Web Service'],
  ['?wsdl&foo', 'page', 'WS01 Web Service'],
  ['?wsdl&', 'page', 'WS01 Web Service'],
  ['?disco&wsdl', 'page', 'WS01 Web Service'],
  ['?op=InsertArticle', 'page', 'InsertArticle · WS01 Web Service'],
  ['?OP=InsertArticle&x', 'page', 'InsertArticle · WS01 Web Service'],
  ['?op=insertarticle', 'page', 'Method Not Found · WS01 Web Service'],
  ['?op=InsertArticle&op=InsertArticle', 'page', 'Method Not Found · WS01 Web Service'],
  ['?op=', 'page', 'Method Not Found · WS01 Web Service'],
  ['?op=__proto__', 'page', 'Method Not Found · WS01 Web Service'],
  ['?op=%E0%A4%A', 'page', 'Method Not Found · WS01 Web Service'],
];

/** Without compression, where the tag is a strong one. */
const PLAIN = { 'Accept-Encoding': 'identity' };

suite('descriptions over HTTP', () => {
  let listener: EchoListener;
  before(async () => {
    listener = await listenAndEcho();
  });
  after(() => listener.close());

  for (const [query, kind, title] of QUERIES) {
    test(`GET ${query || 'without a query'} answers ${title ?? kind}`, async () => {
      const answer = await fetch(listener.url + query);
      const body = await answer.text();
      assert.equal(answer.status, 200);
      assert.ok(body.includes(KINDS[kind]), body.slice(0, 200));
      assert.equal(
        answer.headers.get('content-type'),
        `text/${kind === 'page' ? 'html' : 'xml'}; charset=utf-8`,
      );
      assert.equal(answer.headers.get('cache-control'), 'private, max-age=0');
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      if (title !== undefined)
        assert.ok(body.includes(`<title>${title}</title>`), body.slice(0, 400));
    });
  }

  for (const [query, message] of [
    ['?wsdl=', 'XML Web service description was not found.'],
    ['?WSDL=abc', 'XML Web service description was not found.'],
    ['?schema=x', 'Schema not found.'],
  ]) {
    test(`GET ${query} is an error of the client in ASP.NET's words`, async () => {
      const answer = await fetch(listener.url + query);
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.get('x-error-code'), 'InvalidParameter');
      assert.match(await answer.text(), new RegExp(`<message>${message}</message>`));
    });
  }

  test('the path is found in any letter case', async () => {
    const answer = await fetch(`${listener.origin}/ws01.ASMX?wsdl`);
    assert.equal(answer.status, 200);
    assert.ok((await answer.text()).includes(KINDS.wsdl));
  });

  for (const path of [
    '/WS01.asmx?WSDL',
    '/WS01.asmx?disco',
    '/WS01.asmx',
    '/WS01.asmx?op=SendEmail',
    '/openapi.json',
  ]) {
    test(`${path} is told apart by its ETag and not sent twice`, async () => {
      const url = listener.origin + path;
      const first = await fetch(url, { headers: PLAIN });
      const body = Buffer.from(await first.arrayBuffer());
      const etag = first.headers.get('etag') ?? '';
      assert.equal(
        etag,
        `"${createHash('sha256').update(body).digest('base64url')}"`,
        'a strong tag of these bytes',
      );
      assert.equal((await fetch(url, { headers: PLAIN })).headers.get('etag'), etag);
      for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await fetch(url, { headers: { ...PLAIN, 'If-None-Match': held } });
        assert.equal(again.status, 304, held);
        assert.equal(again.headers.get('etag'), etag);
        assert.equal(again.headers.get('cache-control'), 'private, max-age=0');
        assert.equal((await again.arrayBuffer()).byteLength, 0);
      }
      const changed = await fetch(url, { headers: { ...PLAIN, 'If-None-Match': '"other"' } });
      assert.equal(changed.status, 200);
      assert.equal((await changed.arrayBuffer()).byteLength, body.length);
    });
  }

  test('HEAD answers the headers of GET', async () => {
    const got = await fetch(`${listener.url}?WSDL`, { headers: PLAIN });
    const head = await fetch(`${listener.url}?WSDL`, { method: 'HEAD', headers: PLAIN });
    assert.equal(head.status, 200);
    for (const name of ['content-type', 'etag', 'cache-control']) {
      assert.equal(head.headers.get(name), got.headers.get(name), name);
    }
    assert.equal(head.headers.get('content-length'), String((await got.arrayBuffer()).byteLength));
    assert.equal((await head.arrayBuffer()).byteLength, 0);
  });

  test('pages admit their own style and script, and nothing else', async () => {
    for (const query of ['', '?op=InsertArticle', '?op=Nonsense']) {
      const answer = await fetch(listener.url + query);
      const body = await answer.text();
      const sourceOf = (tag: string): string => {
        const text = body.slice(
          body.indexOf(`<${tag}>`) + tag.length + 2,
          body.indexOf(`</${tag}>`),
        );
        return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
      };
      assert.deepEqual(answer.headers.get('content-security-policy')?.split('; '), [
        "default-src 'none'",
        `style-src ${sourceOf('style')}`,
        `script-src ${sourceOf('script')}`,
        'img-src data:',
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
      ]);
      assert.equal(answer.headers.get('referrer-policy'), 'same-origin');
    }
  });
});

test('a base URL that is none is refused at once', () => {
  for (const baseUrl of ['localhost:8080', '', 'ftp://example.com', 'https://example.com/']) {
    assert.throws(
      () =>
        createDescriptions(WS01, ERRORS, { namespace: 'urn:ws01', baseUrl, path: '/WS01.asmx' }),
      TypeError,
      baseUrl,
    );
  }
});
