import { primaryKey, required } from './columns.ts';
import type { Migration } from './migration.ts';

/** Codes that were used up, as long as their caller may not have been told. */
export const usedCodes: Migration = {
  name: '0020_used_codes',
  async up(db, { text, int, bytes, instant, finish }) {
    await db.schema
      .createTable('used_codes')
      .addColumn('id', text, primaryKey)
      .addColumn('user_id', text, required)
      .addColumn('phone', text, required)
      .addColumn('token_id', text)
      .addColumn('key_id', int, required)
      .addColumn('hash', bytes, required)
      .addColumn('attempts', int, required)
      .addColumn('used_at', instant, required)
      .$call(finish)
      .execute();
    await db.schema
      .createIndex('used_codes_by_holder')
      .on('used_codes')
      .columns(['user_id', 'phone'])
      .execute();
    await db.schema.createIndex('used_codes_by_time').on('used_codes').column('used_at').execute();
  },
};
