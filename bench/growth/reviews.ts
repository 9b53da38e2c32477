import { ANYBODY } from '../kit/operations.ts';
import { insertRows } from '../kit/rows.ts';
import { type Area, ownerSql, someUser } from './area.ts';
import { SOME_TIME } from './articles.ts';

/** Reviews: of records that have a hundred, and of one that has a tenth of all. */
export const reviews: Area = {
  name: 'reviews',
  most: 10_000_000,

  async fill(database, growth) {
    await insertRows(database, 'reviews', growth, ({ key }) => ({
      id: key('i'),
      subject: ownerSql(growth),
      voter: `'user:' || i`,
      positive: 'i % 2',
      rating: 'i % 501',
      ip: `'192.0.2.1'`,
      created_at: SOME_TIME,
      updated_at: SOME_TIME,
    }));
    const tallies = `delete from review_tallies; insert into review_tallies
      select subject, count(positive), coalesce(sum(positive), 0), count(rating), coalesce(sum(rating), 0)
      from reviews group by subject`;
    await database.load({ sqlite: tallies, postgres: tallies });
  },

  workloads({ call }, rows) {
    let turn = 0;
    const review = (id: string, userId: string, vote: number) =>
      call('submitReview', { id, IsPositive: String(vote % 2), Mark: '4', userId }, ANYBODY);
    return [
      {
        name: 'submitReview, new, of what has 100',
        call: () => review(someUser(rows), `new ${Math.random()}`, 1),
      },
      {
        name: 'submitReview, new, of what has a tenth of all',
        call: () => review('heavy', `new ${Math.random()}`, 1),
      },
      {
        name: 'submitReview, changed, of what has a tenth of all',
        call: () => review('heavy', '1', turn++),
      },
      {
        name: 'submitReview, the same again, of what has a tenth of all',
        call: () => review('heavy', '1', 1),
      },
    ];
  },
};
