import type { Migration } from './migration.ts';

/** Large images may be served in another format than their own. */
export const servedFormats: Migration = {
  name: '0012_served_formats',
  async up(db) {
    await db.schema.alterTable('image_files').addColumn('served_format', 'text').execute();
  },
};
