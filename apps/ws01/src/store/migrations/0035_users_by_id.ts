import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Lists of users in the order of their ids read each indexed filter from an index in that order too. PostgreSQL has no
 * statistics of `lower(email)`, because the index of it is partial: it expected thousands of users with each address, and
 * searched all users in the order of their ids.
 */
export const usersById: Migration = {
  name: '0035_users_by_id',
  async up(db) {
    for (const [name, indexed] of Object.entries(INDEXES))
      await sql.raw(`create index ${name} on users ${indexed}`).execute(db);
  },
};

const INDEXES = {
  users_by_email_and_id: '(lower(email), id) where email is not null',
  users_by_phone_and_id: '(cell_phone, id) where cell_phone is not null',
  users_blocked_by_id: '(id) where blocked_at is not null',
  users_registered_by_id: '(id) where registered = 1',
};
