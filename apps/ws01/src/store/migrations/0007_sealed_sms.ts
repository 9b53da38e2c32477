import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Finds the text messages whose codes are to be forgotten, twice a minute, among all that were ever sent. */
export const sealedSms: Migration = {
  name: '0007_sealed_sms',
  async up(db) {
    await db.schema
      .createIndex('sms_sealed')
      .on('sms')
      .column('expires_at')
      .where(sql.ref('sealed'), 'is not', null)
      .execute();
  },
};
