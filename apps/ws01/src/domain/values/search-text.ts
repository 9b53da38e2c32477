/** The distance in code points from hiragana to katakana. */
const KANA_GAP = 0x60;

/**
 * Folds a text for search: NFKC, so that full-width and half-width forms are equal, and without case in any script (`ß`
 * equals `ss`, both Greek sigmas are equal). The text is first converted to upper case, since lower case depends on
 * neighbouring letters.
 */
export function foldText(text: string): string {
  return text.normalize('NFKC').toUpperCase().normalize('NFKC');
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
