import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { excerptOf } from '../../../src/api/public/excerpt.ts';
import { beginningOf, isolated } from '../../../src/domain/values/shown-text.ts';

it('an excerpt is what readers of the HTML see, in one line', () => {
  for (const [source, excerpt] of [
    [
      '<p>Light flat,<br>two&nbsp;rooms &amp; a <b>balcony</b></p>',
      'Light flat, two rooms & a balcony',
    ],
    ['<style>p{color:red}</style><p>Seen</p><script>alert(1)</script>', 'Seen'],
    ['Fish &amp; chips', 'Fish & chips'],
    ['a < b, and AT&T; x &lang', 'a < b, and AT&T; x &lang'],
    ['<ul><li>one</li><li>two</li></ul>', '* one * two'],
    ['plain\n\ntext', 'plain text'],
    ['<p>cut in its <a href="https://exa', 'cut in its'],
  ] as const)
    assert.equal(excerptOf(source, 300), excerpt, source);
});

it('a beginning ends behind a word of any language, and within no character', () => {
  for (const [text, most, beginning] of [
    ['a flat with a balcony', 30, 'a flat with a balcony'],
    ['a flat with a balcony', 16, 'a flat with a…'],
    ['ห้องพักใหม่ใกล้สถานี', 14, 'ห้องพักใหม่…'],
    ['出租两室一厅的公寓', 6, '出租两室一…'],
    [`${'👩‍👩‍👧‍👦'.repeat(3)} x`, 14, '👩‍👩‍👧‍👦…'],
    ['Donaudampfschifffahrt', 10, 'Donaudamp…'],
    ['e\u0301'.repeat(10), 8, `${'e\u0301'.repeat(3)}…`],
  ] as const)
    assert.equal(beginningOf(text, most), beginning, text);
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 40 }), (text, most) => {
      const beginning = beginningOf(text, most);
      assert.ok(beginning.length <= most && beginning.isWellFormed());
    }),
  );
});

it('controls of direction turn nothing beside the text that has them', () => {
  assert.equal(isolated('שלום \u200e12'), 'שלום \u200e12');
  assert.equal(isolated('Sofa \u202egpj'), '\u2068Sofa \u202egpj\u2069');
  assert.equal(isolated('\u2069\u202eabc'), '\u2068\u202eabc\u2069');
  assert.equal(isolated('\u2067a \u2066b\u2069 c'), '\u2068\u2067a \u2066b\u2069 c\u2069\u2069');
  const part = fc.constantFrom(
    'a',
    'ש',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
    '\u202e',
    '\u202c',
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      let open = 0;
      const shown = [...isolated(parts.join(''))];
      for (const [at, character] of shown.entries()) {
        if (/[\u2066-\u2068]/.test(character)) open++;
        if (character === '\u2069') open--;
        if (shown[0] === '\u2068' && at < shown.length - 1) assert.ok(open > 0);
      }
      assert.equal(open, 0);
    }),
  );
});
