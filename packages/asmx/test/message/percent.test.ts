import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { words } from '../../src/contract/words.ts';
import { decodePercent, PercentDecoder, type PercentOptions } from '../../src/message/percent.ts';
import { CHARACTER } from '../kit/random.ts';

/** Text as bytes: one code unit each. */
const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

const cases: readonly [string, string, string, PercentOptions?][] = [
  ['plain', 'a-b_c.d~', 'a-b_c.d~'],
  ['plus is a blank', 'a+b', 'a b'],
  ['plus kept where it is data', 'a+b%2B', 'a+b+', { plus: 'plus' }],
  ['UTF-8 escapes', '%E4%B8%AD%e6%96%87', '中文'],
  ['raw UTF-8', latin1('中文😀'), '中文😀'],
  ['an escape in the middle of raw bytes of one character', `${latin1('中').slice(0, 2)}%AD`, '中'],
  ['%u escapes', '%u4E2D%u6587', '中文'],
  ['a pair of %u escapes', '%uD83D%uDE00', '😀'],
  ['a first half alone', '%uD83Dx', '\ufffdx'],
  ['a first half at the end', '%uD83D', '\ufffd'],
  ['a second half alone', '%uDE00', '\ufffd'],
  ['two first halves', '%uD83D%uD83D%uDE00', '\ufffd😀'],
  ['%U is no escape', '%U4E2D', '%U4E2D'],
  ['bad escapes stay', '%zz%4%u12G4%', '%zz%4%u12G4%'],
  ['a percent sign before an escape', '%%41', '%A'],
  ['invalid UTF-8', 'a%FFb%E4%B8', 'a\ufffdb\ufffd'],
  ['an unfinished sequence before %u', '%E4%u4E2D', '\ufffd中'],
  ['GBK', '%D6%D0', '中', { charset: 'gb2312' }],
  ['GBK with %u between', '%D6%u4E2D%D6%D0', '\ufffd中中', { charset: 'gbk' }],
  ['ISO-8859-1', '%E9%80', 'é\u0080', { charset: 'iso-8859-1' }],
  ['Shift_JIS', '%93%FA%96%7B', '日本', { charset: 'shift_jis' }],
  ['an unknown charset is UTF-8', '%C3%A9', 'é', { charset: 'klingon' }],
  ['NUL and controls come through', '%00%01', '\0\u0001'],
];
for (const [what, given, expected, options] of cases) {
  test(`percent: ${what}: ${given} → ${expected}`, () => {
    assert.equal(decodePercent(given, options), expected);
    const decoder = new PercentDecoder(options);
    assert.equal(
      [...given].map((byte) => decoder.push(byte)).join('') + decoder.end(),
      expected,
      'byte by byte',
    );
  });
}

test('percent: encodeURIComponent comes back, split anywhere', () => {
  fc.assert(
    fc.property(fc.string({ unit: CHARACTER }), fc.nat(20), (text, at) => {
      const written = encodeURIComponent(text.toWellFormed());
      const decoder = new PercentDecoder();
      const read =
        decoder.push(written.slice(0, at)) + decoder.push(written.slice(at)) + decoder.end();
      assert.equal(read, text.toWellFormed());
    }),
  );
});

test('percent: long pieces are decoded as short ones are, whatever is in them', () => {
  const char = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom('a', '+', 'é', '中', '😀', '%', '/', '=', ' ', '\0', '\u0001'),
    },
    {
      weight: 1,
      arbitrary: fc.string({ unit: CHARACTER, maxLength: 3 }).map((text) => text.toWellFormed()),
    },
  );
  const run = fc.tuple(
    fc.array(char, { minLength: 1, maxLength: 8 }),
    fc.integer({ min: 1, max: 900 }),
  );
  const valid = run.map(([chars, count]) =>
    chars.map(encodeURIComponent).join('').replaceAll('%20', '+').repeat(count),
  );
  const strange = fc.constantFrom(
    ...words('% %4 %E4%B8 %B8 %FF %uD83D %u4E2D é %EF%BB%BF'),
    '\ufeff',
  );
  const whole = fc.array(
    fc.oneof({ weight: 5, arbitrary: valid }, { weight: 1, arbitrary: strange }),
    {
      maxLength: 5,
    },
  );
  const plus = fc.constantFrom('blank', 'plus', 'lost');
  fc.assert(
    fc.property(
      whole,
      fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1 }),
      plus,
      (runs, steps, plus) => {
        const text = latin1(runs.join(''));
        const decoder = new PercentDecoder({ plus });
        const short = new PercentDecoder({ plus });
        for (const _ of ['once', 'and again']) {
          let [read, expected] = ['', ''];
          for (let at = 0, step = 0; at < text.length; at += steps[step++ % steps.length]!) {
            read += decoder.push(text.slice(at, at + steps[step % steps.length]!));
          }
          for (let at = 0; at < text.length; at += 500)
            expected += short.push(text.slice(at, at + 500));
          assert.equal(read + decoder.end(), expected + short.end());
          assert.equal(decoder.replacedIn, short.replacedIn);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('percent: any bytes give well-formed text, alike however they are split and after any text before', () => {
  const piece = fc.constantFrom(
    ...words('% u D8 3D DE 00 4 E + x %E4 %uD83D'),
    '\u00e4',
    '\u00b8',
    '\u00ad',
  );
  const charset = fc.constantFrom('utf-8', 'gbk', 'iso-8859-1', 'shift_jis');
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      charset,
      fc.integer({ min: 1, max: 5 }),
      (pieces, name, size) => {
        const text = pieces.join('');
        const whole = decodePercent(text, { charset: name });
        assert.ok(whole.isWellFormed());
        const decoder = new PercentDecoder({ charset: name });
        for (const round of [1, 2]) {
          let read = '';
          for (let at = 0; at < text.length; at += size)
            read += decoder.push(text.slice(at, at + size));
          assert.equal(read + decoder.end(), whole, `round ${round}`);
        }
      },
    ),
    { numRuns: 3000 },
  );
});
