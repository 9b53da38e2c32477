import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordedReason } from '../../../../apps/ws01/test/kit/golden-reason.ts';
import { LexicalError, parseInt32 } from '../../src/lexical/index.ts';

const reasonOf = (text: string): string | undefined => {
  try {
    parseInt32(text);
  } catch (error) {
    assert.ok(error instanceof LexicalError);
    return error.aspnetReason;
  }
  return undefined;
};

describe('int', () => {
  it('reads what it writes, with signs, zeros and blanks added', () => {
    const blanks = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
    const zeros = fc.stringMatching(/^0{0,12}$/);
    fc.assert(
      fc.property(
        fc.nat({ max: 2 ** 31 - 1 }),
        blanks,
        zeros,
        blanks,
        fc.boolean(),
        (size, before, zero, after, plus) => {
          assert.equal(parseInt32(`${before}${plus ? '+' : ''}${zero}${size}${after}`), size);
          assert.ok(
            Object.is(parseInt32(`${before}-${zero}${size}${after}`), size === 0 ? 0 : -size),
          );
        },
      ),
    );
  });

  it('knows the edges of Int32, whatever the length', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 2n ** 31n, max: 10n ** 400n }), (size) => {
        assert.match(reasonOf(`${size}`)!, /too large or too small/);
        assert.match(reasonOf(`-${size + 1n}`)!, /too large or too small/);
      }),
    );
  });

  it('agrees with a pattern on any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[+-]?[0-9 .,e+-]{0,12}$/)), (text) => {
        const isInt = /^(?:[+-]?[0-9]+)?$/.test(text.trim()) && Math.abs(Number(text)) < 2 ** 31;
        assert.equal(reasonOf(text) === undefined, isInt);
      }),
    );
  });

  it("gives ASP.NET's reasons", () => {
    assert.equal(reasonOf('1,2'), recordedReason('get/duplicate-int'));
    assert.equal(reasonOf('1.0'), 'Input string was not in a correct format.');
    assert.equal(reasonOf('2147483648'), 'Value was either too large or too small for an Int32.');
  });

  it('answers a long text in one pass and a short message', () => {
    for (const text of ['9'.repeat(1_000_000), `${'0'.repeat(1_000_000)}x`]) {
      assert.throws(
        () => parseInt32(text),
        (error: LexicalError) => error.reason.length < 150,
      );
    }
  });
});
