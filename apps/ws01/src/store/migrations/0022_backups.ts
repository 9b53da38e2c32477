import type { Migration } from './migration.ts';

/** What became of each backup. */
export const backups: Migration = {
  name: '0022_backups',
  async up(db, { text, int, instant, finish }) {
    await db.schema
      .createTable('backups')
      .addColumn('id', text, (column) => column.primaryKey().notNull())
      .addColumn('slot', instant)
      .addColumn('target', text, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('started_at', instant, (column) => column.notNull())
      .addColumn('finished_at', instant)
      .addColumn('verified_at', instant)
      .addColumn('bytes', instant)
      .addColumn('images', int)
      .addColumn('error', text)
      .$call(finish)
      .execute();
    await db.schema.createIndex('backups_by_slot').on('backups').column('slot').unique().execute();
    await db.schema
      .createIndex('backups_by_verified')
      .on('backups')
      .column('verified_at')
      .execute();
  },
};
