import { primaryKey, required } from './columns.ts';
import type { Migration } from './migration.ts';

/** Users whose data must be kept, since a court, an authority or a dispute wants it. */
export const legalHolds: Migration = {
  name: '0028_legal_holds',
  async up(db, { text, instant, finish }) {
    await db.schema
      .createTable('legal_holds')
      .addColumn('user_id', text, primaryKey)
      .addColumn('reason', text, required)
      .addColumn('set_by', text, required)
      .addColumn('set_at', instant, required)
      .addColumn('until', instant)
      .$call(finish)
      .execute();
  },
};
