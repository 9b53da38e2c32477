import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findPosting, type Posting, recordPosting } from '../../src/domain/counts/posts.ts';
import { POSTING_KINDS } from '../../src/store/tables/tables.ts';
import { NOW, OBSERVED } from '../kit/articles.ts';
import { forEachEngine } from '../kit/database.ts';

const posting: Posting = { kind: 'article', key: '文', userId: 'ada', address: OBSERVED, at: NOW };

forEachEngine((_, fresh) => {
  it('the ledger has one row for a record of each kind', async (t) => {
    const store = await (await fresh(t)).open();
    for (const kind of ['article', 'advert', 'image', 'review'] as const) {
      await store.write((tx) => recordPosting(tx, { ...posting, kind, userId: kind }));
    }
    const rows = await store.read((db) =>
      db.selectFrom('postings').selectAll().orderBy('kind').execute(),
    );
    assert.deepEqual(
      rows.map(({ id: _, ...row }) => row),
      (['article', 'advert', 'image', 'review'] as const).map((kind) => ({
        kind: POSTING_KINDS[kind],
        record_key: '文',
        user_id: kind,
        network: OBSERVED,
        at: NOW,
      })),
    );
  });

  it('the ledger keeps the network of an address, not the IPv6 address itself', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) => recordPosting(tx, { ...posting, address: '2001:db8:1:2:3:4:5:6' }));
    const row = await store.read((db) =>
      db.selectFrom('postings').select('network').executeTakeFirstOrThrow(),
    );
    assert.equal(row.network, '2001:db8:1:2::/64');
  });

  it('a key that is used anew is another creation, and whoever used it last has it', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) => recordPosting(tx, posting));
    await store.write((tx) => recordPosting(tx, { ...posting, userId: undefined, at: NOW + 1 }));
    const rows = await store.read((db) =>
      db.selectFrom('postings').select(['user_id', 'at']).orderBy('id').execute(),
    );
    assert.deepEqual(rows, [
      { user_id: 'ada', at: NOW },
      { user_id: null, at: NOW + 1 },
    ]);
    assert.deepEqual(await store.read((db) => findPosting(db, 'article', posting.key)), {
      userId: null,
    });
  });

  it('the ledger tells whose a record was, and what was never there', async (t) => {
    const store = await (await fresh(t)).open();
    await store.write((tx) => recordPosting(tx, posting));
    const find = (kind: Posting['kind'], key: string) =>
      store.read((db) => findPosting(db, kind, key));
    assert.deepEqual(await find('article', '文'), { userId: 'ada' });
    assert.equal(await find('advert', '文'), undefined);
    assert.equal(await find('article', 'other'), undefined);
  });

  it('a creation that is undone leaves the ledger', async (t) => {
    const store = await (await fresh(t)).open();
    const undone = store.write(async (tx) => {
      await recordPosting(tx, posting);
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    assert.equal(await store.read((db) => findPosting(db, 'article', '文')), undefined);
  });
});
