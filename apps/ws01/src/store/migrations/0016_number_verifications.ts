import { required } from './columns.ts';
import type { Migration } from './migration.ts';

/** Numbers that back ends verified before there was a user. */
export const numberVerifications: Migration = {
  name: '0016_number_verifications',
  async up(db, { text, instant, finish }) {
    await db.schema
      .createTable('number_verifications')
      .addColumn('token_id', text, required)
      .addColumn('phone', text, required)
      .addColumn('verified_at', instant, required)
      .addPrimaryKeyConstraint('number_verifications_key', ['token_id', 'phone'])
      .$call(finish)
      .execute();
    await db.schema
      .createIndex('number_verifications_by_time')
      .on('number_verifications')
      .column('verified_at')
      .execute();
  },
};
