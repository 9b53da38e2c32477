import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Ws01Error } from '../../../src/contract/errors.ts';
import { markOf, voteOf } from '../../../src/domain/reviews/opinion.ts';
import { plainDigits } from '../../../src/domain/values/digits.ts';

const refused = (text: string) =>
  assert.throws(
    () => voteOf(text),
    (error) =>
      error instanceof Ws01Error &&
      error.code === 'InvalidParameter' &&
      error.parameter === 'IsPositive',
    text,
  );

describe('IsPositive', () => {
  it('is for', () => {
    for (const text of [
      'true 1 yes up + positive TRUE ＋ １ Ｔｒｕｅ'.split(' '),
      ' Yes ',
    ].flat()) {
      assert.equal(voteOf(text), 1, text);
    }
  });

  it('is against', () => {
    for (const text of ['false 0 no down - negative False － − ０'.split(' '), '\tNO\n'].flat()) {
      assert.equal(voteOf(text), 0, text);
    }
  });

  it('is no vote when it is empty', () => {
    for (const text of [undefined, '', ' ', '  ', '\n', '\u3000\u3000']) {
      assert.equal(voteOf(text), null);
    }
  });

  it('is nothing else', () => {
    for (const text of ['2', '-1', '+1', 'ture', 'on', 'off', '👍', 'constructor', 'yes no']) {
      refused(text);
    }
    const words = new Set('TRUE 1 YES UP + POSITIVE FALSE 0 NO DOWN - NEGATIVE'.split(' '));
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        const word = plainDigits(text);
        const known = words.has(word.toUpperCase()) || word === '' || word === '−';
        if (!known) refused(text);
      }),
    );
  });
});

describe('Mark', () => {
  it('is a rating when it is a number from 0 to 5, to the hundredth', () => {
    const ratings = {
      ...{ 0: 0, 5: 500, ' 4.5 ': 450, '+3': 300, '003.10': 310, '4.999': 500, '0.004': 0 },
      ...{ '2.345': 235, '５': 500, '４．５': 450, '5.000000000000000000000': 500, '4,5': 450 },
      ...{ '3，5': 350, '.5': 50, ',25': 25, '4.': 400, '٤٫٥': 450, '۴': 400 },
      ...{ '\u200f४\u200b': 400, '-0': 0 },
    };
    for (const [text, rating] of Object.entries(ratings)) {
      assert.deepEqual(markOf(text, 5), { rating, remark: null }, text);
    }
  });

  it('is a remark when it is any other text, as sent', () => {
    for (const text of [
      ...'1e0 4,5,6 . 4-5 0x1 5/5 五 NaN'.split(' '),
      ' good <b>&</b>\n好 😀 ',
      `0.${'0'.repeat(1000)}x`,
    ]) {
      assert.deepEqual(markOf(text, 5), { rating: null, remark: text }, text.slice(0, 20));
    }
  });

  it('is refused when it is a number outside the scale, which is named', () => {
    for (const [text, scale] of [
      ['6', 5],
      ['5.01', 5],
      ['-1', 5],
      ['−,5', 5],
      ['11', 10],
      ['9'.repeat(2000), 1000],
    ] as const) {
      assert.throws(
        () => markOf(text, scale),
        (error) =>
          error instanceof Ws01Error &&
          error.code === 'InvalidParameter' &&
          error.parameter === 'Mark' &&
          error.message.includes(`from 0 to ${scale} (REVIEW_SCALE)`),
        text,
      );
    }
    assert.deepEqual(markOf('10', 10), { rating: 1000, remark: null });
  });

  it('is nothing when it is blank', () => {
    for (const text of [undefined, '', ' \n\u3000', '\u200b', '\u3164\u2800']) {
      assert.deepEqual(markOf(text, 5), { rating: null, remark: null });
    }
  });

  it('is a rating in hundredths for every number with two decimals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 500 }), (rating) => {
        assert.deepEqual(markOf((rating / 100).toFixed(2), 5), { rating, remark: null });
      }),
    );
  });
});
