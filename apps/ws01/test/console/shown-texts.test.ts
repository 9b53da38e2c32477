import assert from 'node:assert/strict';
import { get } from 'node:http';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { cut } from '../../src/console/text.ts';
import { startService } from '../kit/service.ts';
import { sessionOf } from './kit/browser.ts';
import { call } from './kit/filled.ts';

/** The bytes of an answer as they come, for one encoding. */
function bytesOf(url: string, encoding: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'Accept-Encoding': encoding } }, async (answer) => {
      assert.equal(answer.headers['content-encoding'], encoding, url);
      resolve(Buffer.concat(await answer.toArray()));
    }).on('error', reject);
  });
}

test('a text is cut between the characters that people see, wherever the end falls', () => {
  const text = 'a👨‍👩‍👧‍👦é漢🇩🇪b'.repeat(5);
  const whole = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].map(
    ({ segment }) => segment,
  );
  for (let most = 0; most < text.length; most++) {
    const begun = cut(text, most).slice(0, -1);
    let expected = '';
    for (const one of whole) {
      if (expected.length + one.length > most) break;
      expected += one;
    }
    assert.equal(begun, expected, String(most));
  }
  assert.equal(cut(text, text.length), text);
});

test('the view of a record as visitors see it says which pictures it does not load', async (t) => {
  const service = await startService(t);
  const headers = { Cookie: await sessionOf(service, 'moderator') };
  for (const [guid, src, isTold] of [
    ['elsewhere', 'https://elsewhere.example/a.png', true],
    ['own', `${service.url}/media/a.png`, false],
  ] as const) {
    const content = `<p>Look:</p><img src="${src}">`;
    await call(service, 'InsertArticle', { guid, caption: guid, content });
    const page = await (await fetch(`${service.url}/console/articles/${guid}`, { headers })).text();
    assert.match(page, /<iframe class="preview"/);
    assert.equal(page.includes('are not loaded here; visitors may see them'), isTold, guid);
  }
});

test('pages and what they load come compressed to who takes that, and are the same; a stream is not', async (t) => {
  const service = await startService(t);
  await call(service, 'InsertArticle', { guid: 'a', caption: 'A', content: 'x'.repeat(5_000) });
  const Cookie = await sessionOf(service, 'owner');
  const ask = async (path: string, encoding: string) => {
    const answer = await fetch(service.url + path, {
      headers: { Cookie, 'Accept-Encoding': encoding },
    });
    return { headers: answer.headers, text: await answer.text() };
  };
  const page = await ask('/console/articles', 'gzip');
  assert.equal(page.headers.get('content-encoding'), 'gzip');
  assert.equal((await ask('/console/articles', 'identity')).headers.get('content-encoding'), null);
  const docs = (await ask('/api/docs', 'identity')).text;
  const paths = [...`${page.text}${docs}`.matchAll(/(?:src|href)="(\/[^"]+\/assets\/[^"]+)"/g)].map(
    ([, path]) => path!,
  );
  assert.ok(paths.length >= 8, paths.join(' '));
  let bytesOfDocs = 0;
  for (const path of new Set(paths)) {
    const plain = (await ask(path, 'identity')).text;
    for (const [encoding, unpack] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const packed = await bytesOf(service.url + path, encoding);
      assert.equal(unpack(packed).toString(), plain, path);
      if (encoding === 'br' && path.startsWith('/api/docs')) bytesOfDocs += packed.length;
    }
    assert.equal((await ask(path, 'br;q=0, gzip;q=0')).headers.get('content-encoding'), null);
  }
  assert.ok(bytesOfDocs > 0 && bytesOfDocs < 500 * 1024, `${bytesOfDocs} bytes`);
  const csv = await ask('/console/articles.csv', 'gzip, br');
  assert.equal(csv.headers.get('content-encoding'), null);
});

test('whatever is mistyped of a short link gets the page that says so', async (t) => {
  const service = await startService(t);
  for (const code of [
    'zzzzzzz',
    'nhcm2y2',
    'NhCM2y2x',
    'abc',
    'a.b',
    '%E4%BD%A0',
    `${'x'.repeat(200)}`,
  ]) {
    const answer = await fetch(`${service.url}/s/${code}`, { redirect: 'manual' });
    assert.equal(answer.status, 404, code);
    assert.match(await answer.text(), /Perhaps a character is missing or mistyped/, code);
  }
});
