import type { Migration } from './migration.ts';

/** Lets the indexes of categories alone sort by size, too: a look at the row of each image took most of the time. */
export const imagesBySizeInCategory: Migration = {
  name: '0010_images_by_size_in_category',
  async up(db) {
    await db.schema.dropIndex('images_by_category').execute();
    await db.schema
      .createIndex('images_by_category')
      .on('images')
      .columns(['category_key', 'created_at', 'guid', 'bytes'])
      .execute();
    await db.schema.dropIndex('images_by_linked_category').execute();
    await db.schema
      .createIndex('images_by_linked_category')
      .on('images')
      .columns(['linked_category', 'created_at', 'guid', 'bytes', 'category_key'])
      .execute();
  },
};
