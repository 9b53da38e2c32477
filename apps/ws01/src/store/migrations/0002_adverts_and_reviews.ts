import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { type Columns, primaryKey, required } from './columns.ts';
import type { Migration } from './migration.ts';

/** Adverts of publishers, and what people think of anything. */
export const advertsAndReviews: Migration = {
  name: '0002_adverts_and_reviews',
  async up(db, columns) {
    await createAdverts(db, columns);
    await createReviews(db, columns);
  },
};

async function createAdverts(db: Kysely<Tables>, columns: Columns): Promise<void> {
  const { text, flag, instant, bytes, finish } = columns;
  // The long texts come last, so that a sort by the short ones does not have to pass over them.
  await db.schema
    .createTable('adverts')
    .addColumn('guid', text, primaryKey)
    .addColumn('owner', text)
    .addColumn('created_at', instant, required)
    .addColumn('title', text, required)
    .addColumn('title_key', text, required)
    .addColumn('deadline', instant)
    .addColumn('category_key', text)
    .addColumn('link_txt', text, required)
    .addColumn('link_url', text, required)
    .addColumn('is_image', flag, (column) => column.notNull().check(sql`is_image in (0, 1)`))
    .addColumn('img_guid', text)
    .addColumn('ip', text, required)
    .addColumn('retry_key', bytes)
    .addColumn('detail', text, required)
    .addColumn('search_text', text, required)
    .$call(finish)
    .execute();
  await db.schema
    .createIndex('adverts_by_owner')
    .on('adverts')
    .columns(['owner', 'created_at', 'guid'])
    .execute();
  await db.schema
    .createIndex('adverts_by_retry_key')
    .on('adverts')
    .column('retry_key')
    .unique()
    .where(sql.ref('retry_key'), 'is not', null)
    .execute();
}

async function createReviews(
  db: Kysely<Tables>,
  { text, int, flag, instant, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('reviews')
    .addColumn('id', text, primaryKey)
    .addColumn('subject', text, required)
    .addColumn('voter', text, required)
    .addColumn('positive', flag, (column) => column.check(sql`positive in (0, 1)`))
    .addColumn('rating', int, (column) => column.check(sql`rating between 0 and 500`))
    .addColumn('remark', text)
    .addColumn('ip', text, required)
    .addColumn('claimed_ip', text)
    .addColumn('created_at', instant, required)
    .addColumn('updated_at', instant, required)
    .addUniqueConstraint('reviews_once', ['subject', 'voter'])
    .$call(finish)
    .execute();
  await db.schema
    .createIndex('reviews_tally')
    .on('reviews')
    .columns(['subject', 'positive', 'rating'])
    .execute();
}
