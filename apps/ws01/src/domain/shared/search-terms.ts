import type { Term } from '../../store/text-index.ts';

/**
 * Returns the terms of a text: all sequences of one, two or three characters in its words. A word
 * of up to three characters is one term; a longer one is found by its sequences of three.
 */
export function termsOf(text: string): ReadonlySet<Term> {
  const terms = new Set<Term>();
  for (const word of text.split(/\s/)) {
    const characters = [...word];
    for (let at = 0; at < characters.length; at++) {
      let term = '';
      for (const character of characters.slice(at, at + TERM_CHARS)) {
        term += character;
        terms.add(term);
      }
    }
  }
  return terms;
}

/**
 * Returns the longer words of a text that are terms as well: runs of letters and digits. A text
 * with such a term has the word, which its sequences of three do not show.
 */
export function wholeWordsOf(text: string): ReadonlySet<Term> {
  return new Set(text.match(/[\p{L}\p{M}\p{N}]+/gu)?.filter(isWholeWord));
}

/**
 * Returns terms for all words; each term shows that a text has one of them; `undefined` if a word
 * is no term.
 */
export function wholeTermsOf(words: readonly string[]): readonly Term[] | undefined {
  const areAllTerms = words.every((word) => [...word].length <= TERM_CHARS || isWholeWord(word));
  return areAllTerms ? words : undefined;
}

function isWholeWord(word: string): boolean {
  const { length } = [...word];
  return length > TERM_CHARS && length <= WORD_CHARS && /^[\p{L}\p{M}\p{N}]+$/u.test(word);
}

/** Returns the terms that every text with these folded words has. */
export function termsOfWords(words: readonly string[]): readonly Term[] {
  const terms = new Set<Term>();
  for (const word of words) {
    const characters = [...word];
    const length = Math.min(characters.length, TERM_CHARS);
    for (let at = 0; at + length <= characters.length; at++)
      terms.add(characters.slice(at, at + length).join(''));
  }
  return [...terms];
}

/** Whether every text with the terms of these folded words contains the words. */
export function areTerms(words: readonly string[]): boolean {
  return words.every((word) => [...word].length <= TERM_CHARS);
}

const TERM_CHARS = 3;

/** Longer runs are sentences of languages without spaces, which nobody searches for. */
const WORD_CHARS = 24;
