import { primaryKey, required } from './columns.ts';
import type { Migration } from './migration.ts';

/** What the reviews of each thing add up to, kept so that a review costs the same however many there are. */
export const reviewTallies: Migration = {
  name: '0006_review_tallies',
  async up(db, { text, int, instant, finish }) {
    await db.schema
      .createTable('review_tallies')
      .addColumn('subject', text, primaryKey)
      .addColumn('votes', int, required)
      .addColumn('positive', int, required)
      .addColumn('marks', int, required)
      .addColumn('ratings', instant, required)
      .$call(finish)
      .execute();
    await db
      .insertInto('review_tallies')
      .columns(['subject', 'votes', 'positive', 'marks', 'ratings'])
      .expression((eb) =>
        eb
          .selectFrom('reviews')
          .select((of) => [
            'subject',
            of.fn.count<number>('positive').as('votes'),
            of.fn.coalesce(of.fn.sum<number>('positive'), of.lit(0)).as('positive'),
            of.fn.count<number>('rating').as('marks'),
            of.fn.coalesce(of.fn.sum<number>('rating'), of.lit(0)).as('ratings'),
          ])
          .groupBy('subject'),
      )
      .execute();
    await db.schema.dropIndex('reviews_tally').execute();
  },
};
