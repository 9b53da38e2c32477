import assert from 'node:assert/strict';
import { it } from 'node:test';
import { migrate } from '../../src/store/migrate.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { openUnchanged } from '../../src/store/open.ts';
import { forBothEngines } from '../kit/database.ts';

const review = (id: number, subject: string, positive: 0 | 1 | null, rating: number | null) => ({
  id: `${id}`,
  subject,
  voter: `user:${id}`,
  positive,
  rating,
  remark: null,
  ip: '192.0.2.1',
  claimed_ip: null,
  created_at: 1,
  updated_at: 1,
});

forBothEngines((_engine, _fresh, empty) => {
  it('the reviews that are there are added up when the sums come', async (t) => {
    const store = await openUnchanged(await empty(t));
    t.after(() => store.close());
    await migrate(store, migrations.slice(0, 5));
    const rows = [
      review(1, '漢字', 1, 500),
      review(2, '漢字', 0, null),
      review(3, '漢字', 1, 25),
      review(4, 'unrated', null, null),
    ];
    await store.write((tx) => tx.insertInto('reviews').values(rows).execute());
    await migrate(store, migrations.slice(0, 6));
    assert.deepEqual(
      await store.read((db) =>
        db.selectFrom('review_tallies').selectAll().orderBy('votes').execute(),
      ),
      [
        { subject: 'unrated', votes: 0, positive: 0, marks: 0, ratings: 0 },
        { subject: '漢字', votes: 3, positive: 2, marks: 2, ratings: 525 },
      ],
    );
  });
});
