import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { Random, runs } from '../../../../packages/asmx/test/kit/random.ts';
import { loadConfig } from '../../src/config/config.ts';
import { indexRecords } from '../../src/domain/search/indexing.ts';
import { SEARCHED_RECORDS, searchedText } from '../../src/domain/search/searched.ts';
import { soughtWords } from '../../src/domain/values/record-terms.ts';
import { firstKeyAt } from '../../src/records/conditions.ts';
import { countChanges, noteAllForSearch } from '../../src/store/record-index.ts';
import type { Store } from '../../src/store/store.ts';
import type { ArticlesTable } from '../../src/store/tables/tables.ts';
import { apiOf, openApiDesk } from '../kit/api.ts';
import { Clock } from '../kit/clock.ts';
import { forBothEngines } from '../kit/database.ts';
import { explain, recordQueries } from '../kit/recorded-queries.ts';
import { addArticles, countIn, index, NOW } from '../kit/search-index.ts';

const TEXT_OF_ARTICLES = searchedText(
  Object.values(SEARCHED_RECORDS.find(({ table }) => table === 'articles')!.columns).flat(),
);

/** Begins a slice of articles, for those that are indexed next. */
const openSlice = (store: Store, slice: string): Promise<void> =>
  store.write(async (tx) => {
    const empty = { kind: 'a', slice, first: '9', last: '0' };
    await tx.insertInto('search_slices').values(empty).execute();
  });

interface Page {
  readonly items: readonly { readonly guid: string }[];
  readonly next: string | null;
  readonly total?: number | null;
}

/** Keys of all pages of articles that an owner gets. @param count what a total that is told must be. */
async function keysOfPages(
  store: Store,
  query: string,
  count?: number,
  onPage?: (page: Page) => void,
): Promise<readonly string[]> {
  const api = apiOf(store);
  const principal = { kind: 'admin', name: 'test', role: 'owner', id: '1' } as const;
  const keys: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const url = `http://localhost/api/v1/articles?${query}${next && `&cursor=${next}`}`;
    const answer = await api.fetch(new Request(url), { principal });
    const page = (await answer.json()) as Page;
    onPage?.(page);
    keys.push(...page.items.map(({ guid }) => guid));
    if (page.total != null) assert.equal(page.total, count, query);
    next = page.next;
  }
  return keys;
}

const OWNER = { kind: 'admin', name: 'test', role: 'owner', id: '1' } as const;

/**
 * Adds mails past the service, the oldest first, and indexes them: of two users by turns; every
 * third failed, others wait.
 */
async function addMails(store: Store, count: number, subjectOf: (at: number) => string) {
  const mails = Array.from({ length: count }, (_, at) => ({
    ...{ id: firstKeyAt(NOW + at * 1_000), sender: `user-${at % 2}`, ip: '', receiver_name: '' },
    ...{ receiver_email: 'a@b.example', receiver_key: 'a@b.example', body: '' },
    ...{ subject: subjectOf(at), message_id: `<${at}@b.example>`, created_at: NOW - at },
  }));
  const outbox = mails.map(({ id }, at) => ({
    ...({ id, kind: 'mail', state: at % 3 === 0 ? 'failed' : 'deferred' } as const),
    ...{ attempts: 1, deferrals: 0, created_at: NOW, give_up_at: NOW },
  }));
  await store.write(async (tx) => {
    await tx.insertInto('mails').values(mails).execute();
    await tx.insertInto('outbox').values(outbox).execute();
  });
  await indexRecords(store);
  return mails;
}

/** Keys of all pages of mails, four a page. */
async function keysOfMails(store: Store, query: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const url = `http://localhost/api/v1/mails?${query}&limit=4${next && `&cursor=${next}`}`;
    const answer = await apiOf(store).fetch(new Request(url), { principal: OWNER });
    const page = (await answer.json()) as { items: { id: string }[]; next: string | null };
    keys.push(...page.items.map(({ id }) => id));
    next = page.next;
  }
  return keys;
}

forBothEngines((engine, fresh) => {
  it('the oldest record is on the first page, with its total, before and after it is indexed', async (t) => {
    // So little is looked through for a page that none finds it that way.
    const desk = await openApiDesk(t, fresh, {
      fixed: { apiRowsRead: 100, apiReadMs: 1, apiFirstRowMs: 0 },
    });
    const captions = Array.from({ length: 3_000 }, (_, at) => `Flat ${at}, Nähe 公园`);
    await addArticles(desk.store, ['Zeppelin hangar', ...captions]);
    const ask = async (query: string) => {
      const { body } = await desk.get(
        `/articles?total=true&limit=10&q=${encodeURIComponent(query)}`,
      );
      return [body.items.map(({ guid }: { guid: string }) => guid), body.next === null, body.total];
    };
    const first = 'art-000000';
    const holds = async () => {
      assert.deepEqual(await ask('zepp'), [[first], true, 1]);
      assert.deepEqual(await ask('HANGAR zeppelin'), [[first], true, 1]);
      assert.deepEqual(await ask('zzzz'), [[], true, 0]);
      assert.deepEqual(await ask('2999'), [['art-003000'], true, 1]);
      assert.deepEqual((await ask('nahe'))[2], 3_000);
      assert.deepEqual((await ask('园'))[2], 3_000);
      assert.deepEqual((await ask('公园'))[0].length, 10);
      const { body } = await desk.get('/search?q=zeppelin');
      assert.deepEqual(
        body.items.map(({ kind, key, matched }: Record<string, string>) => [kind, key, matched]),
        [['articles', first, 'words']],
      );
    };
    await holds();
    await index(desk.store);
    assert.equal(await countIn(desk.store, 'search_changes'), 0);
    await holds();
    // As after an upgrade, and when the rules of folding change.
    await desk.store.write(noteAllForSearch);
    assert.ok((await desk.store.read(countChanges)) > 3_000);
    await index(desk.store);
    await holds();
    // Pages go on where the one before ended, whatever finds them.
    const seen: string[] = [];
    for (let next = ''; next !== null; ) {
      const { body } = await desk.get(`/articles?q=flat&limit=100&${next && `cursor=${next}`}`);
      seen.push(...body.items.map(({ guid }: { guid: string }) => guid));
      next = body.next;
    }
    assert.equal(new Set(seen).size, 3_000);
    assert.deepEqual(seen, seen.toSorted().reverse());
    // And with other conditions.
    assert.deepEqual((await desk.get('/articles?total=true&q=flat&state=held')).body, {
      items: [],
      next: null,
      total: 0,
    });
  });

  it('pages of what slices find have the order of the list, wherever the slices begin and end', async (t) => {
    const store = await (await fresh(t)).open();
    // Each batch gets a slice of its own; the places of some overlap.
    const batches = [0, 40, 20, 120, 110, 200].map((from, at) => ({ from, slice: `00${at + 1}` }));
    for (const { from, slice } of batches) {
      await openSlice(store, slice);
      const captions = Array.from({ length: 30 }, (_, at) =>
        [at % 6 === 0 ? 'rare' : 'often', from === 200 ? 'late' : ''].join(' '),
      );
      await addArticles(store, captions, `${slice}x`, from);
      if (from !== 200) await indexRecords(store);
    }
    const { rows } = await store.read((db) =>
      sql<{
        guid: string;
        caption: string;
        created_at: number | string;
      }>`select guid, caption, created_at from articles
        order by created_at, guid`.execute(db),
    );
    const middle = NOW + 115_000;
    const [from, to] = ['createdFrom', 'createdTo'].map(
      (name) => `&${name}=${new Date(middle).toISOString()}`,
    );
    const times = [
      ['', () => true],
      [from, (at: number) => at >= middle],
      [to, (at: number) => at < middle],
    ] as const;
    for (const word of ['often', 'rare late', 'r'])
      for (const sort of ['created', '-created'])
        for (const [bound, isWithin] of times) {
          const seen = await keysOfPages(store, `q=${word}&sort=${sort}&limit=1${bound}`);
          const has = (caption: string) =>
            word.split(' ').every((one) => caption.split(' ').some((its) => its.startsWith(one)));
          const all = rows
            .filter(({ caption, created_at: at }) => has(caption) && isWithin(Number(at)))
            .map(({ guid }) => guid);
          const what = `${word} ${sort} ${bound}`;
          assert.deepEqual(seen, sort === 'created' ? all : all.toReversed(), what);
        }
  });

  it('no page is empty that is not the last, where slices overlap and much is found', async (t) => {
    const store = await (await fresh(t)).open();
    // Each slice reaches from the oldest to the newest, and the newest of each has not the word.
    for (const at of [1, 2, 3, 4, 5]) {
      await openSlice(store, `00${at}`);
      const words = Array.from({ length: 50 }, () => 'often');
      await addArticles(store, words, `00${at}w`, at * 60);
      await addArticles(store, ['none', 'none', 'none'], `00${at}n`, 1_000 + at * 10);
      await indexRecords(store);
    }
    // No time passes: what a page looks through is bounded by rows alone.
    const clock = new Clock(t);
    clock.stop();
    const pages: number[] = [];
    const keys = await keysOfPages(store, 'q=often&limit=1', undefined, (page) =>
      pages.push(page.items.length),
    );
    clock.goOn();
    assert.equal(keys.length, 250);
    assert.deepEqual(new Set(pages.slice(0, -1)), new Set([1]));
  });

  it('every record with the words and the values of filters is found, whatever slices are left out', async (t) => {
    const store = await (await fresh(t)).open();
    const random = new Random(55);
    const owners = ['ada', 'Ada', 'ada+1', 'é', '公'];
    const states = 'published draft pending hidden trash held removed waiting'.split(' ');
    const some = <T>(most: number, make: () => T): T[] =>
      Array.from({ length: 1 + random.below(most) }, make);
    const letters = [...'abeÉößœ1İкё公寓がไ한🚲𝒳𠮷'];
    const word = () => some(4, () => random.of(letters)).join('');
    const joined = () => some(3, word).join(random.of(['.', '-', '@', '·']));
    const change = (guids: readonly string[]) =>
      store.write(async (tx) => {
        const time = () => random.of([null, null, null, NOW]);
        for (const guid of guids) {
          const row = { owner: random.of([...owners, null]), status: random.below(5) };
          const moderated = { deleted_at: time(), held_at: time(), removed_at: time() };
          const one = tx.updateTable('articles').where('guid', '=', guid);
          await one.set({ ...row, ...moderated }).execute();
        }
      });
    const captions: string[] = [];
    for (const slice of Array.from({ length: 40 }, (_, at) => String(at + 1).padStart(3, '0'))) {
      await openSlice(store, slice);
      const its = some(4, () =>
        some(5, () => (random.below(4) === 0 ? joined() : word())).join(' '),
      );
      await addArticles(store, its, slice, captions.length);
      captions.push(...its);
      await change(its.map((_, at) => `${slice}-00000${at}`));
      // The last few wait.
      if (slice < '040') await indexRecords(store);
    }
    await change(some(20, () => `0${10 + random.below(25)}-000000`));
    const { rows } = await store.read((db) =>
      sql<ArticlesTable & { text: string }>`select *, ${sql.raw(TEXT_OF_ARTICLES)} as text
        from articles`.execute(db),
    );
    const isIn = (row: ArticlesTable, state: string) => {
      const { status, deleted_at, held_at, removed_at } = row;
      const isUntouched = (deleted_at ?? held_at ?? removed_at) === null;
      return {
        ...{ draft: status === 1, pending: status === 2, hidden: status === 3 },
        ...{ trash: deleted_at !== null, held: held_at !== null, removed: removed_at !== null },
        published: isUntouched && ![1, 2, 3].includes(status),
        waiting: isUntouched && status === 2,
      }[state];
    };
    const begun = () =>
      [...random.of(random.of(captions).split(' '))].slice(0, 1 + random.below(4)).join('');
    for (let run = 0; run < runs(1_000); run++) {
      const most = random.below(20) === 0 ? 100 : 4;
      const q = some(most, () => (random.below(4) === 0 ? word() : begun())).join(' ');
      const asked = q.slice(0, 200).toWellFormed();
      const sought = soughtWords(asked);
      const owner = random.below(2) === 0 ? random.of(owners) : undefined;
      const state = random.below(2) === 0 ? random.of(states) : undefined;
      const all = rows.filter(
        (row) =>
          sought.isIn(row.text) &&
          (owner === undefined || row.owner === owner) &&
          (state === undefined || isIn(row, state)),
      );
      const query = new URLSearchParams({ q: asked, limit: '20', total: 'true' });
      if (owner !== undefined) query.set('createUserId', owner);
      if (state !== undefined) query.set('state', state);
      const seen = await keysOfPages(store, `${query}`, all.length);
      assert.deepEqual(seen.toSorted(), all.map(({ guid }) => guid).toSorted(), `${query}`);
    }
  });

  it('texts that an index cannot tell from what is looked for are read bit by bit', async (t) => {
    const desk = await openApiDesk(t, fresh, { fixed: { apiReadMs: 0, apiFirstRowMs: 0 } });
    const [word, nearly] = [`${'é'.repeat(199)}x`, 'é'.repeat(2_000)];
    // A step has 2^24 comparisons: of 4,000 bytes with 264 letters, folding counted as 64, those of 15 texts.
    await addArticles(desk.store, [word, ...Array.from({ length: 70 }, () => nearly), 'é']);
    await index(desk.store);
    const ask = async (query: string) =>
      (await desk.get(`/articles?total=true&${query}&q=${encodeURIComponent(word)}`)).body;
    const [first, total] = [await ask('sort=-created'), await ask('sort=created')];
    assert.deepEqual([first.items, typeof first.next], [[], 'string']);
    assert.deepEqual(
      total.items.map(({ guid }: { guid: string }) => guid),
      ['art-000000'],
    );
    let pages = 1;
    let page = first;
    for (; page.next !== null; pages++) {
      assert.deepEqual(page.items, []);
      page = await ask(`sort=-created&cursor=${page.next}`);
    }
    assert.deepEqual(
      page.items.map(({ guid }: { guid: string }) => guid),
      ['art-000000'],
    );
    assert.equal(pages, 5);
    // A quick machine reads all of them in the time of a search.
    const { body } = await desk.get(`/search?q=${encodeURIComponent(word)}`);
    const found = body.items.map(({ key }: { key: string }) => key);
    assert.deepEqual(found, body.further.includes('articles') ? [] : ['art-000000']);
  });

  it('of long texts that wait for the index a search reads some, and tells no total', async (t) => {
    // No service is there that would index them meanwhile.
    const store = await (await fresh(t)).open();
    // Each costs 66 comparisons a byte: 51 are 2^26.
    const long = 'x'.repeat(20_000);
    await addArticles(store, ['Zeppelin', ...Array.from({ length: 250 }, () => long)]);
    // A page that ends the list would have a total whatever finds it.
    const limits = loadConfig({}, { apiRowsRead: 100, apiFirstRowMs: 0 });
    const principal = { kind: 'admin', name: 'test', role: 'owner', id: '1' } as const;
    const ask = async () => {
      const request = new Request('http://localhost/api/v1/articles?total=true&q=zepp');
      return (await (await apiOf(store, { limits }).fetch(request, { principal })).json()) as Page;
    };
    assert.equal((await ask()).total, null);
    // Of little that waits, all is read.
    await store.write(async (tx) => {
      const many = tx.updateTable('articles').where('guid', '>', 'art-000020');
      await many.set({ caption: 'x' }).execute();
    });
    const holds = async () => {
      const { items, next, total } = await ask();
      assert.deepEqual([items.map(({ guid }) => guid), next, total], [['art-000000'], null, 1]);
    };
    await holds();
    await indexRecords(store);
    await holds();
  });

  it('a search says of what kinds it looked through a part, and finds all once they are indexed', async (t) => {
    const store = await (await fresh(t)).open();
    const rows = Array.from({ length: 3_000 }, (_, at) => ({
      ...{ address: `gone${String(at).padStart(4, '0')}@b.example`, reason: 'bounce' as const },
      ...{ detail: at % 200 === 0 ? 'Zeppelin' : '', created_at: NOW + at },
    }));
    await store.write(async (tx) => {
      await tx.insertInto('mail_suppressions').values(rows).execute();
      // As after an upgrade.
      await noteAllForSearch(tx);
    });
    const principal = { kind: 'admin', name: 'test', role: 'owner', id: '1' } as const;
    const ask = async () => {
      const request = new Request('http://localhost/api/v1/search?q=zepp');
      const answer = await apiOf(store).fetch(request, { principal });
      const { items, further } = (await answer.json()) as Record<'items' | 'further', unknown[]>;
      return [items.length, further] as const;
    };
    const [found, further] = await ask();
    assert.ok(found <= 5, `${found} in 1,000 rows`);
    assert.deepEqual(further, ['suppressions']);
    await index(store);
    assert.deepEqual(await ask(), [15, []]);
  });

  it('what an owner has is counted, however many records of others have the words', async (t) => {
    const desk = await openApiDesk(t, fresh);
    await addArticles(desk.store, Array<string>(1_100).fill('A well-known flat'));
    const own = ['art-000000', 'art-000500', 'art-001099'];
    await desk.store.write(async (tx) => {
      await tx.updateTable('articles').set({ owner: 'ada+1' }).where('guid', 'in', own).execute();
    });
    await index(desk.store);
    const ask = async (query: string) => {
      const { body } = await desk.get(`/articles?total=true&q=${query}`);
      return [body.total, ...body.items.map(({ guid }: { guid: string }) => guid)];
    };
    // Two words without a blank between them are compared with the texts, of so many records not at all.
    assert.equal((await ask('well-known'))[0], null);
    assert.deepEqual(await ask('well-known&createUserId=ada%2B1'), [3, ...own.toReversed()]);
    const [total, ...first] = await ask('flat&limit=2&sort=created&createUserId=ada%2B1');
    assert.deepEqual(first, own.slice(0, 2));
    // Beginnings are counted as far as there is time.
    assert.ok([3, null].includes(total), String(total));
    assert.deepEqual(await ask('flat&createUserId=ada'), [0]);
  });

  it('single letters are counted by the index, which is asked once for a page with its total', async (t) => {
    const store = await (await fresh(t)).open();
    const many = Array<string>(1_100).fill('Ada Bell, Cole Dunn');
    await addArticles(store, [...many, ...Array<string>(30).fill('Zoe Bell')]);
    await indexRecords(store);
    const { store: recording, queries } = recordQueries(store);
    const principal = { kind: 'admin', name: 'test', role: 'owner', id: '1' } as const;
    const ask = async (q: string) => {
      const url = `http://localhost/api/v1/articles?total=true&limit=20&q=${encodeURIComponent(q)}`;
      const answer = await apiOf(recording).fetch(new Request(url), { principal });
      const { items, total } = (await answer.json()) as { items: object[]; total: number };
      return [items.length, total];
    };
    assert.deepEqual(await ask('d c b a'), [20, 1_100]);
    assert.deepEqual(await ask('d c b x'), [0, 0]);
    queries.clear();
    assert.deepEqual(await ask('b z'), [20, 30]);
    const asked = [...queries.values()].filter(({ sql }) =>
      /from record_search\b|join record_search\b/.test(sql),
    );
    // Those of its one slice were found for the page.
    assert.deepEqual(
      asked.filter(({ sql }) => sql.includes('count(*)')),
      [],
    );
    assert.ok(asked.length > 0);
    queries.clear();
    assert.deepEqual(await ask('ad zo'), [0, 0]);
    if (engine === 'postgres') {
      // The index is asked for the rarer beginning, and what it finds is sifted by the other one.
      const [{ sql: text, parameters } = assert.fail()] = [...queries.values()].filter((query) =>
        query.sql.includes('ts_match_vq'),
      );
      const questions = parameters.filter((one) => /#/.test(String(one)) && one !== '#');
      assert.match(text, /terms @@ [\s\S]* and ts_match_vq\(terms, /);
      assert.deepEqual(
        questions.map((one) => [...String(one).matchAll(/#(\w+)/g)].map(([, term]) => term)[0]),
        ['ZO', 'AD'],
      );
      return;
    }
    // The index is asked for the rarer beginning alone, and texts are read for the other one.
    const questions = [...queries.values()].flatMap(({ sql, parameters }) =>
      sql.includes('hit.id') ? parameters.filter((one) => /#\w/.test(String(one))) : [],
    );
    assert.deepEqual([...new Set(questions)], ['("ao#ZO" *)']);
    queries.clear();
    const [shown, total] = await ask('ad co');
    // Beginnings are counted as far as there is time.
    assert.ok(shown === 20 && [1_100, null].includes(total!), String(total));
    // Whether a slice has words with such beginnings is looked up once, before any are gathered.
    const [first] = [...queries.values()].filter(({ sql }) => sql.includes('record_search_terms'));
    const plan = await store.read((db) => explain(db, 'sqlite', first!));
    const scans = plan.flatMap((line) => /^SCAN (record_\w+|json_each)/.exec(line)?.[1] ?? []);
    const terms = 'record_search_terms';
    assert.deepEqual(scans, ['json_each', terms, terms, 'record_search']);
  });

  it('of many words the index is asked for those that the fewest records have', async (t) => {
    const store = await (await fresh(t)).open();
    const many = Array<string>(600).fill('Ada Bell Cole Dunn Elmstreet Fox Goat Hut');
    await addArticles(store, [...many, 'Ada Bell Cole Dunn Elmstreet Fox Goat Hut Zoe']);
    await indexRecords(store);
    const { store: recording, queries } = recordQueries(store);
    const ask = async (q: string) => {
      queries.clear();
      const url = `http://localhost/api/v1/articles?total=true&limit=20&q=${encodeURIComponent(q)}`;
      const answer = await apiOf(recording).fetch(new Request(url), { principal: OWNER });
      const { items, total } = (await answer.json()) as Page;
      return [items.length, total];
    };
    assert.deepEqual(await ask('a b c d elms f g h z'), [1, 1]);
    assert.deepEqual(await ask('a b c d elms f g h y'), [0, 0]);
    // No text was read, as no record has them all.
    const read = [...queries.values()].filter(({ sql }) => sql.includes('told_0'));
    assert.deepEqual(read, []);
    const questions = [...queries.values()].flatMap(({ sql, parameters }) =>
      / as hit/.test(sql) && !/ as at,/.test(sql)
        ? parameters.filter((one) => /#[\w·]/.test(String(one)))
        : [],
    );
    assert.ok(questions.length > 0);
    // What begins as most records do is not gathered.
    for (const one of questions) assert.match(String(one), /^(?!.*ELMS).*·Y/);
  });

  it('what many begin with is looked for in the texts of the few that a filter leaves', async (t) => {
    const store = await (await fresh(t)).open();
    await addArticles(store, Array<string>(2_600).fill('Flat flatly'));
    await addArticles(store, ['Hut'], 'hut', 2_600);
    await store.write(async (tx) => {
      await sql`update articles set held_at = 1 where guid < 'art-000600' or guid = 'hut-000000'`.execute(
        tx,
      );
    });
    await indexRecords(store);
    // As with many more records.
    for (const at of 'abcdefghijklmnop') await openSlice(store, `000${at}`);
    const { store: recording, queries } = recordQueries(store);
    const principal = { kind: 'admin', name: 'test', role: 'owner', id: '1' } as const;
    const url =
      'http://localhost/api/v1/articles?total=true&limit=20&sort=created&state=held&q=flat';
    const answer = await apiOf(recording).fetch(new Request(url), { principal });
    const { items, total } = (await answer.json()) as { items: { guid: string }[]; total: number };
    assert.deepEqual([items.length, items[0]!.guid], [20, 'art-000000']);
    // Texts of so many are read only as far as there is time.
    assert.ok([600, null].includes(total), String(total));
    const asked = [...queries.values()].flatMap(({ parameters }) => parameters.map(String));
    const both = asked.filter((one) => one.includes('FLAT') && one.includes('ae#'));
    assert.equal(both.length === 0, engine === 'sqlite');
  });

  it('a total of what many have is told where the index alone counts it', async (t) => {
    const store = await (await fresh(t)).open();
    await addArticles(store, Array<string>(2_100).fill('Flat'));
    await indexRecords(store);
    const principal = { kind: 'admin', name: 'test', role: 'owner', id: '1' } as const;
    const totalOf = async (query: string) => {
      const url = `http://localhost/api/v1/articles?total=true&q=flat&${query}`;
      const answer = await apiOf(store).fetch(new Request(url), { principal });
      return ((await answer.json()) as Page).total;
    };
    assert.equal(await totalOf(''), 2_100);
    assert.equal(await totalOf('state=published'), 2_100);
    assert.equal(await totalOf('createdFrom=2026-01-01T00:00:00Z'), null);
    assert.equal(await totalOf('state=held&createdFrom=2026-01-01T00:00:00Z'), 0);
  });

  it('words in the mails of a sender are found in the order of the list, without a count of all that have them', async (t) => {
    const store = await (await fresh(t)).open();
    const mails = await addMails(store, 60, (at) => (at % 3 === 0 ? 'Zeppelin' : 'Raft'));
    const { store: recording, queries } = recordQueries(store);
    const seen = await keysOfMails(recording, 'sender=user-0&q=zepp');
    const its = mails.filter((mail, at) => mail.sender === 'user-0' && at % 3 === 0);
    assert.deepEqual(seen, its.map(({ id }) => id).toReversed());
    const asked = [...queries.values()].filter((query) => query.sql.includes('record_search'));
    assert.ok(asked.length > 0);
    // Whether few have one of the terms is counted, to 500.
    const counts = asked.filter((query) => query.sql.includes('count(*)'));
    assert.deepEqual([...new Set(counts.map(({ parameters }) => parameters.at(-1)))], [501]);
  });

  it('words in the mails of a status are looked for by the keys of the outbox alone', async (t) => {
    const store = await (await fresh(t)).open();
    const mails = await addMails(store, 300, (at) => (at % 3 === 0 ? 'Zeppelin' : 'Raft'));
    const { store: recording, queries } = recordQueries(store);
    const its = mails.filter((_, at) => at % 3 === 0).toReversed();
    assert.deepEqual(
      await keysOfMails(recording, 'status=failed&q=zepp'),
      its.map(({ id }) => id),
    );
    // No mail that waits has the word.
    assert.deepEqual(await keysOfMails(recording, 'status=deferred&q=zepp'), []);
    const { body } = await apiOf(store).fetch(
      new Request('http://localhost/api/v1/mails?status=deferred&q=zepp&total=true'),
      { principal: OWNER },
    );
    assert.equal(((await new Response(body).json()) as Page).total, 0);
    const picking = [...queries.values()].filter((query) => query.sql.includes('found_key'));
    assert.ok(picking.length > 0);
    for (const query of picking) {
      assert.match(query.sql, /select outbox\.id as found_key/);
      assert.match(query.sql, /(from|cross join) outbox cross join/);
    }
    // What all have is not counted, and not sorted as a whole.
    const counted = [...queries.values()].filter(({ parameters }) => parameters.at(-1) === 12_001);
    assert.deepEqual(counted, []);
  });
});
