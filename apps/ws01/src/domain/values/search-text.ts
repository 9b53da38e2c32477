/** The distance in code points from hiragana to katakana. */
const KANA_GAP = 0x60;

/**
 * Marks on Latin, Greek and Cyrillic letters, Hebrew points, the vowels, signs and fillers of
 * Arabic, and the dot below letters of Hindi, which people write or leave out; and what nobody
 * sees, such as a soft hyphen, the joiners of Persian or the style of an emoji. Marks of other
 * scripts are letters: the voicing of kana, the vowels of Indic scripts.
 */
const MARKED = [
  '\\p{Cf}\\p{Default_Ignorable_Code_Point}\\u093c\\u0640',
  '\\u0300-\\u036f\\u0483-\\u0487\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7',
  '\\u0610-\\u061a\\u064b-\\u065f\\u0670\\u1dc0-\\u1dff',
];
const MARKS = new RegExp(`[${MARKED.join('')}]`, 'gu');

/**
 * Capitals that Unicode does not take apart, as they are typed where a keyboard lacks them; the
 * letters of Persian and Urdu and endings of Arabic, by the letters of Arabic that stand for them
 * on other keyboards; apostrophes that phones write.
 */
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
  '\u0671': '\u0627',
  '\u0629': '\u0647',
  '\u06c1': '\u0647',
  '\u06be': '\u0647',
  '\u06a9': '\u0643',
  '\u0649': '\u064a',
  '\u06cc': '\u064a',
  '`': "'",
  '\u02bb': "'",
  '\u02bc': "'",
  '\u2018': "'",
  '\u2019': "'",
  '\u201b': "'",
  '\u2032': "'",
};
const UNUSUAL = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'g');

/** Dashes of every kind. */
const DASHES = /[\p{Pd}\u2212]/gu;

/**
 * The number of the rules of {@link foldText}. It rises with each change, and stored texts are then
 * folded again.
 */
export const FOLDING = 2;

/**
 * Folds a text for search: NFKC, so that full-width and half-width forms are equal; without case in
 * any script (`ß` equals `ss`, both Greek sigmas are equal, all four i of Turkish); without accents
 * (`cafe` is `café`, `dien` is `điện`); with one apostrophe and one dash. The text is first
 * converted to upper case, since lower case depends on neighbouring letters. What has been folded
 * by earlier rules is folded by these without the original.
 */
export function foldText(text: string): string {
  const capitals = text.normalize('NFKC').toUpperCase().normalize('NFKD').replace(MARKS, '');
  const plain = capitals.replace(UNUSUAL, (letter) => PLAIN[letter]!);
  return plain.replace(DASHES, '-').normalize('NFKC');
}

/**
 * Splits a search text into folded words, without duplicates and words that are part of another
 * word.
 *
 * @returns an empty list when the query is blank.
 */
export function searchWords(query: string): readonly string[] {
  const words = [...new Set(foldText(query).split(/\s+/))].filter((word) => word !== '');
  return words.filter((word) => !words.some((other) => other !== word && other.includes(word)));
}

/**
 * The sort key of a text, for comparison by code point, so that every engine sorts alike: folded,
 * Latin, Greek and Cyrillic letters without accents, and kana without voicing and without the
 * difference of hiragana and katakana. Latin is then in alphabetical order, kana in the order of
 * the syllabary, hangul in dictionary order, and Han characters in Unicode's order by radical and
 * strokes, which favours no language.
 */
export function sortKeyOf(text: string): string {
  const plain = text.normalize('NFKD').replace(/[\u0300-\u036f\u3099\u309a]/g, '');
  const hiragana = plain.replace(/[\u30a1-\u30f6]/g, (kana) =>
    String.fromCharCode(kana.charCodeAt(0) - KANA_GAP),
  );
  return hiragana.toUpperCase().normalize('NFKC');
}
