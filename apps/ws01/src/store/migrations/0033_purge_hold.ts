import type { Migration } from './migration.ts';

/** Up to when purges have gone by the clock, and since when they do not, because it is not believed. */
export const purgeHold: Migration = {
  name: '0033_purge_hold',
  async up(db, { instant }) {
    await db.schema.alterTable('service_time').addColumn('purge_at', instant).execute();
    await db.schema.alterTable('service_time').addColumn('purge_held_since', instant).execute();
  },
};
