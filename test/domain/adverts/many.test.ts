import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forEachEngine } from '../../kit/database.ts';
import { OperationDesk } from '../../kit/operation-desk.ts';
import { query, titles } from './listing.ts';

/** More than are looked at while other calls wait. */
const MANY = 520;

const titleOf = (number: number) => `招租 ${String((number * 7919) % MANY).padStart(3, '0')}`;

forEachEngine((_, fresh) => {
  it('a publisher of many adverts is listed, sorted and searched as one of few', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open());
    const rows = Array.from({ length: MANY }, (_, number) => ({
      guid: `advert-${number}`,
      owner: 'many',
      created_at: number,
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

    assert.deepEqual(await titles(desk, 'many'), newest.slice(0, 20));
    assert.deepEqual(await titles(desk, 'many', { pageindex: 6, pagesize: 100 }), newest.slice(500));
    assert.deepEqual(await titles(desk, 'many', { orderBy: 'title', sort: 'asc' }), byTitle.slice(0, 20));
    const found = await query(desk, 'many', { query: '厨房' });
    assert.deepEqual([found.total, found.items.length], [6, 6]);
    assert.equal((await query(desk, 'many', { pageindex: 7, pagesize: 100 })).total, MANY);
  });
});
