import { sql } from 'kysely';
import { required } from './columns.ts';
import type { Migration } from './migration.ts';

/** The latest time that the service knows of. */
export const serviceTime: Migration = {
  name: '0030_service_time',
  async up(db, { int, instant, finish }) {
    await db.schema
      .createTable('service_time')
      .addColumn('id', int, (column) => column.primaryKey().notNull().check(sql`id = 1`))
      .addColumn('at', instant, required)
      .$call(finish)
      .execute();
  },
};
