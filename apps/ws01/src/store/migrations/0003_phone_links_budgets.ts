import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { type Columns, primaryKey, required } from './columns.ts';
import type { Migration } from './migration.ts';

/** Verification codes of phone numbers, short links with their visits, budgets. */
export const phoneLinksBudgets: Migration = {
  name: '0003_phone_links_budgets',
  async up(db, columns) {
    await createPhoneCodes(db, columns);
    await createLinks(db, columns);
    await createBudgets(db, columns);
  },
};

async function createPhoneCodes(
  db: Kysely<Tables>,
  { text, int, instant, bytes, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('code_keys')
    .addColumn('id', int, primaryKey)
    .addColumn('secret', bytes, required)
    .$call(finish)
    .execute();
  await db.schema
    .createTable('phone_codes')
    .addColumn('user_id', text, required)
    .addColumn('phone', text, required)
    .addColumn('id', text, required)
    .addColumn('key_id', int, required)
    .addColumn('hash', bytes, required)
    .addColumn('attempts', int, required)
    .addColumn('expires_at', instant, required)
    .addPrimaryKeyConstraint('phone_codes_key', ['user_id', 'phone'])
    .$call(finish)
    .execute();
  await db.schema
    .createIndex('phone_codes_by_expiry')
    .on('phone_codes')
    .column('expires_at')
    .execute();
  await db.schema
    .createTable('phone_verifications')
    .addColumn('user_id', text, required)
    .addColumn('phone', text, required)
    .addColumn('verified_at', instant, required)
    .addPrimaryKeyConstraint('phone_verifications_key', ['user_id', 'phone'])
    .$call(finish)
    .execute();
}

async function createLinks(
  db: Kysely<Tables>,
  { text, int, instant, bytes, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('links')
    .addColumn('code', text, primaryKey)
    .addColumn('target', text, required)
    .addColumn('user_id', text)
    .addColumn('user_email', text)
    .addColumn('deadline', instant)
    .addColumn('request_hash', bytes, required)
    .addColumn('created_at', instant, required)
    .addColumn('disabled_at', instant)
    .$call(finish)
    .execute();
  await db.schema
    .createIndex('links_live_once')
    .unique()
    .on('links')
    .column('request_hash')
    .where(sql.ref('disabled_at'), 'is', null)
    .execute();
  await db.schema.createIndex('links_by_age').on('links').columns(['created_at', 'code']).execute();
  await db.schema
    .createTable('link_visits')
    .addColumn('code', text, required)
    .addColumn('day', text, required)
    .addColumn('visits', int, required)
    .addColumn('bots', int, required)
    .addColumn('heads', int, required)
    .addPrimaryKeyConstraint('link_visits_key', ['code', 'day'])
    .$call(finish)
    .execute();
}

async function createBudgets(
  db: Kysely<Tables>,
  { text, int, instant, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('budgets')
    .addColumn('name', text, required)
    .addColumn('key', text, required)
    .addColumn('used', int, required)
    .addColumn('resets_at', instant, required)
    .addPrimaryKeyConstraint('budgets_key', ['name', 'key'])
    .$call(finish)
    .execute();
  await db.schema.createIndex('budgets_by_reset').on('budgets').column('resets_at').execute();
}
