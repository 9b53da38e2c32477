import { primaryKey, required } from './columns.ts';
import type { Migration } from './migration.ts';

/** Large imports write their rows first and make the indexes then; what is interrupted is made good at the next start. */
export const absentIndexes: Migration = {
  name: '0025_absent_indexes',
  async up(db, { text, finish }) {
    await db.schema
      .createTable('absent_indexes')
      .addColumn('name', text, primaryKey)
      .addColumn('sql', text, required)
      .$call(finish)
      .execute();
  },
};
