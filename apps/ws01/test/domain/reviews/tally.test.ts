import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { wilsonBound } from '../../../src/domain/reviews/tally.ts';

const votes = fc.integer({ min: 0, max: 1_000_000 });

/**
 * How far a share lies from the votes, in the standard deviations it would give them: Wilson's bounds are the two
 * shares for which this is the quantile. A second definition, to hold the formula against.
 */
function deviation(bound: number, positive: number, negative: number): number {
  const total = positive + negative;
  return (positive / total - bound) / Math.sqrt((bound * (1 - bound)) / total);
}

describe('the Wilson bound', () => {
  it('is 0 without votes', () => {
    assert.equal(wilsonBound(0, 0), 0);
  });

  it('has the values of the published tables', () => {
    for (const [positive, negative, bound] of [
      [1, 0, 0.2065],
      [0, 1, 0],
      [10, 0, 0.7225],
      [9, 1, 0.5958],
      [5, 5, 0.2366],
      [90, 10, 0.8256],
      [1, 99, 0.0018],
      [500_000, 500_000, 0.499],
    ] as const) {
      assert.ok(
        Math.abs(wilsonBound(positive, negative) - bound) < 0.0001,
        `${positive} ${negative}`,
      );
    }
  });

  it('is 1.96 standard deviations below the share of positive votes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), votes, (positive, negative) => {
        const off = deviation(wilsonBound(positive, negative), positive, negative);
        assert.ok(Math.abs(off - 1.959964) < 0.0001, `${positive} ${negative} ${off}`);
      }),
    );
  });

  it('is from 0 to the share, and rises with each vote for and falls with each against', () => {
    fc.assert(
      fc.property(votes, votes, (positive, negative) => {
        const bound = wilsonBound(positive, negative);
        assert.ok(bound >= 0 && bound <= positive / Math.max(1, positive + negative));
        assert.ok(wilsonBound(positive + 1, negative) > bound);
        assert.ok(wilsonBound(positive, negative + 1) <= bound);
      }),
    );
  });

  it('rises with the number of votes of the same share', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 0, max: 1000 }),
        (positive, negative) => {
          assert.ok(wilsonBound(10 * positive, 10 * negative) > wilsonBound(positive, negative));
        },
      ),
    );
  });
});
