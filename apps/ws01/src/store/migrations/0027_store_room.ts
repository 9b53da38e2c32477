import { PostgresAdapter } from 'kysely';
import { required } from './columns.ts';
import type { Migration } from './migration.ts';

/** A table that the readiness check of PostgreSQL lets grow, and undoes that: always empty. SQLite's check needs none. */
export const storeRoom: Migration = {
  name: '0027_store_room',
  async up(db, { text, finish }) {
    if (!(db.getExecutor().adapter instanceof PostgresAdapter)) return;
    await db.schema
      .createTable('store_room')
      .addColumn('filler', text, required)
      .$call(finish)
      .execute();
  },
};
