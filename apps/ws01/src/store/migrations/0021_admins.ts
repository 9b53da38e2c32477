import { primaryKey, required } from './columns.ts';
import type { Migration } from './migration.ts';

/** Who may use the console, and how they sign in. */
export const admins: Migration = {
  name: '0021_admins',
  async up(db, { text, instant, bytes, finish }) {
    await db.schema
      .createTable('admins')
      .addColumn('id', text, primaryKey)
      .addColumn('name', text, required)
      .addColumn('name_key', text, (column) => column.notNull().unique())
      .addColumn('role', text, required)
      .addColumn('password', text)
      .addColumn('created_at', instant, required)
      .addColumn('signed_in_at', instant)
      .$call(finish)
      .execute();
    await db.schema
      .createTable('admin_links')
      .addColumn('admin_id', text, primaryKey)
      .addColumn('hash', bytes, (column) => column.notNull().unique())
      .addColumn('created_at', instant, required)
      .addColumn('expires_at', instant, required)
      .$call(finish)
      .execute();
    await db.schema
      .createTable('admin_sessions')
      .addColumn('hash', bytes, primaryKey)
      .addColumn('admin_id', text, required)
      .addColumn('created_at', instant, required)
      .addColumn('seen_at', instant, required)
      .addColumn('address', text, required)
      .addColumn('agent', text, required)
      .$call(finish)
      .execute();
    await db.schema
      .createIndex('admin_sessions_by_admin')
      .on('admin_sessions')
      .columns(['admin_id'])
      .execute();
    await db.schema
      .createTable('admin_passkeys')
      .addColumn('id', text, primaryKey)
      .addColumn('admin_id', text, required)
      .addColumn('public_key', bytes, required)
      .addColumn('counter', instant, required)
      .addColumn('transports', text, required)
      .addColumn('created_at', instant, required)
      .addColumn('used_at', instant)
      .$call(finish)
      .execute();
    await db.schema
      .createIndex('admin_passkeys_by_admin')
      .on('admin_passkeys')
      .columns(['admin_id'])
      .execute();
    await db.schema
      .createTable('admin_challenges')
      .addColumn('challenge', text, primaryKey)
      .addColumn('expires_at', instant, required)
      .$call(finish)
      .execute();
  },
};
