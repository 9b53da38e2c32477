import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldText, searchWords, sortKeyOf } from '../../../src/domain/values/search-text.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 60 });

describe('folded text', () => {
  it('is the same whatever the capitals, in every script that has them', () => {
    for (const [one, other] of [
      ['Straße', 'STRASSE'],
      ['ОБЪЯВЛЕНИЕ', 'объявление'],
      ['ΟΔΟΣ', 'οδός'.replace('ό', 'ο')],
      ['οδος', 'οδοσ'],
      ['ÀÉÎ', 'àéî'],
      ['ԵՐԵՎԱՆ', 'երեվան'],
    ] as const) {
      assert.equal(foldText(one), foldText(other), one);
    }
  });

  it('is the same whatever the width and the composition', () => {
    for (const [one, other] of [
      ['ＳＡＬＥ　５０％', 'sale 50%'],
      ['ｶﾞﾗｽ', 'ガラス'],
      ['が', 'か\u3099'],
      ['한국', '한국'.normalize('NFD')],
      ['é', 'e\u0301'],
      ['é', 'e'],
      ['㈱', '(株)'],
    ] as const) {
      assert.equal(foldText(one), foldText(other), one);
    }
  });

  it('keeps what differs apart', () => {
    for (const [one, other] of [
      ['か', 'が'],
      ['か', 'カ'],
      ['国', '國'],
    ] as const) {
      assert.notEqual(foldText(one), foldText(other), one);
    }
  });

  it('of what the rules of 0.2.0 folded is that of the original', () => {
    const before = (given: string) => given.normalize('NFKC').toUpperCase().normalize('NFKC');
    const character = fc.nat({ max: 0x2ffff }).map((code) => String.fromCodePoint(code));
    for (const any of [text, fc.string({ unit: character, maxLength: 20 })]) {
      fc.assert(
        fc.property(any, (given) => assert.equal(foldText(before(given)), foldText(given))),
      );
    }
  });

  it('is folded already', () => {
    fc.assert(
      fc.property(text, (given) => assert.equal(foldText(foldText(given)), foldText(given))),
    );
  });
});

describe('the words of a search', () => {
  it('are what stands between blanks of any width, folded', () => {
    assert.deepEqual(searchWords(' summer　ＳＡＬＥ\u00a050% '), ['SUMMER', 'SALE', '50%']);
    assert.deepEqual(searchWords('东京 房'), ['东京', '房']);
    assert.deepEqual(searchWords(' \u3000 '), []);
  });

  it('leave out what another word implies', () => {
    assert.deepEqual(searchWords('sale Sale sal presale'), ['PRESALE']);
  });

  it('are each found in the text that they come from', () => {
    fc.assert(
      fc.property(text, text, text, (before, query, after) => {
        const folded = foldText(`${before} ${query} ${after}`);
        assert.ok(searchWords(query).every((word) => folded.includes(word)));
      }),
    );
  });
});

describe('the sort key', () => {
  const sorted = (titles: readonly string[]) =>
    titles.toSorted((a, b) => (sortKeyOf(a) < sortKeyOf(b) ? -1 : 1));

  it('has Latin in alphabetical order, whatever the accents and capitals', () => {
    assert.deepEqual(sorted(['zebra', 'Äpfel', 'apple', 'Éclair', 'B']), [
      'Äpfel',
      'apple',
      'B',
      'Éclair',
      'zebra',
    ]);
  });

  it('has kana in the order of the syllabary, whatever the form', () => {
    assert.deepEqual(sorted(['ﾜｲﾝ', 'さくら', 'アパート', 'がっこう', 'カメラ']), [
      'アパート',
      'がっこう',
      'カメラ',
      'さくら',
      'ﾜｲﾝ',
    ]);
  });

  it('has hangul in the order of the dictionary', () => {
    assert.deepEqual(sorted(['하늘', '가구', '까치', '나무']), ['가구', '까치', '나무', '하늘']);
  });

  it('has Han characters in the order of radical and strokes', () => {
    assert.deepEqual(sorted(['车', '一', '东', '房']), ['一', '东', '房', '车']);
  });
});
