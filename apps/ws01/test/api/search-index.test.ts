import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { someOf } from '../../../../packages/asmx/test/kit/lane.ts';
import { Random, runs } from '../../../../packages/asmx/test/kit/random.ts';
import { indexRecords } from '../../src/domain/search/indexing.ts';
import { SEARCHED_RECORDS, searchedText } from '../../src/domain/search/searched.ts';
import { soughtWords } from '../../src/domain/values/record-terms.ts';
import { countChanges, noteAllForSearch } from '../../src/store/record-index.ts';
import type { ArticlesTable } from '../../src/store/tables/tables.ts';
import { askAsOwner, openApiDesk } from '../kit/api.ts';
import { Clock } from '../kit/clock.ts';
import { forBothEngines } from '../kit/database.ts';
import { keysOfPages } from '../kit/pages.ts';
import { addArticles, countIn, index, NOW, openSlice } from '../kit/search-index.ts';

const TEXT_OF_ARTICLES = searchedText(
  Object.values(SEARCHED_RECORDS.find(({ table }) => table === 'articles')!.columns).flat(),
);

/** More than a step reads, a page looks through, and the texts of which are counted. */
const COUNT = 1_200;

forBothEngines((_engine, fresh) => {
  it('the oldest record is on the first page, with its total, before and after it is indexed', async (t) => {
    // So little is looked through for a page that none finds it that way.
    const desk = await openApiDesk(t, fresh, {
      fixed: { apiRowsRead: 100, apiReadMs: 1 },
    });
    const captions = Array.from({ length: COUNT }, (_, at) => `Flat ${at}, Nähe 公园`);
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
      assert.deepEqual(await ask(`${COUNT - 1}`), [[`art-00${COUNT}`], true, 1]);
      assert.deepEqual((await ask('nahe'))[2], COUNT);
      assert.deepEqual((await ask('园'))[2], COUNT);
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
    assert.ok((await desk.store.read(countChanges)) > COUNT);
    await index(desk.store);
    await holds();
    // Pages go on where the one before ended, whatever finds them.
    const seen: string[] = [];
    for (let next = ''; next !== null; ) {
      const { body } = await desk.get(`/articles?q=flat&limit=50&${next && `cursor=${next}`}`);
      seen.push(...body.items.map(({ guid }: { guid: string }) => guid));
      next = body.next;
    }
    assert.equal(new Set(seen).size, COUNT);
    assert.deepEqual(seen, seen.toSorted().reverse());
    // And with other conditions.
    assert.deepEqual((await desk.get('/articles?total=true&q=flat&state=held')).body, {
      items: [],
      next: null,
      total: 0,
    });
  });

  it('of two filters, or one in an order by another value, the index says at once what no row meets', async (t) => {
    // So little is looked through for a page that it would be empty and not the last.
    const desk = await openApiDesk(t, fresh, { fixed: { apiRowsRead: 100, apiReadMs: 1 } });
    await addArticles(desk.store, Array<string>(COUNT).fill('Flat'));
    const owned = sql`substr(guid, length(guid), 1)`;
    await desk.store.write((tx) =>
      tx
        .updateTable('articles')
        .set({ owner: sql`'o-' || ${owned}`, category_key: sql`'c-' || ${owned}` })
        .execute(),
    );
    await desk.store.write((tx) =>
      tx
        .updateTable('articles')
        .set({ category_key: 'c-1' })
        .where('guid', '=', 'art-000002')
        .execute(),
    );
    await index(desk.store);
    const none = { items: [], next: null, total: 0 };
    const filters = 'createUserId=o-1&categoryGuid=c-2&total=true';
    assert.deepEqual((await desk.get(`/articles?${filters}`)).body, none);
    assert.deepEqual((await desk.get(`/articles?${filters}&sort=categoryGuid`)).body, none);
    const other = '/articles?categoryGuid=c-1&createUserId=o-2&total=true';
    for (const sort of ['-created', 'created']) {
      const { items, next, total } = (await desk.get(`${other}&sort=${sort}`)).body;
      const keys = items.map(({ guid }: { guid: string }) => guid);
      assert.deepEqual([keys, next, total], [['art-000002'], null, 1]);
    }
    // A tenth of all, by category: the oldest is the only one of its own.
    const sorted = '/articles?createUserId=o-2&sort=categoryGuid&limit=1';
    const [first] = (await desk.get(sorted)).body.items;
    assert.equal(first?.guid, 'art-000002');
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
    // A slice ends there.
    const middle = NOW + 139_000;
    const [from, to] = ['createdFrom', 'createdTo'].map(
      (name) => `&${name}=${new Date(middle).toISOString()}`,
    );
    const times = [
      ['', () => true],
      [from, (at: number) => at >= middle],
      [to, (at: number) => at < middle],
    ] as const;
    // Of the words an odd number, so that half of the cases have each order with each time.
    const cases = ['created', '-created'].flatMap((sort) =>
      times.flatMap((time) => ['often', 'rare late', 'r'].map((word) => ({ word, sort, time }))),
    );
    for (const { word, sort, time } of someOf(cases, 2)) {
      const [bound, isWithin] = time;
      const query = `q=${word}&sort=${sort}&limit=1${bound}`;
      const seen = await keysOfPages(store, 'articles', query);
      const has = (caption: string) =>
        word.split(' ').every((one) => caption.split(' ').some((its) => its.startsWith(one)));
      const all = rows
        .filter(({ caption, created_at: at }) => has(caption) && isWithin(Number(at)))
        .map(({ guid }) => guid);
      assert.deepEqual(seen, sort === 'created' ? all : all.toReversed(), query);
    }
  });

  it('no page is empty that is not the last, where slices overlap and much is found', async (t) => {
    const store = await (await fresh(t)).open();
    // Each slice reaches from the oldest to the newest, and the newest of each has not the word.
    for (const at of [1, 2, 3, 4, 5]) {
      await openSlice(store, `00${at}`);
      await addArticles(store, Array<string>(50).fill('often'), `00${at}w`, at * 60);
      await addArticles(store, ['none', 'none', 'none'], `00${at}n`, 1_000 + at * 10);
      await indexRecords(store);
    }
    // No time passes: what a page looks through is bounded by rows alone.
    const clock = new Clock(t);
    clock.stop();
    const pages: number[] = [];
    const keys = await keysOfPages(store, 'articles', 'q=often&limit=1', undefined, (page) =>
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
      const isByWords = random.below(4) > 0;
      const owner = random.below(2) === 0 ? random.of(owners) : undefined;
      const state = random.below(2) === 0 ? random.of(states) : undefined;
      const all = rows.filter(
        (row) =>
          (!isByWords || sought.isIn(row.text)) &&
          (owner === undefined || row.owner === owner) &&
          (state === undefined || isIn(row, state)),
      );
      const query = new URLSearchParams({ limit: '20', total: 'true' });
      if (isByWords) query.set('q', asked);
      if (random.below(3) === 0)
        query.set('sort', random.of(['created', 'createUserId', '-createUserId', 'categoryGuid']));
      if (owner !== undefined) query.set('createUserId', owner);
      if (state !== undefined) query.set('state', state);
      const seen = await keysOfPages(store, 'articles', `${query}`, all.length);
      assert.deepEqual(seen.toSorted(), all.map(({ guid }) => guid).toSorted(), `${query}`);
    }
  });

  it('texts that an index cannot tell from what is looked for are read bit by bit', async (t) => {
    const desk = await openApiDesk(t, fresh, { fixed: { apiReadMs: 0 } });
    const [word, nearly] = [`${'é'.repeat(199)}x`, 'é'.repeat(2_000)];
    // A step has 2^24 comparisons: of 4,000 bytes with 264 letters, folding counted as 64, those of 15 texts.
    await addArticles(desk.store, [word, ...Array<string>(35).fill(nearly), 'é']);
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
    assert.equal(pages, 3);
    // A quick machine reads all of them in the time of a search.
    const { body } = await desk.get(`/search?q=${encodeURIComponent(word)}`);
    const found = body.items.map(({ key }: { key: string }) => key);
    assert.deepEqual(found, body.further.includes('articles') ? [] : ['art-000000']);
  });

  it('a search says of what kinds it looked through a part, and finds all once they are indexed', async (t) => {
    const store = await (await fresh(t)).open();
    const rows = Array.from({ length: COUNT }, (_, at) => ({
      ...{ address: `gone${String(at).padStart(4, '0')}@b.example`, reason: 'bounce' as const },
      ...{ detail: at % 200 === 0 ? 'Zeppelin' : '', created_at: NOW + at },
    }));
    await store.write(async (tx) => {
      await tx.insertInto('mail_suppressions').values(rows).execute();
      // As after an upgrade: one note stands for the table.
      await tx.deleteFrom('search_changes').execute();
      await noteAllForSearch(tx);
    });
    const ask = async () => {
      const { items, further } = await askAsOwner<Record<'items' | 'further', unknown[]>>(
        store,
        '/search?q=zepp',
      );
      return [items.length, further] as const;
    };
    const [found, further] = await ask();
    assert.ok(found <= 2, `${found} in 250 rows`);
    assert.deepEqual(further, ['suppressions']);
    await index(store);
    assert.deepEqual(await ask(), [6, []]);
  });
});
