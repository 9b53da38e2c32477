import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { dropIndexes, restoreIndexes } from '../../src/store/absent-indexes.ts';
import type { Store } from '../../src/store/store.ts';
import { forBothEngines } from '../kit/database.ts';

/** The indexes of a table, with what makes them. */
async function indexesOf(store: Store, table: string): Promise<unknown[]> {
  const { rows } = await store.read((db) =>
    store.engine === 'sqlite'
      ? sql`select name, sql from sqlite_schema where type = 'index' and tbl_name = ${table} order by name`.execute(
          db,
        )
      : sql`select indexname as name, indexdef as sql from pg_indexes where tablename = ${table} order by 1`.execute(
          db,
        ),
  );
  return rows;
}

forBothEngines((engine, fresh) => {
  it('indexes that were taken away for an import are made by the next start, or by the import', async (t) => {
    const database = await fresh(t);
    const store = await database.open();
    const before = await indexesOf(store, 'articles');
    const nameOf = (index: unknown) => (index as { name: string }).name;
    const needed = before.map(nameOf).find((name) => name.startsWith('articles_by'))!;
    for (const returned of ['by the next start', 'by the import']) {
      const open = returned === 'by the next start' ? store : await database.open();
      await open.write((tx) => dropIndexes(tx, 'articles', [needed]));
      const names = (await indexesOf(open, 'articles')).map(nameOf);
      assert.deepEqual(
        names.filter((name) => !name.startsWith('sqlite_')),
        engine === 'sqlite' ? [needed] : before.map(nameOf),
      );
      if (returned === 'by the import') await open.write(restoreIndexes);
      else await open.close();
      const after = await database.open();
      assert.deepEqual(await indexesOf(after, 'articles'), before, returned);
    }
  });

  it('a table that has rows keeps them', async (t) => {
    const store = await (await fresh(t)).open();
    const before = await indexesOf(store, 'users');
    await store.write(async (tx) => {
      await tx
        .insertInto('users')
        .values({ id: 'a', registered: 0, created_at: 1, updated_at: 1 })
        .execute();
      await dropIndexes(tx, 'users');
    });
    assert.deepEqual(await indexesOf(store, 'users'), before);
  });
});
