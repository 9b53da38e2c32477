import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { type Columns, primaryKey, required } from './columns.ts';
import type { Migration } from './migration.ts';

/** Users and their credentials, articles with their revisions, the ledger of postings, the audit trail. */
export const articles: Migration = {
  name: '0001_articles',
  async up(db, columns) {
    await createUsers(db, columns);
    await createTokens(db, columns);
    await createArticles(db, columns);
    await createPostings(db, columns);
    await createAudit(db, columns);
    await createProbe(db, columns);
  },
};

async function createUsers(
  db: Kysely<Tables>,
  { text, flag, instant, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', text, primaryKey)
    .addColumn('registered', flag, (column) => column.notNull().check(sql`registered in (0, 1)`))
    .addColumn('name', text)
    .addColumn('email', text)
    .addColumn('first_name', text)
    .addColumn('last_name', text)
    .addColumn('zip_code', text)
    .addColumn('state', text)
    .addColumn('city', text)
    .addColumn('address', text)
    .addColumn('address2', text)
    .addColumn('cell_phone', text)
    .addColumn('cell_phone_verified_at', instant)
    .addColumn('created_at', instant, required)
    .addColumn('updated_at', instant, required)
    .$call(finish)
    .execute();
}

async function createTokens(
  db: Kysely<Tables>,
  { text, instant, bytes, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('tokens')
    .addColumn('id', text, primaryKey)
    .addColumn('hash', bytes, (column) => column.notNull().unique())
    .addColumn('label', text, required)
    .addColumn('kind', text, (column) =>
      column.notNull().check(sql`kind in ('service', 'user', 'admin')`),
    )
    .addColumn('user_id', text)
    .addColumn('scopes', text, required)
    .addColumn('created_at', instant, required)
    .addColumn('expires_at', instant)
    .addColumn('revoked_at', instant)
    .addColumn('last_used_at', instant)
    .$call(finish)
    .execute();
}

async function createArticles(db: Kysely<Tables>, columns: Columns): Promise<void> {
  const { text, int, instant, finish } = columns;
  await db.schema
    .createTable('categories')
    .addColumn('key', text, primaryKey)
    .addColumn('created_at', instant, required)
    .$call(finish)
    .execute();
  await db.schema
    .createTable('articles')
    .addColumn('guid', text, primaryKey)
    .addColumn('owner', text)
    .$call((table) => addContent(table, columns))
    .$call((table) => addWriter(table, columns))
    .addColumn('created_at', instant, required)
    .addColumn('updated_at', instant, required)
    .addColumn('deleted_at', instant)
    .addColumn('revision', int, required)
    .$call(finish)
    .execute();
  await db.schema
    .createIndex('articles_by_owner')
    .on('articles')
    .columns(['owner', 'created_at'])
    .execute();
  await db.schema
    .createIndex('articles_by_category')
    .on('articles')
    .columns(['category_key', 'created_at'])
    .execute();
  await db.schema
    .createIndex('articles_in_trash')
    .on('articles')
    .column('deleted_at')
    .where(sql.ref('deleted_at'), 'is not', null)
    .execute();
  await db.schema
    .createTable('article_revisions')
    .addColumn('article_guid', text, (column) =>
      column.notNull().references('articles.guid').onDelete('cascade'),
    )
    .addColumn('revision', int, required)
    .$call((table) => addContent(table, columns))
    .$call((table) => addWriter(table, columns))
    .addColumn('recorded_at', instant, required)
    .addPrimaryKeyConstraint('article_revisions_key', ['article_guid', 'revision'])
    .$call(finish)
    .execute();
}

/** The columns of `ArticleContent`. */
function addContent<T extends string, C extends string>(
  table: CreateTableBuilder<T, C>,
  { text, int, instant }: Columns,
) {
  return table
    .addColumn('caption', text, required)
    .addColumn('content', text, required)
    .addColumn('category_key', text)
    .addColumn('contact_phone', text, required)
    .addColumn('pinned_until', instant)
    .addColumn('icon_guid', text)
    .addColumn('status', int, required)
    .addColumn('from_url', text, required);
}

/** The columns of `ArticleWriter`. */
function addWriter<T extends string, C extends string>(
  table: CreateTableBuilder<T, C>,
  { text }: Columns,
) {
  return table.addColumn('ip', text).addColumn('claimed_ip', text).addColumn('token_id', text);
}

async function createPostings(
  db: Kysely<Tables>,
  { text, flag, instant, counter, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('postings')
    .addColumn('id', counter, primaryKey)
    .addColumn('kind', flag, required)
    .addColumn('record_key', text, required)
    .addColumn('user_id', text)
    .addColumn('network', text, required)
    .addColumn('at', instant, required)
    .addUniqueConstraint('postings_once', ['kind', 'record_key'])
    .$call(finish)
    .execute();
  // Counts of every kind use these as well: `kind in (1, 2, 3, 4)` is one range of the index for each kind.
  for (const who of ['user_id', 'network']) {
    await db.schema
      .createIndex(`postings_by_${who}`)
      .on('postings')
      .columns([who, 'kind', 'at'])
      .execute();
  }
}

async function createAudit(db: Kysely<Tables>, { text, instant, finish }: Columns): Promise<void> {
  await db.schema
    .createTable('audit')
    .addColumn('id', text, primaryKey)
    .addColumn('at', instant, required)
    .addColumn('token_id', text)
    .addColumn('action', text, required)
    .addColumn('target_kind', text, required)
    .addColumn('target_key', text)
    .addColumn('address', text)
    .addColumn('details', text, required)
    .$call(finish)
    .execute();
}

async function createProbe(db: Kysely<Tables>, { int, instant, finish }: Columns): Promise<void> {
  await db.schema
    .createTable('store_probe')
    .addColumn('id', int, (column) => column.primaryKey().notNull().check(sql`id = 1`))
    .addColumn('at', instant, required)
    .$call(finish)
    .execute();
}
