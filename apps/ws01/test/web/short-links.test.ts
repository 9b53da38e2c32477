import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { DAY_MS } from '@ws01/asmx/time';
import QRCode from 'qrcode';
import sharp from 'sharp';
import { words } from '../../../../packages/asmx/src/contract/words.ts';
import { listen } from '../../../../packages/asmx/test/kit/listen.ts';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { openPage } from '../console/kit/browser.ts';
import { exchange, TEST_BINDINGS } from '../kit/bindings.ts';
import { beginSlot } from '../kit/clock.ts';
import { ws01 } from '../kit/command.ts';
import { forEachEngine, freshDatabase } from '../kit/database.ts';
import { rates } from '../kit/fixed.ts';
import { serviceForSuite, startService, type TestService } from '../kit/service.ts';

const FIREFOX = {
  'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};
const GOOGLEBOT = {
  'User-Agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
};
/** What browsers say when they load a page that nobody has opened. */
const LOADED_AHEAD: readonly Record<string, string>[] = [
  { 'Sec-Purpose': 'prefetch;prerender' },
  { 'Sec-Purpose': 'prefetch;anonymous-client-ip' },
  { Purpose: 'prefetch' },
  { Purpose: 'Preview' },
  { 'X-Purpose': 'preview' },
  { 'X-Moz': 'prefetch' },
];
/** Office, which looks links up before it opens them. */
const OFFICE = [
  'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17928; Pro)',
  'Microsoft Office/16.78 (Macintosh)',
  'Microsoft Office PowerPoint 2014',
  'Mozilla/4.0 (compatible; ms-office; MSOffice 16)',
];
/** Visits are counted by day. */
const TARGET = 'https://example.org/路?a=<&>"\'';
const CANONICAL = 'https://example.org/%E8%B7%AF?a=%3C&%3E%22%27';

async function shorten(service: TestService, given: Record<string, string> = {}): Promise<string> {
  const { result, body } = await TEST_BINDINGS[0]!.call(service.url, 'UrltoShortUrl', {
    _orgUrl: TARGET,
    ...given,
  });
  return result?.split('/').at(-1) ?? assert.fail(body);
}

/** Closes the service, so that what it counted is written, and reads that. */
async function visitsAfterStop({ app, database }: TestService) {
  await app.stop();
  const store = await database.open();
  return store.read((db) =>
    db.selectFrom('link_visits').select(['code', 'visits', 'bots', 'heads']).execute(),
  );
}

forEachEngine((_engine, fresh) => {
  it('a short link leads to its target, and every kind of visitor is counted apart', async (t) => {
    beginSlot(t, DAY_MS);
    const service = await startService(t, await fresh(t));
    const code = await shorten(service);
    const url = `${service.url}/s/${code}`;
    for (let i = 0; i < 3; i++) {
      const from = {
        Referer: 'https://www.news.example/today?reader=ada',
        'Accept-Language': 'de-AT,de;q=0.8',
      };
      const { status, headers, body } = await exchange(url, { headers: { ...FIREFOX, ...from } });
      assert.deepEqual(
        [status, headers.location, headers['cache-control'], body],
        [302, CANONICAL, 'no-store', ''],
      );
      assert.equal(headers['x-robots-tag'], 'noindex');
    }
    const ways: readonly { method?: string; headers?: Record<string, string> }[] = [
      { headers: GOOGLEBOT },
      {},
      ...LOADED_AHEAD.map((headers) => ({ headers: { ...FIREFOX, ...headers } })),
      ...OFFICE.map((agent) => ({ headers: { 'User-Agent': agent } })),
      { method: 'HEAD', headers: FIREFOX },
    ];
    for (const way of ways) assert.equal((await exchange(url, way)).headers.location, CANONICAL);
    for (const face of ['+', '%2B', '.svg', '.png']) {
      assert.equal((await exchange(url + face, { headers: FIREFOX })).status, 200);
    }
    assert.deepEqual(await visitsAfterStop(service), [
      { code, visits: 3, bots: 2 + LOADED_AHEAD.length + OFFICE.length, heads: 1 },
    ]);
    const store = await service.database.open();
    const sources = await store.read((db) =>
      db
        .selectFrom('link_visit_sources')
        .select(['kind', 'name', 'visits'])
        .orderBy('kind')
        .execute(),
    );
    assert.deepEqual(sources, [
      { kind: 'language', name: 'de-AT', visits: 3 },
      { kind: 'referrer', name: 'news.example', visits: 3 },
    ]);
  });

  it('after its deadline and after a take-down it is 410, in every face; what never was is 404', async (t) => {
    const service = await startService(t, await fresh(t));
    const expired = await shorten(service, { _deadline: '2099-12-31T00:00:00Z' });
    const disabled = await shorten(service);
    const store = await service.database.open();
    await store.write(async (tx) => {
      await tx
        .updateTable('links')
        .set({ deadline: Date.now() })
        .where('code', '=', expired)
        .execute();
      await tx.updateTable('links').set({ disabled_at: 1 }).where('code', '=', disabled).execute();
    });
    for (const face of ['', '+', '.svg', '.png']) {
      for (const method of ['GET', 'HEAD']) {
        for (const [code, status] of [
          [expired, 410],
          [disabled, 410],
          ['BBBBBBB', 404],
        ] as const) {
          const answer = await exchange(`${service.url}/s/${code}${face}`, { method });
          assert.deepEqual(
            [answer.status, answer.headers['cache-control'], answer.headers.location],
            [status, 'no-store', undefined],
          );
        }
      }
    }
    for (const path of [
      ...words('/ /x /BBBBBBB- /BBBBBBB.gif /BBBBBBB/ /BBBBBB%00 /%FF /constructor'),
      '',
    ]) {
      assert.equal((await exchange(`${service.url}/s${path}`)).status, 404, path);
    }
    assert.deepEqual(await visitsAfterStop(service), []);
  });
});

it('robots may fetch short links, and not the console', async (t) => {
  for (const FAST_PATH of ['on', 'off']) {
    const service = await startService(t, await freshDatabase('sqlite', t), {
      FAST_PATH,
      CONSOLE: 'on',
    });
    const { status, headers, body } = await exchange(`${service.url}/robots.txt`);
    assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=UTF-8']);
    assert.equal(body, 'User-agent: *\nDisallow: /console\n');
  }
});

it('a short link is answered alike and counted alike, whichever server reads the request', async (t) => {
  beginSlot(t, DAY_MS);
  for (const FAST_PATH of ['on', 'off']) {
    const service = await startService(t, await freshDatabase('sqlite', t), { FAST_PATH });
    const code = await shorten(service);
    // A host in capitals is left to the pages, and a request with `Expect` to `node:http`.
    const ways = [{}, { Host: 'EXAMPLE.ORG' }, { Expect: '100-continue' }, { Connection: 'close' }];
    for (const query of ['', '?from=mail&id=1']) {
      const answers = [];
      for (const way of ways) {
        for (const method of ['GET', 'HEAD']) {
          const headers = { ...FIREFOX, Referer: 'https://news.example/', ...way };
          const answer = await exchange(`${service.url}/s/${code}${query}`, { method, headers });
          const { date, connection, 'keep-alive': _, 'x-request-id': id, ...own } = answer.headers;
          assert.match(String(id), /^[0-9a-f-]{36}$/);
          answers.push({ status: answer.status, body: answer.body, ...own });
        }
      }
      const answer = {
        location: `${CANONICAL}${query.replace('?', '&')}`,
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
        'content-length': '0',
      };
      for (const one of answers) assert.deepEqual(one, { status: 302, body: '', ...answer });
    }
    const [counted] = await visitsAfterStop(service);
    assert.deepEqual(counted, { code, visits: 8, bots: 0, heads: 8 });
    const store = await service.database.open();
    const [source] = await store.read((db) =>
      db
        .selectFrom('link_visit_sources')
        .select(['name', 'visits'])
        .where('kind', '=', 'referrer')
        .execute(),
    );
    assert.deepEqual(source, { name: 'news.example', visits: 8 });
  }
});

describe('a short link of a service', () => {
  const plain = serviceForSuite();

  describe('the preview page', () => {
    it('shows the target as text and leads nowhere by itself', async () => {
      const { status, headers, body } = await exchange(`${plain.url}/s/${await shorten(plain)}+`);
      assert.equal(status, 200);
      assert.match(headers['content-type'] ?? '', /^text\/html; charset=utf-8$/i);
      assert.match(
        String(headers['content-security-policy']),
        /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self'/,
      );
      assert.equal(headers.location ?? headers.refresh, undefined);
      assert.ok(body.includes(CANONICAL.replaceAll('&', '&amp;')));
      assert.doesNotMatch(body, /<script|http-equiv|onload/i);
    });

    it('is whole in a real browser under its own policy', async (t) => {
      const page = await openPage(t, `${plain.url}/s/${await shorten(plain)}+`);
      assert.equal(await page.locator('a.target').textContent(), CANONICAL);
      assert.equal(await page.locator('a.target').getAttribute('href'), CANONICAL);
      assert.equal(
        await page.evaluate("getComputedStyle(document.querySelector('a.target')).display"),
        'block',
      );
      assert.equal(
        await page.evaluate(
          "document.querySelector('img').complete && document.images[0].naturalWidth > 0",
        ),
        true,
      );
    });
  });

  it('parameters of a visit are added to the target, before its fragment; its own stay', async () => {
    const service = plain;
    const target = 'https://example.org/p?ref=x.com&a=1#frag?b=2';
    const code = await shorten(service, { _orgUrl: target });
    const bare = await shorten(service, { _orgUrl: 'https://example.org/' });
    const locationOf = async (name: string, query: string) =>
      (await exchange(`${service.url}/s/${name}${query}`, { headers: FIREFOX })).headers.location;
    const added = async (query: string) => (await locationOf(code, query))!;
    const own = 'https://example.org/p?ref=x.com&a=1';
    for (const [query, location] of [
      ['', target],
      ['?', target],
      ['?utm_source=mail', `${own}&utm_source=mail#frag?b=2`],
      ['?ref=evil&utm_source=mail&a=2&a=3', `${own}&utm_source=mail#frag?b=2`],
      ['?r%65f=evil', target],
      ['?&&c', `${own}&c#frag?b=2`],
      ['?x=1&x=2', `${own}&x=1&x=2#frag?b=2`],
      ['?u=https://other.example/?a%26b', `${own}&u=https://other.example/?a%26b#frag?b=2`],
      ['?n=%E4%BD%A0+b', `${own}&n=%E4%BD%A0+b#frag?b=2`],
      ['?q="<>|', `${own}&q=%22%3C%3E%7C#frag?b=2`],
    ] as const)
      assert.equal(await added(query), location, query);
    assert.equal(await locationOf(bare, '?utm_id=7'), 'https://example.org/?utm_id=7');
    // As servers take one name for another: ASP.NET in any case, PHP with brackets, blanks and points.
    const named = await shorten(service, { _orgUrl: 'https://example.org/?id=1&ref.by=a&l[]=x' });
    for (const name of words('ID %69d +id id[] id%00 ref_by Ref+By l l[0] x=1;id'))
      assert.doesNotMatch((await locationOf(named, `?${name}=2`))!, /=2/, name);
  });

  it('what stands behind a code by mistake is forgiven', async () => {
    const service = plain;
    const code = await shorten(service);
    for (const behind of words(
      '/ . , ) %5D %20 %E2%80%8B %E3%80%82 ). %22 !? // _ *_ & %3Cbr%3E %3C/a%3E',
    )) {
      const { status, headers } = await exchange(`${service.url}/s/${code}${behind}`);
      assert.deepEqual([status, headers.location], [302, CANONICAL], behind);
    }
    for (const behind of ['&utm_source=a', '&amp;utm_source=a', '.&utm_source=a#x']) {
      const { headers } = await exchange(`${service.url}/s/${code}${behind}`);
      assert.equal(headers.location, `${CANONICAL}&utm_source=a`, behind);
    }
    const before = await exchange(`${service.url}/s/%E2%80%8B${code}?utm_source=a`);
    assert.equal(before.headers.location, `${CANONICAL}&utm_source=a`);
    for (const behind of ['x', '/x', '/.svg', '-', '%E8%B7%AF'])
      assert.equal((await exchange(`${service.url}/s/${code}${behind}`)).status, 404, behind);
    assert.equal((await exchange(`${service.url}/s/${code}+`)).status, 200);
    assert.equal((await exchange(`${service.url}/s/${code}+).`)).status, 200);
  });

  it('the QR codes are pictures of the whole short link, for other sites to show', async (t) => {
    const service = await startService(t, undefined, { SHORT_BASE_URL: 'https://sho.rt/l' });
    const code = await shorten(service);
    const { modules } = QRCode.create(`https://sho.rt/l/${code}`, {});
    const svg = await exchange(`${service.url}/l/${code}.svg`);
    assert.equal(svg.headers['content-type'], 'image/svg+xml');
    assert.equal(svg.headers['cross-origin-resource-policy'], 'cross-origin');
    const response = await fetch(`${service.url}/l/${code}.png`);
    assert.equal(response.headers.get('content-type'), 'image/png');
    for (const picture of [Buffer.from(svg.body), Buffer.from(await response.arrayBuffer())]) {
      assert.deepEqual(await darkModules(picture, modules.size), [...modules.data].map(Boolean));
    }
  });

  it('a QR code has the size and the margin that are asked for', async () => {
    const url = `${plain.url}/s/${await shorten(plain)}`;
    const sideOf = async (query: string) => {
      const response = await fetch(`${url}.png${query}`);
      assert.equal(response.status, 200, query);
      return (await sharp(Buffer.from(await response.arrayBuffer())).metadata()).width;
    };
    const modules = 29;
    assert.equal(await sideOf(''), Math.floor(512 / (modules + 8)) * (modules + 8));
    assert.equal(await sideOf('?size=2048'), Math.floor(2048 / (modules + 8)) * (modules + 8));
    assert.equal(await sideOf('?size=64&margin=0'), Math.floor(64 / modules) * modules);
    assert.equal(await sideOf('?margin=16'), Math.floor(512 / (modules + 32)) * (modules + 32));
    const svg = await exchange(`${url}.svg?size=300&margin=2`);
    assert.ok(svg.body.includes(`width="300" height="300" viewBox="0 0 ${modules + 4} `), svg.body);
    for (const query of ['size=63', 'size=2049', 'margin=17', 'margin=-1', 'size=1e9', 'size=x']) {
      const { status, body } = await exchange(`${url}.png?${query}`);
      assert.equal(status, 400, query);
      assert.match(body, /size is 64 to 2048 pixels/);
    }
  });

  it('QR codes that must be drawn have a budget; those that are remembered do not use it up', async (t) => {
    const service = await startService(t, undefined, {
      fixed: { picturesPerAddress: rates('2/h') },
    });
    const [first, second] = [
      await shorten(service),
      await shorten(service, { _orgUrl: 'https://example.org/other' }),
    ];
    for (let again = 0; again < 5; again++)
      assert.equal((await exchange(`${service.url}/s/${first}.svg`)).status, 200);
    assert.equal((await exchange(`${service.url}/s/${first}.png`)).status, 200);
    const refused = await exchange(`${service.url}/s/${second}.png`);
    assert.deepEqual([refused.status, refused.headers['x-error-code']], [429, 'RateLimited']);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal((await exchange(`${service.url}/s/${second}`)).status, 302);
    assert.equal((await exchange(`${service.url}/s/${first}.png`)).status, 200);
  });
});

/** Reads a picture of a QR code back: which of its modules are dark, row by row, the margin of four left out. */
async function darkModules(picture: Buffer, size: number): Promise<boolean[]> {
  const side = (size + 8) * 9;
  const grey = await sharp(picture, { density: 600 })
    .resize(side, side, { kernel: 'nearest' })
    .greyscale()
    .raw()
    .toBuffer();
  const isDark = (row: number, column: number) =>
    grey[((row + 4) * 9 + 4) * side + (column + 4) * 9 + 4]! < 128;
  return Array.from({ length: size * size }, (_, i) => isDark(Math.floor(i / size), i % size));
}

it('the target of a short link is never fetched', async (t) => {
  let connections = 0;
  const target = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  const port = await listen(t, target);
  const service = await startService(t);
  const code = await shorten(service, { _orgUrl: `http://127.0.0.1:${port}/page` });
  for (const face of ['', '+', '.svg', '.png']) {
    const { status, headers } = await exchange(`${service.url}/s/${code}${face}`);
    assert.equal(status, face === '' ? 302 : 200);
    if (face === '') assert.equal(headers.location, `http://127.0.0.1:${port}/page`);
  }
  await service.app.stop();
  assert.equal(connections, 0);
  // The target would have noticed.
  await assert.rejects(exchange(`http://127.0.0.1:${port}/page`));
  assert.equal(connections, 1);
});

describe('where short links are', () => {
  const PLACES: readonly (readonly [env: Record<string, string>, paths: readonly string[]])[] = [
    [{}, ['/s']],
    [{ BASE_URL: 'https://example.com/ws' }, ['/ws/s', '/s']],
    [{ SHORT_BASE_URL: 'https://sho.rt' }, ['']],
    [{ SHORT_BASE_URL: 'https://sho.rt/go/to/' }, ['/go/to']],
  ];
  for (const [env, paths] of PLACES) {
    it(`${JSON.stringify(env)} is at ${paths.join(' and ') || '/'}, whatever host is asked`, async (t) => {
      const service = await startService(t, undefined, env);
      const code = await shorten(service);
      for (const path of paths) {
        const { headers } = await exchange(`${service.url}${path}/${code}`, {
          headers: { Host: 'any.example' },
        });
        assert.equal(headers.location, CANONICAL);
      }
      assert.equal((await exchange(`${service.url}/healthz`)).status, 200);
      assert.equal((await exchange(`${service.url}/`)).status, 302);
    });
  }
});

it('what ws01 link disable takes down, a running service answers with 410 soon', async (t) => {
  const service = await startService(t, await freshDatabase('sqlite', t));
  const code = await shorten(service);
  const status = async () => (await exchange(`${service.url}/s/${code}`)).status;
  assert.equal(await status(), 302);
  const { stderr } = await ws01(service.database, ['link', 'disable', code]);
  await until(
    async () => (await status()) === 410,
    () => stderr,
  );
});

it('the bindings agree on short links, their errors and budgets', async (t) => {
  const service = await startService(t, undefined, {
    fixed: { linksPerAddress: rates('5/h') },
  });
  for (const [i, binding] of TEST_BINDINGS.entries()) {
    const ask = (given: Record<string, string>) =>
      binding.call(service.url, 'UrltoShortUrl', given);
    const made = await ask({
      _orgUrl: `http://${i}.example/漢字`,
      _deadline: '0001-01-01T00:00:00',
      _userId: '',
    });
    assert.match(made.result ?? made.body, /^http:\/\/127\.0\.0\.1:[0-9]+\/s\/.{7}$/);
    assert.equal((await ask({ _orgUrl: `${i}.example/漢字` })).result, made.result);
    assert.equal((await ask({ _orgUrl: 'javascript:alert(1)' })).code, 'InvalidParameter');
    assert.equal((await ask({ _orgUrl: 'http://a:b@example.org' })).code, 'DestinationBlocked');
    assert.equal(
      (await ask({ _orgUrl: 'a.example', _deadline: '2020-01-01' })).code,
      'InvalidParameter',
    );
    assert.equal((await ask({})).code, 'MissingParameter');
  }
  await TEST_BINDINGS[0]!.call(service.url, 'UrltoShortUrl', { _orgUrl: 'http://last.example/' });
  for (const binding of TEST_BINDINGS) {
    const refused = await binding.call(service.url, 'UrltoShortUrl', {
      _orgUrl: 'http://more.example/',
    });
    assert.equal(refused.code, 'RateLimited');
    assert.ok(
      Number(refused.headers['retry-after']) >= 1 &&
        Number(refused.headers['retry-after']) <= 3_600,
    );
  }
});

it('RATE_LIMITS=off switches budgets off', async (t: TestContext) => {
  const service = await startService(t, undefined, {
    fixed: { linksPerAddress: rates('1/min') },
    RATE_LIMITS: 'off',
  });
  for (let i = 0; i < 5; i++) await shorten(service, { _orgUrl: `http://${i}.example/` });
});
