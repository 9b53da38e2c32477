import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { CHARACTER } from '../../../../../packages/asmx/test/kit/random.ts';
import { CODE_ALPHABET, isShortCode, newShortCode } from '../../../src/domain/links/short-code.ts';

const DRAWS = 20_000;

it('the alphabet has no two characters that look alike, no vowel and no character twice', () => {
  assert.equal(new Set(CODE_ALPHABET).size, CODE_ALPHABET.length);
  for (const char of '0O1Il') assert.ok(!CODE_ALPHABET.includes(char), char);
  assert.doesNotMatch(CODE_ALPHABET, /[aeiou]/i);
  for (const small of 'ckopsuvwxz') assert.ok(!CODE_ALPHABET.includes(small), small);
});

it('codes are seven characters of the alphabet, each as likely as any other', () => {
  const counts = new Map([...CODE_ALPHABET].map((char) => [char, 0]));
  for (let i = 0; i < DRAWS; i++) {
    const code = newShortCode();
    assert.ok(isShortCode(code), code);
    for (const char of code) counts.set(char, (counts.get(char) ?? 0) + 1);
  }
  const expected = (DRAWS * 7) / CODE_ALPHABET.length;
  const chiSquare = [...counts.values()].reduce(
    (sum, count) => sum + (count - expected) ** 2 / expected,
    0,
  );
  // With 40 degrees of freedom, fair characters exceed 140 once in 10^12 runs.
  assert.ok(chiSquare < 140, `chi-square ${chiSquare}`);
});

it('nothing else passes for a code', () => {
  const almost = fc.string({
    unit: fc.constantFrom(...CODE_ALPHABET, '0', 'O', 'l', '+', '%', '𝟚'),
    maxLength: 9,
  });
  fc.assert(
    fc.property(fc.oneof(almost, fc.string({ unit: CHARACTER })), (text) => {
      assert.equal(isShortCode(text), /^[2-9BCDFGHJKLMNPQRSTVWXYZbdfghjmnqrty]{7}$/.test(text));
    }),
  );
});
