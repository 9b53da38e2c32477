import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isUniqueViolation } from '../../src/store/errors.ts';
import { forEachEngine } from '../kit/database.ts';

const HOSTILE = `<&>"' 漢字 한국어 😀\n次の行`;

forEachEngine((engine, fresh) => {
  it('keeps rows as they were written', async (t) => {
    const store = await (await fresh(t)).open();
    assert.equal(store.engine, engine);
    const row = { id: HOSTILE, hash: new Uint8Array([0, 1, 255]), label: HOSTILE, kind: 'service' as const };
    const more = { user_id: null, scopes: '', created_at: 1_795_219_200_123, expires_at: null };
    await store.write((tx) =>
      tx
        .insertInto('tokens')
        .values({ ...row, ...more, revoked_at: null, last_used_at: null })
        .execute(),
    );
    const rows = await store.read((db) => db.selectFrom('tokens').selectAll().execute());
    assert.deepEqual(rows, [{ ...row, ...more, revoked_at: null, last_used_at: null }]);
  });

  it('recognises a second row with the same key', async (t) => {
    const store = await (await fresh(t)).open();
    const insert = () => store.write((tx) => tx.insertInto('categories').values({ key: 'a', created_at: 1 }).execute());
    await insert();
    await assert.rejects(insert(), (error) => isUniqueViolation(error));
  });

  it('is ready', async (t) => {
    const store = await (await fresh(t)).open();
    await store.check();
  });
});
