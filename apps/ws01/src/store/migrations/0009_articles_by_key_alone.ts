import type { Migration } from './migration.ts';

/**
 * Articles are found by their key alone, and are counted by the ledger. An index by owner made each insert change a page
 * of its own, since neighbours in time are seldom neighbours there.
 */
export const articlesByKeyAlone: Migration = {
  name: '0009_articles_by_key_alone',
  async up(db) {
    await db.schema.dropIndex('articles_by_owner').execute();
    await db.schema.dropIndex('articles_by_category').execute();
  },
};
