/** The distance in code points from hiragana to katakana. */
const KANA_GAP = 0x60;

/**
 * Marks on Latin, Greek and Cyrillic letters, Hebrew points, and the vowels, signs and fillers of Arabic, which people
 * write or leave out. Marks of other scripts are letters: the voicing of kana, the vowels of Indic scripts.
 */
const MARKS =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each mark is meant by itself.
  /[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1dc0-\u1dff]|\u0640/g;

/** Capitals that Unicode does not take apart, as they are typed where a keyboard lacks them. */
const PLAIN: Readonly<Record<string, string>> = {
  Đ: 'D',
  Ð: 'D',
  Ħ: 'H',
  Ł: 'L',
  Ø: 'O',
  Ŧ: 'T',
  Æ: 'AE',
  Œ: 'OE',
  ẞ: 'SS',
  Þ: 'TH',
};
const UNUSUAL = /[ĐÐĦŁØŦÆŒẞÞ]/g;

/** The number of the rules of {@link foldText}. It rises with each change, and stored texts are then folded again. */
export const FOLDING = 1;

/**
 * Folds a text for search: NFKC, so that full-width and half-width forms are equal; without case in any script (`ß`
 * equals `ss`, both Greek sigmas are equal, all four i of Turkish); without accents (`cafe` is `café`, `dien` is `điện`).
 * The text is first converted to upper case, since lower case depends on neighbouring letters. What has been folded by
 * earlier rules is folded by these without the original.
 */
export function foldText(text: string): string {
  const capitals = text.normalize('NFKC').toUpperCase().normalize('NFKD').replace(MARKS, '');
  return capitals.replace(UNUSUAL, (letter) => PLAIN[letter]!).normalize('NFKC');
}

/**
 * Splits a search text into folded words, without duplicates and words that are part of another word.
 *
 * @returns an empty list when the query is blank.
 */
export function searchWords(query: string): readonly string[] {
  const words = [...new Set(foldText(query).split(/\s+/))].filter((word) => word !== '');
  return words.filter((word) => !words.some((other) => other !== word && other.includes(word)));
}

/**
 * The sort key of a text, for comparison by code point, so that every engine sorts alike: folded, Latin, Greek and
 * Cyrillic letters without accents, and kana without voicing and without the difference of hiragana and katakana. Latin
 * is then in alphabetical order, kana in the order of the syllabary, hangul in dictionary order, and Han characters in
 * Unicode's order by radical and strokes, which favours no language.
 */
export function sortKeyOf(text: string): string {
  const plain = text.normalize('NFKD').replace(/[\u0300-\u036f\u3099\u309a]/g, '');
  const hiragana = plain.replace(/[\u30a1-\u30f6]/g, (kana) =>
    String.fromCharCode(kana.charCodeAt(0) - KANA_GAP),
  );
  return hiragana.toUpperCase().normalize('NFKC');
}
