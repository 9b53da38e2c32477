import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Restarts, STEADY_MS } from '../../src/cluster/restarts.ts';

describe('the pause before a worker is replaced', () => {
  it('doubles with each end, up to 5 s', () => {
    const restarts = new Restarts();
    const pauses = Array.from({ length: 40 }, () => restarts.ended(undefined));
    assert.deepEqual(pauses.slice(0, 8), [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
    assert.equal(pauses.at(-1), 5_000);
  });

  it('is short again after a worker that has served for a while, and not before', () => {
    const restarts = new Restarts();
    assert.deepEqual([restarts.ended(0), restarts.ended(STEADY_MS - 1)], [100, 200]);
    assert.deepEqual([restarts.ended(STEADY_MS), restarts.ended(0)], [100, 200]);
  });

  it('is worth while until five starts have failed without one that went well', () => {
    const restarts = new Restarts();
    for (let start = 0; start < 4; start++) restarts.ended(undefined);
    assert.equal(restarts.hopeless, false);
    restarts.served();
    // One that has served and dies is no failed start.
    for (let end = 0; end < 9; end++) restarts.ended(1);
    for (let start = 0; start < 4; start++) restarts.ended(undefined);
    assert.equal(restarts.hopeless, false);
    restarts.ended(undefined);
    assert.equal(restarts.hopeless, true);
  });
});
