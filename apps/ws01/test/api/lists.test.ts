import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { type ApiDesk, openApiDesk, SEEDED_SETTINGS, seedEveryKind } from '../kit/api.ts';
import { JSON_BINDING } from '../kit/bindings.ts';
import { type FreshDatabase, forBothEngines, forEachEngine } from '../kit/database.ts';
import { WORDS_OF_LANGUAGES } from '../kit/words-of-languages.ts';

async function deskWithArticles(
  t: TestContext,
  fresh: FreshDatabase,
  count: number,
): Promise<ApiDesk> {
  const desk = await openApiDesk(t, fresh);
  for (let index = 0; index < count; index++)
    await insert(desk, `a-${index}`, { CreateUserId: `u-${index % 2}` });
  return desk;
}

async function insert(
  desk: ApiDesk,
  guid: string,
  more: Record<string, unknown> = {},
): Promise<void> {
  const params = {
    token: desk.tokens.articles,
    guid,
    caption: `Flat ${guid}`,
    categoryGuid: 'housing',
    ...more,
  };
  const answer = await JSON_BINDING.call(
    desk.url,
    'InsertArticle',
    params as Record<string, string>,
  );
  assert.equal(answer.status, 200, answer.body);
}

forBothEngines((_engine, fresh) => {
  it('a list goes on where the page before ended, whatever was added meanwhile', async (t) => {
    const desk = await deskWithArticles(t, fresh, 5);
    const first = await desk.get('/articles?limit=2');
    assert.equal(first.status, 200, JSON.stringify(first.body));
    assert.deepEqual(
      first.body.items.map(({ guid }: { guid: string }) => guid),
      ['a-4', 'a-3'],
    );
    await insert(desk, 'a-9');
    const seen: string[] = [];
    for (let next = first.body.next; next !== null; ) {
      const { body } = await desk.get(`/articles?limit=2&cursor=${next}`);
      seen.push(...body.items.map(({ guid }: { guid: string }) => guid));
      next = body.next;
    }
    assert.deepEqual(seen, ['a-2', 'a-1', 'a-0']);
  });

  it('a search finds words of every language, whatever their case and accents', async (t) => {
    const desk = await openApiDesk(t, fresh);
    for (const [at, [, title]] of WORDS_OF_LANGUAGES.entries()) {
      await insert(desk, `a-${at}`, { caption: title });
      await desk.post('/users', { id: `u-${at}`, name: title });
    }
    for (const [at, [language, , ...words]] of WORDS_OF_LANGUAGES.entries()) {
      for (const word of words) {
        for (const [list, key] of [
          ['articles', 'guid'],
          ['users', 'id'],
        ] as const) {
          const { body } = await desk.get(`/${list}?q=${encodeURIComponent(word)}&limit=100`);
          const keys = body.items.map((item: Record<string, string>) => item[key]);
          assert.ok(keys.includes(`${list[0]}-${at}`), `${language}, ${list}: ${word}`);
        }
      }
    }
    for (const word of ['カラス', 'कताब', 'lodz x'])
      assert.deepEqual((await desk.get(`/articles?q=${encodeURIComponent(word)}`)).body.items, []);
  });

  it('a list is narrowed, searched and turned round', async (t) => {
    const desk = await deskWithArticles(t, fresh, 4);
    const guids = async (query: string) => {
      const { status, body } = await desk.get(`/articles?${query}`);
      assert.equal(status, 200, JSON.stringify(body));
      return body.items.map(({ guid }: { guid: string }) => guid);
    };
    assert.deepEqual(await guids('createUserId=u-1'), ['a-3', 'a-1']);
    assert.deepEqual(await guids('createUserId=u-1&sort=created'), ['a-1', 'a-3']);
    assert.deepEqual(await guids('categoryGuid=housing&q=FLAT+a-2'), ['a-2']);
    assert.deepEqual(await guids('q=%25'), []);
    assert.deepEqual(await guids('state=draft'), []);
    assert.deepEqual(await guids('state=published&limit=1'), ['a-3']);
    assert.deepEqual(await guids('createdFrom=2999-01-01T00:00:00Z'), []);
    assert.deepEqual((await guids('createdTo=2999-01-01T00:00:00Z&createUserId=u-0')).length, 2);
  });

  it('dates, a cursor and the end of a scan bound a page together, in both orders', async (t) => {
    const desk = await openApiDesk(t, fresh, { fixed: { apiRowsRead: 100 } });
    const rows = Array.from({ length: 300 }, (_, number) => ({
      ...{
        guid: `a-${String(number).padStart(3, '0')}`,
        caption: number % 50 === 39 ? 'wanted %' : '',
        content: '',
      },
      ...{ contact_phone: '', status: 0, from_url: '', revision: 1 },
      ...{ created_at: number * 1_000, updated_at: number * 1_000 },
    }));
    await desk.store.write((tx) => tx.insertInto('articles').values(rows).execute());
    const at = (number: number) => new Date(number * 1_000).toISOString();
    const pagesFrom = async (query: string, cursor = '') => {
      const found: string[] = [];
      let next: string | null = cursor;
      while (next !== null) {
        const { body } = await desk.get(
          `/articles?${query}${next === '' ? '' : `&cursor=${next}`}`,
        );
        found.push(...body.items.map(({ guid }: { guid: string }) => guid));
        next = body.next;
      }
      return found;
    };
    // In both orders a hundred rows end with one that is wanted.
    const [from, to] = [40, 289];
    const dates = `createdFrom=${at(from)}&createdTo=${at(to)}`;
    const within = rows.slice(from, to);
    for (const sort of ['created', '-created']) {
      const order = <T>(items: readonly T[]) => (sort === 'created' ? items : items.toReversed());
      const keys = (some: readonly { guid: string }[]) => order(some).map(({ guid }) => guid);
      assert.deepEqual(await pagesFrom(`sort=${sort}&limit=70&${dates}`), keys(within));
      const wanted = within.filter(({ caption }) => caption !== '');
      // No index has the sign: for it rows are looked through.
      for (const q of ['wanted', '%25'])
        assert.deepEqual(await pagesFrom(`sort=${sort}&limit=2&q=${q}&${dates}`), keys(wanted));
      const hundred = (await desk.get(`/articles?sort=${sort}&limit=3&q=%25&${dates}`)).body;
      assert.equal(hundred.items.length, 2);
      // A cursor from before the dates, one at the first of them, and one from among them.
      for (const first of [10, from + 1, 60]) {
        const { next } = (await desk.get(`/articles?sort=${sort}&limit=${first}`)).body;
        const rest = order(within).filter((row) => order(rows).indexOf(row) >= first);
        assert.deepEqual(
          await pagesFrom(`sort=${sort}&limit=70&${dates}`, next),
          keys(order(rest)),
          `${sort} ${first}`,
        );
      }
    }
  });

  it('one record is shown with all that it has, and the trail of it', async (t) => {
    const desk = await deskWithArticles(t, fresh, 1);
    const { status, body } = await desk.get('/articles/a-0');
    assert.equal(status, 200);
    const { guid, caption, categoryGuid, createUserId, state, isPublic, content } = body;
    assert.deepEqual(
      { guid, caption, categoryGuid, createUserId, state, isPublic, content },
      {
        guid: 'a-0',
        caption: 'Flat a-0',
        categoryGuid: 'housing',
        createUserId: 'u-0',
        state: 'published',
        isPublic: true,
        content: '',
      },
    );
    const trail = await desk.get('/audit?targetKey=a-0&action=article.create');
    assert.equal(trail.body.items.length, 1, JSON.stringify(trail.body));
    assert.equal(trail.body.items[0].details.revision, '1');
  });

  it('one box finds what one call did, and records by key, user, phone, e-mail and address', async (t) => {
    const desk = await openApiDesk(t, fresh, SEEDED_SETTINGS);
    const keys = await seedEveryKind(desk);
    const find = async (q: string) => {
      const { items } = (await desk.get(`/search?q=${encodeURIComponent(q)}`)).body;
      return items.map(({ kind, key }: { kind: string; key: string }) => `${kind} ${key}`);
    };
    const found = async (q: string, ...expected: string[]) => {
      const hits = await find(q);
      for (const hit of expected) assert.ok(hits.includes(hit), `${q}: ${hits}`);
    };
    await found('ada', 'users ada', 'articles a-1', 'adverts ad-1', `mails ${keys.mails}`);
    await found('ADA@example.com', 'users ada');
    await found('grace@example.com', `mails ${keys.mails}`);
    await found('+1 (212) 555-0100', `sms ${keys.sms}`);
    const verified = { user_id: 'eve', phone: '+12125550188', verified_at: 1 };
    await desk.store.write((tx) => tx.insertInto('phone_verifications').values(verified).execute());
    await found('+1 212 555-0188', 'users eve');
    await found('127.0.0.1', 'articles a-1', 'adverts ad-1', 'images i-1');
    const { requestId } = (await desk.get(`/mails/${keys.mails}`)).body;
    await found(requestId, `mails ${keys.mails}`);
    const [change] = (await desk.get('/audit?targetKey=ad-1')).body.items;
    await found(change.requestId, `audit ${change.id}`);
    assert.deepEqual((await desk.get(`/audit?requestId=${change.requestId}`)).body.items.length, 1);
    assert.deepEqual([await find('nothing like it'), await find('')], [[], []]);
  });
});

forEachEngine((_engine, fresh) => {
  it('says what was wrong and what would be right', async (t) => {
    const desk = await openApiDesk(t, fresh);
    const refused = async (path: string, token: string | undefined = desk.tokens.manage) => {
      const { status, body, headers } = await desk.ask('GET', path, undefined, token);
      assert.match(String(headers['content-type']), /^application\/problem\+json/);
      assert.equal(body.status, status);
      return [status, body.code, body.detail];
    };
    assert.deepEqual(await refused('/articles?limit=101'), [
      400,
      'InvalidParameter',
      'limit must be a whole number from 1 to 100.',
    ]);
    assert.deepEqual(await refused('/articles?sort=size'), [
      400,
      'InvalidParameter',
      'sort must be one of created, -created, createUserId, -createUserId, categoryGuid, -categoryGuid.',
    ]);
    assert.match(
      (await refused('/articles?owner=x'))[2],
      /"owner" is no parameter here; there are limit, cursor, /,
    );
    assert.match((await refused('/articles?cursor=x'))[2], /^cursor is not one of this list/);
    assert.match((await refused('/articles?createdTo=today'))[2], /such as 2026-11-22T10:30:00Z/);
    assert.match((await refused('/articles?q=a&q=b'))[2], /given twice/);
    assert.deepEqual((await refused('/articles/none')).slice(0, 2), [404, 'NotFound']);
    assert.deepEqual((await refused('/nothing')).slice(0, 2), [404, 'NotFound']);
    assert.deepEqual((await refused('/articles', 'ws1_wrong-token')).slice(0, 2), [
      401,
      'Unauthenticated',
    ]);
    assert.deepEqual((await refused('/articles', desk.tokens.articles)).slice(0, 2), [
      403,
      'Forbidden',
    ]);
    const open = await desk.ask('GET', '/articles', undefined, undefined);
    assert.deepEqual([open.status, open.headers['www-authenticate']], [401, 'Bearer realm="ws01"']);
  });
});
