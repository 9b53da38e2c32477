import type { Migration } from './migration.ts';

/**
 * What decides whether the absence of a record can be believed: which files belong to the database, why they are not
 * swept, and which commits it has lost.
 */
export const filesOfDatabase: Migration = {
  name: '0038_files_of_database',
  async up(db, { int, text, instant }) {
    await db.schema.alterTable('service_time').addColumn('files_id', text).execute();
    await db.schema.alterTable('service_time').addColumn('sweep_held_for', text).execute();
    await db.schema.alterTable('service_time').addColumn('sweep_held_since', instant).execute();
    await db.schema.alterTable('service_time').addColumn('lost_commits', int).execute();
    await db.schema.alterTable('service_time').addColumn('lost_since', instant).execute();
    await db.schema.alterTable('service_time').addColumn('lost_mark', int).execute();
  },
};
