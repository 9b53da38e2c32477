import type { Migration } from './migration.ts';

/** A search for a phone number finds the users who verified it. */
export const verifiedPhones: Migration = {
  name: '0036_verified_phones',
  async up(db) {
    await db.schema
      .createIndex('phone_verifications_by_phone')
      .on('phone_verifications')
      .columns(['phone', 'verified_at', 'user_id'])
      .execute();
  },
};
