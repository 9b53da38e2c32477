import assert from 'node:assert/strict';
import { it } from 'node:test';
import { indexAdverts } from '../../../src/domain/adverts/search-index.ts';
import { sortKeyOf } from '../../../src/domain/values/search-text.ts';
import { forBothEngines } from '../../kit/database.ts';
import { OperationDesk } from '../../kit/operation-desk.ts';
import { query, titles } from './listing.ts';

/** Compatibility characters of Unicode's blocks that have those longest in NFKC: Arabic ligatures, squared words. */
const LONG_WHEN_FOLDED = Array.from({ length: 0x100 }, (_, at) =>
  String.fromCodePoint(0x3300 + at, 0xfd00 + at),
).join('');

/** More than are looked at while other calls wait. */
const MANY = 520;

const titleOf = (number: number) => `招租 ${String((number * 7919) % MANY).padStart(3, '0')}`;

forBothEngines((_, fresh) => {
  it('a publisher of many adverts is listed, sorted and searched as one of few', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open());
    const rows = Array.from({ length: MANY }, (_, number) => ({
      guid: `advert-${number}`,
      owner: 'many',
      created_at: number,
      updated_at: number,
      title: titleOf(number),
      title_key: titleOf(number),
      detail: '',
      search_text: `${titleOf(number)}\n${number % 100 === 0 ? '厨房' : ''}`,
      link_txt: '',
      link_url: '',
      is_image: 0 as const,
      ip: '192.0.2.1',
    }));
    await desk.store.write((tx) => tx.insertInto('adverts').values(rows).execute());
    const newest = rows.map(({ title }) => title).reverse();
    const byTitle = newest.toSorted();

    for (const index of ['empty', 'whole', 'partial']) {
      if (index === 'whole') await indexAdverts(desk.store, { many: MANY });
      if (index === 'partial')
        await desk.store.write((tx) =>
          tx
            .updateTable('adverts')
            .set({ search_id: null })
            .where('created_at', '>', 400)
            .execute(),
        );
      await check();
    }
    async function check() {
      assert.deepEqual(await titles(desk, 'many'), newest.slice(0, 20));
      assert.deepEqual(
        await titles(desk, 'many', { pageindex: 6, pagesize: 100 }),
        newest.slice(500),
      );
      assert.deepEqual(
        await titles(desk, 'many', { orderBy: 'title', sort: 'asc' }),
        byTitle.slice(0, 20),
      );
      const lastByTitle = { orderBy: 'title', pagesize: 100, pageindex: 6 };
      assert.deepEqual(await titles(desk, 'many', lastByTitle), byTitle.toReversed().slice(500));
      const found = await query(desk, 'many', { query: '厨房' });
      assert.deepEqual([found.total, found.items.length], [6, 6]);
      // More hits than are read until a page is full, by words of the length of terms and longer ones.
      for (const text of ['招', '招租', '租 招', '招租 0', '招租 50']) {
        const matches = newest.filter((title) =>
          text.split(' ').every((word) => title.includes(word)),
        );
        assert.deepEqual(await titles(desk, 'many', { query: text }), matches.slice(0, 20), text);
        const sorted = { query: text, orderBy: 'title', sort: 'asc', pagesize: 100, pageindex: 2 };
        assert.deepEqual(
          await titles(desk, 'many', sorted),
          matches.toSorted().slice(100, 200),
          text,
        );
        assert.equal(
          (await query(desk, 'many', { query: text, pageindex: 9, pagesize: 100 })).total,
          matches.length,
          text,
        );
      }
      assert.equal((await query(desk, 'many', { pageindex: 7, pagesize: 100 })).total, MANY);
    }
  });

  it('the longest of all titles, publishers, keys and categories is stored and listed by its title', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open());
    // Characters that are sorted as many others, and then again in another order.
    const long = [...LONG_WHEN_FOLDED].filter((char) => Buffer.byteLength(sortKeyOf(char)) >= 9);
    const title = [...long, ...long.toReversed(), ...long].slice(0, 200).join('');
    assert.ok(Buffer.byteLength(sortKeyOf(title)) > 2_000);
    // No two neighbours come twice, so that there is nothing to compress.
    const ideographs = (from: number, step: number) =>
      Array.from({ length: 64 }, (_, at) =>
        String.fromCodePoint(0x20000 + ((from + at * at * step) % 42_000)),
      ).join('');
    const [userId, guid, category] = [
      ideographs(1, 7919),
      ideographs(2, 104_729),
      ideographs(3, 1_299_709),
    ];
    const advert = { CreateUserId: userId, guid, postAtCategoryGuid: category, title };
    await desk.call('addNewAdvert', { ...advert, showDeadLine: '2030-01-31' });
    await desk.call('addNewAdvert', { CreateUserId: userId, title: 'short' });
    assert.deepEqual(await titles(desk, userId, { orderBy: 'title' }), [title, 'short']);
    assert.deepEqual(await titles(desk, userId, { orderBy: 'category' }), [title, 'short']);
  });
});
