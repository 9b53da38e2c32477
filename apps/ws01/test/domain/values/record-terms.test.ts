import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordTerms, soughtWords } from '../../../src/domain/values/record-terms.ts';
import { WORDS_OF_LANGUAGES } from '../../kit/words-of-languages.ts';

/** Whether an index with the terms of a text finds it. */
function isFound(text: string, query: string): boolean {
  const indexed = [...recordTerms(text)];
  return soughtWords(query).terms!.every(({ term, isPrefix }) =>
    indexed.some((one) => (isPrefix ? one.startsWith(term) : one === term)),
  );
}

/** Pieces that make texts with words of both sorts, marks, and what stands between them. */
const piece = fc.constantFrom(
  ...[
    'a',
    'É',
    'ß',
    '1',
    '公',
    '寓',
    'が',
    'ไ',
    'ท',
    '한',
    '🚲',
    '👩‍🚀',
    'किताब',
    '\u0301',
    '𝒳',
    '𠮷',
  ],
  ...['.', '-', '@', ' ', '\n', '%', '·', '_', 'x'.repeat(31), 'y'.repeat(40)],
);
const someText = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));

describe('terms of records', () => {
  it('are words of every language, found by their beginnings whatever their case and accents', () => {
    for (const [language, title, ...words] of WORDS_OF_LANGUAGES)
      for (const word of words) {
        assert.ok(isFound(title, word), `${language}: ${word}`);
        assert.ok(isFound(title, [...word].slice(0, 2).join('')), `${language}: begins as ${word}`);
      }
  });

  it('of Chinese, Japanese, Korean and Thai are one and two characters, wherever they stand', () => {
    for (const [text, ...words] of [
      ['东京站前公寓出租', '公', '公寓', '前公寓', '租'],
      ['ﾄﾞﾗｲﾔｰ売ります', 'ドライ', '売', 'イヤ'],
      ['서울아파트', '울', '아파', '아파트'],
      ['ขายบ้านเดี่ยว', 'บ้าน', 'เดี่ยว'],
      ['bike 🚲 sale', '🚲'],
    ] as const)
      for (const word of words) assert.ok(isFound(text, word), `${text}: ${word}`);
    assert.ok(!isFound('公 寓', '公寓'));
  });

  it('of an address, a key or a number are its parts in their order', () => {
    for (const [text, ...words] of [
      ['ada.lovelace@example.com', 'ada', 'lovelace@example', '@example.com', 'example.com'],
      ['192.0.2.77', '192.0.2.7', '0.2.77', '77'],
      ['01930b9e-0000-7000-8000-000000000000', '01930b9e', '0000-7000', '01930b9e-0000-7'],
      ['+12125550100', '+1212', '1212555'],
    ] as const)
      for (const word of words) {
        assert.ok(isFound(text, word), `${text}: ${word}`);
        assert.ok(soughtWords(word).isIn(text), `${text}: ${word}`);
      }
    assert.ok(!isFound('example.com ada', 'ada@example'));
    assert.ok(!isFound('192.0.2.77', '192.2'));
  });

  it('the index misses no text that has the words, and where it is exact finds no other', () => {
    fc.assert(
      fc.property(someText, someText, fc.nat(), fc.nat(), (text, other, from, length) => {
        const part = [...text].slice(from % (text.length + 1)).slice(0, length % 8);
        for (const query of [part.join(''), other]) {
          const sought = soughtWords(query);
          if (sought.terms === undefined || sought.length === 0) continue;
          const isThere = sought.isIn(text);
          if (isThere) assert.ok(isFound(text, query), JSON.stringify([text, query]));
          else if (sought.isProven) assert.ok(!isFound(text, query), JSON.stringify([text, query]));
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('the index is asked for few of many words, the longest, and proves nothing then', () => {
    const words = Array.from({ length: 26 }, (_, at) => String.fromCodePoint(0x61 + at));
    const { terms, isProven, isIn } = soughtWords([...words, 'flat', 'housing'].join(' '));
    assert.deepEqual(
      terms!.slice(0, 2).map(({ term }) => term),
      ['HOUSING', 'FLAT'],
    );
    assert.deepEqual([terms!.length, isProven, isIn('flat housing a')], [6, false, false]);
    assert.equal(soughtWords('东京站前公'.repeat(40)).terms!.length, 5);
  });

  it('are none for what is neither letter, digit nor symbol, so that texts are looked through', () => {
    assert.equal(soughtWords('%').terms, undefined);
    assert.equal(soughtWords('flat %').terms, undefined);
    assert.ok(soughtWords('%').isIn('50 % off'));
    assert.equal(soughtWords('  ').length, 0);
  });
});
