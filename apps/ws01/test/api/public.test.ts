import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { XMLValidator } from 'fast-xml-parser';
import { exchange, postTo } from '../../../../packages/asmx/test/kit/http.ts';
import { type ApiDesk, callOperation, openApiDesk } from '../kit/api.ts';
import { type FreshDatabase, forBothEngines } from '../kit/database.ts';

/** What the public must not see, and how an article comes to be so. */
const UNSEEN: Readonly<Record<string, (desk: ApiDesk) => Promise<unknown>>> = {
  draft: (desk) => insert(desk, 'draft', { Status: 1 }),
  pending: (desk) => insert(desk, 'pending', { Status: 2 }),
  hidden: (desk) => insert(desk, 'hidden', { Status: 3 }),
  trash: async (desk) => {
    await insert(desk, 'trash');
    await callOperation(desk, 'DeleteArticleByGuid', { guid: 'trash' });
  },
  held: async (desk) => {
    await insert(desk, 'held');
    await done(desk, '/articles/held/hold');
  },
  removed: async (desk) => {
    await insert(desk, 'removed');
    await done(desk, '/articles/removed/remove');
  },
};

function insert(desk: ApiDesk, guid: string, more: Record<string, unknown> = {}): Promise<string> {
  return callOperation(desk, 'InsertArticle', {
    guid,
    caption: `About ${guid}`,
    categoryGuid: 'housing',
    ...more,
  });
}

async function done(desk: ApiDesk, path: string): Promise<void> {
  const { status, body } = await desk.post(path);
  assert.equal(status, 200, JSON.stringify(body));
}

const open = (desk: ApiDesk, path: string) =>
  desk.ask('GET', `/public${path}`, undefined, undefined);
const keysOf = (items: { guid: string }[]) => items.map(({ guid }) => guid);

async function deskWithEveryState(t: TestContext, fresh: FreshDatabase): Promise<ApiDesk> {
  const desk = await openApiDesk(t, fresh, {
    PUBLIC_ORIGINS: 'https://site.example',
    PUBLIC_ARTICLE_URL: 'https://site.example/a/{guid}',
  });
  await insert(desk, 'one', { content: 'x'.repeat(400) });
  for (const make of Object.values(UNSEEN)) await make(desk);
  await insert(desk, 'two & <three>', { categoryGuid: 'jobs', Status: 7 });
  return desk;
}

forBothEngines((_engine, fresh) => {
  it('feeds and excerpts are plain text in one line, and turn nothing beside them', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const content = `<p>Light &amp;\n airy</p><p>${'two rooms '.repeat(40)}</p>`;
    await insert(desk, 'html', { caption: 'Sofa \u202egpj.hcaeb', content });
    await insert(desk, 'text', { caption: '', content: 'a < b' });
    const { body } = await open(desk, '/articles/html');
    assert.ok(body.excerpt.startsWith('Light & airy two rooms two'), body.excerpt);
    assert.match(body.excerpt, / (?:two|rooms)…$/);
    const [text, html] = (await open(desk, '/feeds/articles.json')).body.items;
    assert.deepEqual([text.title, text.content_text], ['a < b', 'a < b']);
    assert.deepEqual(
      [html.title, html.content_text],
      ['\u2068Sofa \u202egpj.hcaeb\u2069', body.excerpt],
    );
    const atom = String((await open(desk, '/feeds/articles.atom')).body);
    assert.ok(atom.includes('<title>\u2068Sofa \u202egpj.hcaeb\u2069</title>'));
    assert.ok(atom.includes('<summary>Light &amp; airy two rooms'));
  });

  it('everybody reads what is published, newest first, and nothing else', async (t) => {
    const desk = await deskWithEveryState(t, fresh);
    assert.deepEqual(keysOf((await open(desk, '/articles')).body.items), ['two & <three>', 'one']);
    assert.deepEqual(keysOf((await open(desk, '/articles?categoryGuid=housing')).body.items), [
      'one',
    ]);
    const { body } = await open(desk, '/articles/one');
    assert.deepEqual(
      [body.excerpt, body.content.length, 'ip' in body],
      [`${'x'.repeat(299)}…`, 400, false],
    );
    for (const state of Object.keys(UNSEEN)) {
      assert.equal((await open(desk, `/articles/${state}`)).status, 404, state);
      assert.equal((await desk.get(`/articles/${state}`)).body.isPublic, false, state);
    }
    const feeds = await Promise.all(
      ['atom', 'json'].map((format) => open(desk, `/feeds/articles.${format}`)),
    );
    const ratings = await open(desk, '/ratings?categoryGuid=housing');
    assert.deepEqual(
      ratings.body.items.map(({ key }: { key: string }) => key),
      ['one'],
    );
    for (const state of Object.keys(UNSEEN)) {
      for (const feed of feeds)
        assert.ok(!JSON.stringify(feed.body).includes(`About ${state}`), state);
    }
    await done(desk, '/articles/held/release');
    assert.equal((await open(desk, '/articles/held')).status, 200);
  });

  it('adverts are read as articles are, and ratings count what is published', async (t) => {
    const desk = await openApiDesk(t, fresh);
    for (const guid of ['ad-1', 'ad-2', 'ad-3']) {
      await callOperation(desk, 'addNewAdvert', {
        guid,
        title: guid,
        CreateUserId: 'ada',
        postAtCategoryGuid: 'jobs',
      });
    }
    await done(desk, '/adverts/ad-1/hold');
    await done(desk, '/adverts/ad-2/remove');
    assert.deepEqual(
      keysOf((await open(desk, '/adverts?postAtCategoryGuid=jobs&current=true')).body.items),
      ['ad-3'],
    );
    assert.deepEqual(
      [(await open(desk, '/adverts/ad-1')).status, (await open(desk, '/adverts/ad-2')).status],
      [404, 404],
    );
    await callOperation(desk, 'submitReview', {
      id: 'ad-3',
      IsPositive: 'true',
      Mark: '4',
      userId: 'bob',
    });
    await callOperation(desk, 'submitReview', { id: 'ad-3', IsPositive: 'false', userId: 'carl' });
    const rating = { positive: 1, negative: 1, averageMark: 4, marks: 1 };
    const { score, ...rest } = (await open(desk, '/ratings/ad-3')).body;
    assert.deepEqual(rest, rating);
    assert.ok(score > 0 && score < 0.5);
    const { body } = await open(desk, '/ratings?keys=ad-3,none');
    assert.deepEqual(body.items[0].rating.marks + body.items[1].rating.marks, 1);
    const review = (await desk.get('/reviews?subject=ad-3&userId=bob')).body.items[0];
    await done(desk, `/reviews/${review.id}/hold`);
    assert.deepEqual((await open(desk, '/ratings/ad-3')).body.positive, 0);
  });

  it('a key with a zero character is nobody’s, for strangers and owners, and fails nothing', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const { paths } = (await desk.get('/openapi.json')).body as {
      paths: Record<string, Record<string, unknown>>;
    };
    let asked = 0;
    for (const [path, methods] of Object.entries(paths)) {
      if (!path.includes('{')) continue;
      const place = path.replace(/^\/api\/v1/, '').replaceAll(/\{\w+\}/g, 'a%00b');
      for (const method of Object.keys(methods)) {
        asked++;
        assert.equal(
          (await desk.ask(method.toUpperCase(), place)).status,
          404,
          `${method} ${path}`,
        );
      }
    }
    assert.ok(asked > 50, String(asked));
    assert.equal((await open(desk, '/ratings/%00')).status, 404);
    const post = (path: string, type: string, body: string) =>
      postTo(`${desk.url}/console${path}`, body, {
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': type,
      });
    const form = await post('/sign-in', 'application/x-www-form-urlencoded', 'name=%00&password=x');
    assert.equal(form.status, 400);
    assert.equal(
      (await post('/passkey', 'application/json', '{"response":{"id":"\\u0000"}}')).status,
      403,
    );
  });

  it('caches and pages of sites that are named may have it; others may not', async (t) => {
    const desk = await deskWithEveryState(t, fresh);
    const ask = (headers: Record<string, string>, method = 'GET') =>
      exchange(`${desk.url}/api/v1/public/articles`, { method, headers });
    const first = await ask({ Origin: 'https://site.example' });
    const etag = String(first.headers.etag);
    assert.match(String(first.headers['cache-control']), /^public, max-age=\d+/);
    assert.deepEqual(
      [first.headers['access-control-allow-origin'], first.headers.vary],
      ['https://site.example', 'Origin'],
    );
    const again = await ask({ 'If-None-Match': `W/"x", ${etag}` });
    assert.deepEqual([again.status, again.body, again.headers.etag], [304, '', etag]);
    const stranger = await ask({ Origin: 'https://other.example' });
    assert.equal(stranger.headers['access-control-allow-origin'], undefined);
    const preflight = await ask(
      { Origin: 'https://site.example', 'Access-Control-Request-Method': 'GET' },
      'OPTIONS',
    );
    assert.deepEqual(
      [preflight.status, preflight.headers['access-control-allow-origin']],
      [204, 'https://site.example'],
    );
    await insert(desk, 'later');
    assert.notEqual((await ask({ 'If-None-Match': etag })).headers.etag, etag);
    assert.equal((await ask({ Origin: 'null' })).headers['access-control-allow-origin'], undefined);
  });

  it('feeds are well-formed, lead to the site, and go on by a next page', async (t) => {
    const desk = await deskWithEveryState(t, fresh);
    const atom = await open(desk, '/feeds/articles.atom?limit=1');
    assert.equal(atom.headers['content-type'], 'application/atom+xml; charset=utf-8');
    assert.equal(XMLValidator.validate(atom.body), true);
    assert.match(atom.body, /<link href="https:\/\/site\.example\/a\/two%20%26%20%3Cthree%3E"\/>/);
    const { body } = await open(desk, '/feeds/articles.json?limit=1');
    assert.equal(body.version, 'https://jsonfeed.org/version/1.1');
    assert.deepEqual(
      body.items.map(({ title, tags }: { title: string; tags: string[] }) => [title, tags]),
      [['About two & <three>', ['jobs']]],
    );
    const next = await open(
      desk,
      new URL(body.next_url).pathname.split('/public')[1] + new URL(body.next_url).search,
    );
    assert.deepEqual(
      next.body.items.map(({ url }: { url: string }) => url),
      ['https://site.example/a/one'],
    );
  });

  it('PUBLIC_READING=off ends it', async (t) => {
    const desk = await openApiDesk(t, fresh, { PUBLIC_READING: 'off' });
    for (const path of ['/articles', '/ratings/x', '/feeds/articles.atom']) {
      assert.equal((await open(desk, path)).status, 404, path);
    }
  });
});
