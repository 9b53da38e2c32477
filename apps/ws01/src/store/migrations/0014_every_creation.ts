import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { type Columns, primaryKey, required } from './columns.ts';
import type { Migration } from './migration.ts';

/** Every creation counts, also under a key that was used before; and ratings are on whatever scale is configured. */
export const everyCreation: Migration = {
  name: '0014_every_creation',
  async up(db, columns) {
    if (db.getExecutor().adapter instanceof PostgresAdapter) {
      await db.schema.alterTable('postings').dropConstraint('postings_once').execute();
      await db.schema.alterTable('reviews').dropConstraint('reviews_rating_check').execute();
    } else {
      // SQLite cannot take a constraint off a table.
      await rebuildPostings(db, columns);
      await rebuildReviews(db, columns);
    }
    await db.schema
      .createIndex('postings_by_record')
      .on('postings')
      .columns(['kind', 'record_key', 'id'])
      .execute();
  },
};

async function rebuildPostings(
  db: Kysely<Tables>,
  { text, flag, instant, counter, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('new_postings')
    .addColumn('id', counter, primaryKey)
    .addColumn('kind', flag, required)
    .addColumn('record_key', text, required)
    .addColumn('user_id', text)
    .addColumn('network', text, required)
    .addColumn('at', instant, required)
    .$call(finish)
    .execute();
  await sql`insert into new_postings (id, kind, record_key, user_id, network, at)
    select id, kind, record_key, user_id, network, at from postings`.execute(db);
  await db.schema.dropTable('postings').execute();
  await sql`alter table new_postings rename to postings`.execute(db);
  for (const who of ['user_id', 'network']) {
    await db.schema
      .createIndex(`postings_by_${who}`)
      .on('postings')
      .columns([who, 'kind', 'at'])
      .execute();
  }
}

async function rebuildReviews(
  db: Kysely<Tables>,
  { text, int, flag, instant, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('new_reviews')
    .addColumn('id', text, primaryKey)
    .addColumn('subject', text, required)
    .addColumn('voter', text, required)
    .addColumn('positive', flag, (column) => column.check(sql`positive in (0, 1)`))
    .addColumn('rating', int)
    .addColumn('remark', text)
    .addColumn('ip', text, required)
    .addColumn('claimed_ip', text)
    .addColumn('created_at', instant, required)
    .addColumn('updated_at', instant, required)
    .addColumn('held_at', instant)
    .addColumn('removed_at', instant)
    .addUniqueConstraint('reviews_once', ['subject', 'voter'])
    .$call(finish)
    .execute();
  const said = sql.raw(
    'id, subject, voter, positive, rating, remark, ip, claimed_ip, created_at, updated_at, held_at, removed_at',
  );
  await sql`insert into new_reviews (${said}) select ${said} from reviews`.execute(db);
  await db.schema.dropTable('reviews').execute();
  await sql`alter table new_reviews rename to reviews`.execute(db);
}
