import { sql } from 'kysely';
import { createTextIndex } from '../text-index.ts';
import type { Migration } from './migration.ts';

/**
 * An index of terms for the adverts of publishers with many. It is filled in the background, so it is empty here; an advert
 * that is in it has a `search_id`.
 */
export const advertSearch: Migration = {
  name: '0034_advert_search',
  async up(db, { instant }) {
    await createTextIndex(db, 'advert_search');
    await db.schema.alterTable('adverts').addColumn('search_id', instant).execute();
    await db.schema
      .createIndex('adverts_by_search')
      .on('adverts')
      .columns(['owner', 'search_id'])
      .where(sql<boolean>`held_at is null and removed_at is null`)
      .execute();
    await db.schema
      .createIndex('adverts_by_search_id')
      .on('adverts')
      .column('search_id')
      .unique()
      .where(sql.ref('search_id'), 'is not', null)
      .execute();
  },
};
