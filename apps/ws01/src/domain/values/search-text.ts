/** The gap from katakana to hiragana. */
const KANA_GAP = 0x60;

/**
 * A text as it is searched in and for: NFKC, so that full-width and half-width forms are one, and without the
 * difference of capitals in any script that has them (`ß` is `ss`, both Greek sigmas are one). Upper case decides,
 * since lower case depends on what stands next to a letter.
 */
export function foldText(text: string): string {
  return text.normalize('NFKC').toUpperCase().normalize('NFKC');
}

/**
 * The words of a search: what stands between blanks, folded, each once, without those that are part of another one.
 *
 * @returns no word when the query is blank.
 */
export function searchWords(query: string): readonly string[] {
  const words = [...new Set(foldText(query).split(/\s+/))].filter((word) => word !== '');
  return words.filter((word) => !words.some((other) => other !== word && other.includes(word)));
}

/**
 * What a text is sorted by, code point by code point, the same on every engine: folded, letters of Latin, Greek and
 * Cyrillic without their accents, kana without the difference of hiragana and katakana and of voicing. So Latin comes
 * in alphabetical order, kana in that of the syllabary, hangul in that of the dictionary, and Han characters in
 * Unicode's order by radical and strokes, which belongs to no language more than to another.
 */
export function sortKeyOf(text: string): string {
  const plain = text.normalize('NFKD').replace(/[\u0300-\u036f\u3099\u309a]/g, '');
  const hiragana = plain.replace(/[\u30a1-\u30f6]/g, (kana) => String.fromCharCode(kana.charCodeAt(0) - KANA_GAP));
  return hiragana.toUpperCase().normalize('NFKC');
}
