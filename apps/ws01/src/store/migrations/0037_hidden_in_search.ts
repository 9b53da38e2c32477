import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** The adverts of a publisher that are in the index of terms and not public, which a count by that index takes off. */
export const hiddenInSearch: Migration = {
  name: '0037_hidden_in_search',
  async up(db) {
    await db.schema
      .createIndex('adverts_hidden_by_search')
      .on('adverts')
      .columns(['owner', 'search_id'])
      .where(
        sql<boolean>`search_id is not null and (held_at is not null or removed_at is not null)`,
      )
      .execute();
  },
};
