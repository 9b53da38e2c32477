import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sql } from 'kysely';
import { migrate } from '../../src/store/migrate.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { openPostgres } from '../../src/store/postgres/open.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { forBothEngines } from '../kit/database.ts';

/** Rows as versions before the flags of moderators wrote them. */
const EARLIER = [
  `insert into articles (guid, caption, content, contact_phone, status, from_url, created_at, updated_at, deleted_at, revision)
    values ('public', 'p', '', '', 0, '', 1, 1, null, 1), ('draft', 'd', '', '', 1, '', 1, 1, null, 1),
      ('trashed', 't', '', '', 0, '', 1, 1, 2, 1)`,
  `insert into adverts (guid, owner, created_at, title, title_key, link_txt, link_url, is_image, ip, detail, search_text)
    values ('advert', 'ada', 7, 't', 't', '', '', 0, '192.0.2.1', '', 't')`,
  `insert into image_files (hash, stored_as, format, width, height, frames, bytes, stored_at)
    values ('h', 's', 'png', 1, 1, 1, 1, 1)`,
  `insert into images (id, guid, hash, bytes, link_guid, category, category_order, is_icon, created_at, updated_at, search_text)
    values (1, 'a', 'h', 1, 'public', '', '', 1, 1, 5, 'a'), (2, 'b', 'h', 1, 'draft', '', '', 1, 1, 1, 'b'),
      (3, 'c', 'h', 1, 'trashed', '', '', 0, 1, 1, 'c'), (4, 'd', 'h', 1, 'unknown', '', '', 0, 1, 1, 'd')`,
  'insert into image_totals (shard, images, icons) values (1, 4, 2)',
  `insert into postings (kind, record_key, user_id, network, at) values (1, 'public', 'ada', '192.0.2.1', 1)`,
  `insert into reviews (id, subject, voter, rating, ip, created_at, updated_at)
    values ('r', 's', 'user:ada', 500, '192.0.2.1', 1, 1)`,
];

forBothEngines((engine, _fresh, empty) => {
  it('rows of earlier versions are carried over: who sees images, icons, totals, creations, reviews', async (t) => {
    const { dataDir, databaseUrl } = await empty(t);
    const store =
      engine === 'sqlite'
        ? await openSqlite({ databaseUrl, dataDir })
        : await openPostgres({ databaseUrl: databaseUrl!, dataDir });
    try {
      const before = migrations.findIndex(({ name }) => name === '0013_moderation');
      await migrate(store, migrations.slice(0, before));
      await store.write(async (tx) => {
        for (const statement of EARLIER) await sql`${sql.raw(statement)}`.execute(tx);
      });
      await migrate(store);
      const images = await store.read((db) =>
        db
          .selectFrom('images')
          .select(['guid', 'visibility', 'icon_at', 'held_at'])
          .orderBy('guid')
          .execute(),
      );
      assert.deepEqual(images, [
        { guid: 'a', visibility: 0, icon_at: 5, held_at: null },
        { guid: 'b', visibility: 1, icon_at: 1, held_at: null },
        { guid: 'c', visibility: 1, icon_at: null, held_at: null },
        { guid: 'd', visibility: 0, icon_at: null, held_at: null },
      ]);
      const totals = await store.read((db) =>
        db.selectFrom('image_totals').select(['images', 'icons']).execute(),
      );
      const sum = (column: 'images' | 'icons') =>
        totals.reduce((all, row) => all + Number(row[column]), 0);
      assert.deepEqual([sum('images'), sum('icons')], [2, 1]);
      const advert = await store.read((db) =>
        db.selectFrom('adverts').select('updated_at').executeTakeFirstOrThrow(),
      );
      assert.equal(advert.updated_at, 7);
      await store.write(async (tx) => {
        const posting = {
          kind: 1,
          record_key: 'public',
          user_id: 'bob',
          network: '192.0.2.1',
          at: 2,
        } as const;
        await tx.insertInto('postings').values(posting).execute();
        await tx.updateTable('reviews').set({ rating: 1_000 }).execute();
      });
      const owners = await store.read((db) =>
        db.selectFrom('postings').select('user_id').orderBy('id').execute(),
      );
      assert.deepEqual(
        owners.map(({ user_id }) => user_id),
        ['ada', 'bob'],
      );
    } finally {
      await store.close();
    }
  });
});
