import { required } from './columns.ts';
import type { Migration } from './migration.ts';

/** Where visits of short links came from, in numbers by day. */
export const linkVisitSources: Migration = {
  name: '0032_link_visit_sources',
  async up(db, { text, int, finish }) {
    await db.schema
      .createTable('link_visit_sources')
      .addColumn('code', text, required)
      .addColumn('day', text, required)
      .addColumn('kind', text, required)
      .addColumn('name', text, required)
      .addColumn('visits', int, required)
      .addPrimaryKeyConstraint('link_visit_sources_key', ['code', 'day', 'kind', 'name'])
      .$call(finish)
      .execute();
  },
};
