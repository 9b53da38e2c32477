import type { Migration } from './migration.ts';

/** Lets an index alone count the images whose record is of a category and that are not of it themselves. */
export const imagesByLinkedCategory: Migration = {
  name: '0008_images_by_linked_category',
  async up(db) {
    await db.schema.dropIndex('images_by_linked_category').execute();
    await db.schema
      .createIndex('images_by_linked_category')
      .on('images')
      .columns(['linked_category', 'created_at', 'guid', 'category_key'])
      .execute();
  },
};
