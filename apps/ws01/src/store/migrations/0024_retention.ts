import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Finds what has been kept long enough, without looking at all the rest. */
export const retention: Migration = {
  name: '0024_retention',
  async up(db) {
    await db.schema
      .createIndex('article_revisions_by_time')
      .on('article_revisions')
      .column('recorded_at')
      .execute();
    await db.schema
      .createIndex('phone_verifications_by_time')
      .on('phone_verifications')
      .column('verified_at')
      .execute();
    await db.schema
      .createIndex('images_removed_by_time')
      .on('images')
      .column('removed_at')
      .where(sql<boolean>`removed_at is not null`)
      .execute();
    // Days that are not summed up into their month yet.
    await sql`create index link_visits_by_day on link_visits (day) where substr(day, 9, 2) <> '01'`.execute(
      db,
    );
  },
};
