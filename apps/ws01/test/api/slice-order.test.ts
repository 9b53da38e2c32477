import assert from 'node:assert/strict';
import { it } from 'node:test';
import { compareRows, isBefore } from '../../src/api/slice-order.ts';
import { byCreation } from '../../src/records/conditions.ts';
import { placeText } from '../../src/store/record-index.ts';

const order = byCreation('articles', 'guid');
const rowAt = (time: number, guid = 'a') => ({ cursor_0: time, cursor_1: guid });

it('a row of the time at which a slice begins or ends is not before all of it', () => {
  const slices = [{ slice: '001', first: placeText(10), last: placeText(20) }];
  const before = (descending: boolean, time: number) =>
    isBefore({ order, descending }, rowAt(time), slices);
  assert.deepEqual([before(true, 21), before(true, 20)], [true, false]);
  assert.deepEqual([before(false, 9), before(false, 10)], [true, false]);
});

it('keys of one time are compared byte by byte, as the databases do', () => {
  // UTF-16 has the second one first.
  const compared = compareRows({ order, descending: false }, rowAt(1, 'ﾮ'), rowAt(1, '𝒳'));
  assert.ok(compared < 0);
});
