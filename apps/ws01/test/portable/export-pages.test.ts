import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readRows } from '../../src/domain/portable/export.ts';
import { KINDS } from '../../src/domain/portable/kinds.ts';
import { forEachEngine } from '../kit/database.ts';
import { articleRow } from '../store/rows.ts';

const MIB = 1024 * 1024;

forEachEngine((_engine, fresh) => {
  it('an export reads pages of 8 MiB of long texts at most, or of one row', async (t) => {
    const store = await (await fresh(t)).open();
    const sizes = [3 * MIB, 5 * MIB, 1, 9 * MIB, 8 * MIB, 0];
    await store.write(async (tx) => {
      for (const [index, size] of sizes.entries()) {
        const row = { ...articleRow(`a-${index}`), content: 'x'.repeat(size) };
        await tx.insertInto('articles').values(row).execute();
      }
    });
    const articles = KINDS.find(({ table }) => table === 'articles')!;
    const pages: unknown[][] = [];
    await store.read(async (db) => {
      for await (const rows of readRows(db, articles)) pages.push(rows.map(({ guid }) => guid));
    });
    assert.deepEqual(pages, [['a-0', 'a-1'], ['a-2'], ['a-3'], ['a-4', 'a-5']]);
  });
});
