import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { forEachEngine } from '../../kit/database.ts';
import { ANYBODY, OperationDesk, race } from '../../kit/operation-desk.ts';
import { postings, reviews, submit } from './reviewing.ts';

forEachEngine((_, fresh) => {
  it('submitReview tells what a count of every voter’s last review tells', async (t) => {
    const desk = new OperationDesk(await (await fresh(t)).open());
    const review = fc.record({
      userId: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      IsPositive: fc.constantFrom('', '1', '0'),
      Mark: fc.oneof(
        fc.constantFrom('remark', '1'),
        fc.integer({ min: 0, max: 500 }).map((n) => String(n / 100)),
      ),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(review, { minLength: 1, maxLength: 12 }), async (given) => {
        const id = `subject ${run++}`;
        const last = new Map<string, { IsPositive: string; Mark: string }>();
        for (const one of given) {
          last.set(one.userId, one);
          const { positive, negative, averageMark, marks } = await submit(desk, id, one);
          const present = [...last.values()];
          const ratings = present
            .filter(({ Mark }) => Mark !== 'remark')
            .map(({ Mark }) => Number(Mark));
          assert.equal(positive, present.filter(({ IsPositive }) => IsPositive === '1').length);
          assert.equal(negative, present.filter(({ IsPositive }) => IsPositive === '0').length);
          assert.equal(marks, ratings.length);
          const mean = ratings.reduce((sum, rating) => sum + rating, 0) / ratings.length;
          assert.ok(
            ratings.length === 0 ? averageMark === null : Math.abs(averageMark - mean) <= 0.005001,
          );
        }
      }),
      { numRuns: 25 },
    );
  });

  it('200 reviews of one voter at once: one review, one posting, a tally without drift', async (t) => {
    const { desk, outcomes } = await race(t, fresh, (one, index) =>
      one.call(
        'submitReview',
        { id: 'x', IsPositive: String(index % 2), Mark: '3', userId: 'ada' },
        ANYBODY,
      ),
    );
    for (const outcome of outcomes) {
      const { positive, negative, marks, averageMark, yours } = JSON.parse(outcome);
      assert.deepEqual([positive + negative, marks, averageMark], [1, 1, 3]);
      assert.equal(positive === 1, yours.isPositive);
    }
    assert.equal((await reviews(desk, 'x')).length, 1);
    assert.equal((await postings(desk, 'ada')).length, 1);
  });

  it('200 equal reviews of one voter at once: one answer', async (t) => {
    const { outcomes } = await race(t, fresh, (one) =>
      one.call('submitReview', { id: 'x', IsPositive: '+', Mark: '😀' }, ANYBODY),
    );
    assert.equal(new Set(outcomes).size, 1);
    assert.equal(JSON.parse(outcomes[0]!).positive, 1);
  });

  it('200 voters at once: every review counts, none is lost', async (t) => {
    const { desk, outcomes } = await race(t, fresh, (one, index) =>
      one.call(
        'submitReview',
        { id: 'x', IsPositive: String(index % 2), Mark: '4', userId: `user ${index}` },
        ANYBODY,
      ),
    );
    assert.ok(outcomes.every((outcome) => JSON.parse(outcome).yours.mark === 4));
    const { positive, negative, marks } = await submit(desk, 'x', {
      IsPositive: '1',
      userId: 'user 1',
    });
    assert.deepEqual([positive, negative, marks], [100, 100, 199]);
  });
});
