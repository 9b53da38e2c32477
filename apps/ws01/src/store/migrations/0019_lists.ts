import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import type { Migration } from './migration.ts';

/**
 * Lists of the HTTP API read their pages from an index, in its order: everything, the records of one owner, and those in a
 * state that few are in. What most records have is found without an index of its own. Users can be blocked.
 */
export const lists: Migration = {
  name: '0019_lists',
  async up(db, { instant }) {
    await db.schema.alterTable('users').addColumn('blocked_at', instant).execute();
    for (const [name, { on, columns, where }] of Object.entries(INDEXES)) {
      await createIndex(db, name, on, columns, where);
    }
  },
};

interface Index {
  readonly on: keyof Tables;
  readonly columns: readonly string[];
  readonly where?: string;
}

/** What is done so often that it is soon found without an index, which each write would pay for. */
const MANY = "('article.create', 'article.replace', 'advert.create', 'image.create')";

const INDEXES: Readonly<Record<string, Index>> = {
  articles_by_creation: { on: 'articles', columns: ['created_at', 'guid'] },
  articles_of_owner: { on: 'articles', columns: ['owner', 'created_at', 'guid'] },
  articles_of_category: { on: 'articles', columns: ['category_key', 'created_at', 'guid'] },
  articles_by_status: {
    on: 'articles',
    columns: ['status', 'created_at', 'guid'],
    where: 'status <> 0',
  },
  articles_trashed: {
    on: 'articles',
    columns: ['created_at', 'guid'],
    where: 'deleted_at is not null',
  },
  adverts_by_creation: { on: 'adverts', columns: ['created_at', 'guid'] },
  adverts_of_owner: { on: 'adverts', columns: ['owner', 'created_at', 'guid'] },
  adverts_of_category: { on: 'adverts', columns: ['category_key', 'created_at', 'guid'] },
  images_of_owner: { on: 'images', columns: ['owner', 'id'] },
  images_icons_of_record: {
    on: 'images',
    columns: ['link_guid', 'icon_at', 'guid'],
    where: 'visibility = 0 and is_icon = 1',
  },
  images_of_record: { on: 'images', columns: ['link_guid', 'id'] },
  ...moderated('articles', ['created_at', 'guid']),
  ...moderated('adverts', ['created_at', 'guid']),
  ...moderated('images', ['id']),
  ...moderated('reviews', ['id']),
  reviews_of_subject: { on: 'reviews', columns: ['subject', 'id'] },
  reviews_of_voter: { on: 'reviews', columns: ['voter', 'id'] },
  users_by_creation: { on: 'users', columns: ['created_at', 'id'] },
  users_registered: { on: 'users', columns: ['created_at', 'id'], where: 'registered = 1' },
  users_by_email: {
    on: 'users',
    columns: ['lower(email)', 'created_at', 'id'],
    where: 'email is not null',
  },
  users_by_phone: {
    on: 'users',
    columns: ['cell_phone', 'created_at', 'id'],
    where: 'cell_phone is not null',
  },
  users_blocked: { on: 'users', columns: ['created_at', 'id'], where: 'blocked_at is not null' },
  links_disabled: {
    on: 'links',
    columns: ['created_at', 'code'],
    where: 'disabled_at is not null',
  },
  links_of_user: { on: 'links', columns: ['user_id', 'created_at', 'code'] },
  sms_of_user: { on: 'sms', columns: ['user_id', 'id'] },
  sms_to_phone: { on: 'sms', columns: ['phone', 'id'] },
  mails_to_receiver: { on: 'mails', columns: ['receiver_key', 'id'] },
  audit_of_few: { on: 'audit', columns: ['action', 'id'], where: `action not in ${MANY}` },
  audit_codes: { on: 'audit', columns: ['id'], where: "substr(action, 1, 5) = 'code.'" },
};

function moderated(on: keyof Tables, columns: readonly string[]): Record<string, Index> {
  return {
    [`${on}_held`]: { on, columns, where: 'held_at is not null' },
    [`${on}_removed`]: { on, columns, where: 'removed_at is not null' },
  };
}

async function createIndex(
  db: Kysely<Tables>,
  name: string,
  on: string,
  columns: readonly string[],
  where: string | undefined,
): Promise<void> {
  const condition = where === undefined ? '' : ` where ${where}`;
  await sql.raw(`create index ${name} on ${on} (${columns.join(', ')})${condition}`).execute(db);
}
