import type { Term } from '../../../store/text-index.ts';
import { foldText } from '../../values/search-text.ts';

/** What an image is found by. */
export interface SearchedTexts {
  readonly guid: string;
  readonly category: string;
  /** Captions of the records it belongs to. */
  readonly captions: readonly string[];
}

/** The texts as they are searched in: folded, one a line. */
export function searchTextOf({ guid, category, captions }: SearchedTexts): string {
  return foldText([category, guid, ...captions].join('\n'));
}

/**
 * The terms of a text: every sequence of one, two or three characters in its words, each as a number. A word of up to
 * three characters is one term itself; a longer one is found by all of its sequences of three.
 */
export function termsOf(text: string): ReadonlySet<Term> {
  const terms = new Set<Term>();
  for (const word of wordsOf(text)) {
    for (let at = 0; at < word.length; at++) {
      for (let length = 1; length <= TERM_CHARS && at + length <= word.length; length++) {
        terms.add(termOf(word, at, length));
      }
    }
  }
  return terms;
}

/** The terms that every text with these folded words has. */
export function termsOfWords(words: readonly string[]): readonly Term[] {
  const terms = new Set<Term>();
  for (const text of words) {
    const word = [...text];
    const length = Math.min(word.length, TERM_CHARS);
    for (let at = 0; at + length <= word.length; at++) terms.add(termOf(word, at, length));
  }
  return [...terms];
}

const TERM_CHARS = 3;

function wordsOf(text: string): string[][] {
  return text.split(/\s/).map((word) => [...word]);
}

/** FNV-1a over the code points, in 31 bits. That two terms share a number costs a look at the text, nothing more. */
function termOf(characters: readonly string[], from: number, length: number): Term {
  let hash = 0x811c9dc5;
  for (let at = from; at < from + length; at++) {
    const code = characters[at]!.codePointAt(0)!;
    for (let shift = 0; shift < 24; shift += 8) hash = Math.imul(hash ^ ((code >>> shift) & 0xff), 0x01000193);
  }
  return hash >>> 1;
}
