import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { loadConfig } from '../../src/config/config.ts';
import { indexRecords } from '../../src/domain/search/indexing.ts';
import { askAsOwner, openApiDesk } from '../kit/api.ts';
import { Clock } from '../kit/clock.ts';
import { forBothEngines } from '../kit/database.ts';
import type { Page } from '../kit/pages.ts';
import { explain, recordQueries } from '../kit/recorded-queries.ts';
import { addArticles, index, openSlice } from '../kit/search-index.ts';

forBothEngines((engine, fresh) => {
  it('of long texts that wait for the index a search reads some, and tells no total', async (t) => {
    // No service is there that would index them meanwhile.
    const store = await (await fresh(t)).open();
    // Each costs 66 comparisons a byte: 51 are 2^26.
    const long = 'x'.repeat(20_000);
    await addArticles(store, ['Zeppelin', ...Array.from({ length: 250 }, () => long)]);
    // A page that ends the list would have a total whatever finds it.
    const limits = loadConfig({}, { apiRowsRead: 100 });
    const ask = () => askAsOwner<Page>(store, '/articles?total=true&q=zepp', { limits });
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
    const ask = async (q: string) => {
      const path = `/articles?total=true&limit=20&q=${encodeURIComponent(q)}`;
      const { items, total } = await askAsOwner<Page>(recording, path);
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
      const path = `/articles?total=true&limit=20&q=${encodeURIComponent(q)}`;
      const { items, total } = await askAsOwner<Page>(recording, path);
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
    const { items, total } = await askAsOwner<Page>(
      recording,
      '/articles?total=true&limit=20&sort=created&state=held&q=flat',
    );
    assert.deepEqual([items.length, items[0]!.guid], [20, 'art-000000']);
    // Texts of so many are read only as far as there is time.
    assert.ok([600, null].includes(total!), String(total));
    const asked = [...queries.values()].flatMap(({ parameters }) => parameters.map(String));
    const both = asked.filter((one) => one.includes('FLAT') && one.includes('ae#'));
    assert.equal(both.length === 0, engine === 'sqlite');
  });

  it('a total of what many have is told where the index alone counts it', async (t) => {
    const store = await (await fresh(t)).open();
    const captions = Array.from({ length: 2_130 }, (_, at) =>
      at % 71 === 0 ? 'Flat, attic-room' : 'Flat, low-rise',
    );
    await addArticles(store, captions);
    await indexRecords(store);
    const totalOf = async (query: string) => {
      const path = `/articles?total=true&limit=20&q=${query}`;
      const { total, atLeast } = await askAsOwner<Page>(store, path);
      return [total, atLeast];
    };
    // No time passes: what is counted is bounded by rows alone.
    const clock = new Clock(t);
    clock.stop();
    assert.deepEqual(await totalOf('flat'), [2_130, undefined]);
    const since = '&createdFrom=2026-01-01T00:00:00Z';
    assert.deepEqual(await totalOf(`flat${since}`), [null, 20]);
    assert.deepEqual(await totalOf(`attic${since}`), [30, undefined]);
    assert.deepEqual(await totalOf(`flat&state=held${since}`), [0, undefined]);
    // Of two words in one, texts are read.
    assert.deepEqual(await totalOf('attic-room'), [30, undefined]);
    assert.deepEqual(await totalOf('low-rise'), [null, 20]);
    clock.goOn();
  });
});
