import type { Migration } from './migration.ts';

/** What an operator has switched off, on all nodes at once. */
export const switches: Migration = {
  name: '0017_switches',
  async up(db, { text, instant, finish }) {
    await db.schema
      .createTable('switches')
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('off_since', instant, (column) => column.notNull())
      .addPrimaryKeyConstraint('switches_key', ['name'])
      .$call(finish)
      .execute();
  },
};
