import assert from 'node:assert/strict';
import { it } from 'node:test';
import { prepare } from '../../src/store/prepared.ts';
import { forBothEngines } from '../kit/database.ts';
import { articleRow } from './rows.ts';

const insertCategory = prepare((db, row: { key: string }) =>
  db
    .insertInto('categories')
    .values({ key: row.key, created_at: 7 })
    .onConflict((conflict) => conflict.doNothing()),
);

const categoriesFrom = prepare((db, range: { first: string; created: number }) =>
  db
    .selectFrom('categories')
    .select(['key', 'created_at'])
    .where('key', '>=', range.first)
    .where('created_at', '=', range.created)
    .orderBy('key'),
);

const repin = prepare((db, change: { guid: string; until: number | null }) =>
  db.updateTable('articles').set({ pinned_until: change.until }).where('guid', '=', change.guid),
);

forBothEngines((_, fresh) => {
  it('runs with other parameters each time, on every open store', async (t) => {
    const stores = [await (await fresh(t)).open(), await (await fresh(t)).open()];
    for (const store of stores) {
      const changed = await store.write(async (tx) => [
        await insertCategory.run(tx, { key: 'b' }),
        await insertCategory.run(tx, { key: '中' }),
        await insertCategory.run(tx, { key: 'b' }),
      ]);
      assert.deepEqual(changed, [1, 1, 0]);
      const read = <T>(work: Parameters<typeof store.read<T>>[0]) => store.read(work);
      assert.deepEqual(await read((db) => categoriesFrom.all(db, { first: 'c', created: 7 })), [
        { key: '中', created_at: 7 },
      ]);
      assert.deepEqual(await read((db) => categoriesFrom.first(db, { first: '', created: 7 })), {
        key: 'b',
        created_at: 7,
      });
      assert.equal(
        await read((db) => categoriesFrom.first(db, { first: '', created: 8 })),
        undefined,
      );
    }
  });

  it('takes null where the column may be null', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) => tx.insertInto('articles').values(articleRow('a')).execute());
    for (const until of [5, null, 6]) {
      assert.equal(await store.write((tx) => repin.run(tx, { guid: 'a', until })), 1);
      const row = await store.read((db) =>
        db.selectFrom('articles').select('pinned_until').executeTakeFirst(),
      );
      assert.deepEqual(row, { pinned_until: until });
    }
    assert.equal(await store.write((tx) => repin.run(tx, { guid: 'b', until: 1 })), 0);
  });

  it('says so when parameters are spread into a query', async (t) => {
    const store = await (await fresh(t)).open();
    const spread = prepare((db, row: { key: string; created_at: number }) =>
      db.insertInto('categories').values({ ...row }),
    );
    await assert.rejects(
      store.write((tx) => spread.run(tx, { key: 'a', created_at: 1 })),
      /named one by one/,
    );
  });
});
