import { required } from './columns.ts';
import type { Migration } from './migration.ts';

/** How far a bringing-in of data is, so that it goes on exactly where it was interrupted. */
export const imports: Migration = {
  name: '0023_imports',
  async up(db, { text, int, instant, finish }) {
    await db.schema
      .createTable('imports')
      .addColumn('id', text, required)
      .addColumn('kind', text, required)
      .addColumn('offset_bytes', instant, required)
      .addColumn('line', instant, required)
      .addColumn('added', int, required)
      .addColumn('present', int, required)
      .addColumn('refused', int, required)
      .addColumn('refused_bytes', instant, required)
      .addColumn('updated_at', instant, required)
      .addPrimaryKeyConstraint('imports_key', ['id', 'kind'])
      .$call(finish)
      .execute();
  },
};
