import assert from 'node:assert/strict';
import { it } from 'node:test';
import { FieldError, text } from '../../src/records/types.ts';

const CONTEXT = { timeZone: 'UTC', now: () => 0 };

it('a text may come as a whole number, as exports write keys, and as nothing else', () => {
  const read = (value: unknown) => text().read(value, CONTEXT);
  assert.equal(read('two'), 'two');
  assert.equal(read(94_107), '94107');
  assert.equal(read(Number.MAX_SAFE_INTEGER), '9007199254740991');
  for (const value of [1.5, Number.MAX_SAFE_INTEGER + 1, true, ['a'], {}]) {
    assert.throws(() => read(value), new FieldError('is not text'), String(value));
  }
});
