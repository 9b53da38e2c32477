import type { Migration } from './migration.ts';

/** When the person of a session last showed again who they are. */
export const confirmedSessions: Migration = {
  name: '0039_confirmed_sessions',
  async up(db, { instant }) {
    await db.schema.alterTable('admin_sessions').addColumn('confirmed_at', instant).execute();
  },
};
