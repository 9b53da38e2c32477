import assert from 'node:assert/strict';
import { it } from 'node:test';
import { countWithTerms, indexTerms, removeTerms } from '../../src/store/text-index.ts';
import { forBothEngines } from '../kit/database.ts';

forBothEngines((_, fresh) => {
  it('rows are indexed and removed one write after another, whatever numbers the index counts its own rows by', async (t) => {
    const store = await (await fresh(t)).open();
    const count = () => store.read((db) => countWithTerms(db, 'image_search', ['an']));
    for (let row = 1; row <= 40; row++) {
      await store.write(async (tx) => indexTerms(tx, 'image_search', row, ['an', String(row)]));
    }
    assert.equal(await count(), 40);
    for (let row = 1; row <= 40; row++)
      await store.write(async (tx) => removeTerms(tx, 'image_search', row));
    assert.equal(await count(), 0);
  });
});
