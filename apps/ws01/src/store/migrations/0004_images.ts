import type { Kysely } from 'kysely';
import type { Tables } from '../tables/tables.ts';
import { createTextIndex } from '../text-index.ts';
import { type Columns, primaryKey, required } from './columns.ts';
import type { Migration } from './migration.ts';

/** Images: the files by their content, the records that name them, and what lists and searches of them need. */
export const images: Migration = {
  name: '0004_images',
  async up(db, columns) {
    await createImageFiles(db, columns);
    await createImages(db, columns);
    await createTextIndex(db, 'image_search');
  },
};

async function createImageFiles(
  db: Kysely<Tables>,
  { text, int, instant, finish }: Columns,
): Promise<void> {
  await db.schema
    .createTable('image_files')
    .addColumn('hash', text, primaryKey)
    .addColumn('stored_as', text, (column) => column.notNull().unique())
    .addColumn('format', text, required)
    .addColumn('width', int, required)
    .addColumn('height', int, required)
    .addColumn('frames', int, required)
    .addColumn('bytes', instant, required)
    .addColumn('stored_at', instant, required)
    .addColumn('deleted_at', instant)
    .$call(finish)
    .execute();
}

async function createImages(db: Kysely<Tables>, columns: Columns): Promise<void> {
  const { text, int, flag, instant, counter, finish } = columns;
  await db.schema
    .createTable('images')
    .addColumn('id', counter, primaryKey)
    .addColumn('guid', text, (column) => column.notNull().unique())
    .addColumn('owner', text)
    .addColumn('hash', text, (column) => column.notNull().references('image_files.hash'))
    .addColumn('bytes', instant, required)
    .addColumn('link_guid', text)
    .addColumn('linked_category', text)
    .addColumn('category', text, required)
    .addColumn('category_key', text)
    .addColumn('category_order', text, required)
    .addColumn('is_icon', flag, required)
    .addColumn('created_at', instant, required)
    .addColumn('updated_at', instant, required)
    .addColumn('ip', text)
    .addColumn('claimed_ip', text)
    .addColumn('token_id', text)
    .addColumn('search_text', text, required)
    .$call(finish)
    .execute();
  const indexes: Record<
    string,
    (
      | 'hash'
      | 'link_guid'
      | 'is_icon'
      | 'created_at'
      | 'bytes'
      | 'category_order'
      | 'category_key'
      | 'linked_category'
      | 'guid'
    )[]
  > = {
    images_by_hash: ['hash'],
    images_by_link: ['link_guid', 'created_at', 'guid'],
    images_by_creation: ['created_at', 'guid'],
    images_by_icon: ['is_icon', 'created_at', 'guid'],
    images_by_size: ['bytes', 'guid'],
    images_in_category_order: ['category_order', 'guid'],
    images_by_category: ['category_key', 'created_at', 'guid'],
    images_by_linked_category: ['linked_category', 'created_at', 'guid'],
  };
  for (const [name, indexed] of Object.entries(indexes)) {
    await db.schema.createIndex(name).on('images').columns(indexed).execute();
  }
  await db.schema
    .createTable('image_totals')
    .addColumn('shard', int, primaryKey)
    .addColumn('images', int, required)
    .addColumn('icons', int, required)
    .$call(finish)
    .execute();
}
