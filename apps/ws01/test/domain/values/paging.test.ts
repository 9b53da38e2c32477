import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Ws01Error } from '../../../src/contract/errors.ts';
import { pageOf } from '../../../src/domain/values/paging.ts';

describe('pages', () => {
  it('are the same as int and as text', () => {
    const ints = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    fc.assert(
      fc.property(ints, ints, (index, size) => {
        const page = pageOf(index, size);
        assert.deepEqual(pageOf(String(index), ` ${size} `), page);
        assert.equal(page.index, Math.max(index, 1));
        assert.equal(page.size, size < 1 ? 20 : Math.min(size, 100));
        assert.equal(page.offset, (page.index - 1) * page.size);
        assert.ok(Number.isSafeInteger(page.offset));
      }),
    );
  });

  it('are the first, of 20, when nothing is given', () => {
    for (const nothing of [undefined, '', ' ', 0, '0', -1]) {
      assert.deepEqual(pageOf(nothing, nothing), { index: 1, size: 20, offset: 0 });
    }
  });

  it('name the parameter that is no number', () => {
    const named = (name: string) => (error: unknown) =>
      error instanceof Ws01Error &&
      error.code === 'InvalidParameter' &&
      error.parameter === name &&
      error.message.startsWith(name);
    assert.throws(() => pageOf('first', '20'), named('pageindex'));
    assert.throws(() => pageOf('1', '1.5'), named('pagesize'));
    assert.throws(() => pageOf('99999999999', '20'), named('pageindex'));
  });
});
