import { hash } from 'node:crypto';
import { endsWithOne, numbersIn, phoneEnds } from './phone-search.ts';
import { foldText } from './search-text.ts';

/**
 * What a character is to the words of a text: a blank, or what else separates, as the dots of an
 * address.
 */
const BLANK = 4;
const SEPARATES = 1;
/** Of a word with spaces around it: a letter, digit or mark. */
const SPACED = 2;
/**
 * Of a script that puts no spaces between words, or a symbol such as an emoji: each may begin a
 * word.
 */
const UNSPACED = 3;

const WORD = /[\p{L}\p{M}\p{N}]/u;
const WITHOUT_SPACES =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]/u;
/** Those of ASCII stand in addresses and formulas, and the index has no such terms. */
const SYMBOL = /(?![$+<=>^`|~])\p{S}/u;

/**
 * Stands between two words that have no blank between them, in the term of both. It is in no word.
 */
const JOINT = '·';

/**
 * The term of all words that begin with a character; where it stands first, no word is before it.
 */
const beginningOf = (word: string) => JOINT + String.fromCodePoint(word.codePointAt(0)!);

/** Longer words are indexed by their first part; UTF-16 code units. */
const TERM_LENGTH = 32;

/**
 * So many terms the index is asked for at most, and of those so many beginnings and single letters,
 * the longest of a search; the other words are looked for in the texts. Of each it may have to go
 * through all records.
 */
const ASKED = { prefix: 3, letter: 4, all: 8 };

/**
 * The term of a phone number: its digits, the last one first, so that its last digits are a
 * beginning.
 */
const endTerm = (digits: string) => JOINT + JOINT + [...digits].toReversed().join('');

/** A term that a record must have, or that one of its terms must begin with. */
interface SoughtTerm {
  readonly term: string;
  readonly isPrefix: boolean;
  /** What one of its terms may begin with as well. */
  readonly or?: readonly string[];
}

/**
 * What is looked for: words, each of which must begin a word of a record, stand anywhere in a
 * script without spaces, or be the end of a phone number; or such a number in any writing.
 */
export interface Sought {
  /** Whether a text has all words; exact. */
  readonly isIn: (text: string) => boolean;
  /** Whether a text has all words as whole words; those without spaces between anywhere. */
  readonly isWholeIn: (text: string) => boolean;
  /** What each text has that has the words; `undefined` where a word has no terms, as `%`. */
  readonly terms: readonly SoughtTerm[] | undefined;
  /** What else each has, of more words than the index is asked for at once. */
  readonly spare: readonly SoughtTerm[];
  /** Whether each text with these terms has the words. */
  readonly isProven: boolean;
  /** Length of all words; UTF-16 code units. */
  readonly length: number;
}

/**
 * Returns the terms of a text: its words, folded, and what each begins with; neighbouring words
 * without a blank between them in pairs, as in an address; in scripts without spaces, all single
 * characters and pairs; of phone numbers also their digits from the end.
 */
export function recordTerms(text: string): Set<string> {
  const terms = new Set<string>();
  for (const { segment, sort, joined } of segmentsOf(foldText(text))) {
    if (sort === SPACED) {
      terms.add(cut(segment));
      terms.add(beginningOf(segment));
      if (joined !== undefined) terms.add(cut(joined) + JOINT + cut(segment));
    } else {
      let before = '';
      for (const character of segment) {
        terms.add(character);
        if (before !== '') terms.add(before + character);
        before = character;
      }
    }
  }
  for (const digits of numbersIn(text)) terms.add(endTerm(digits));
  return terms;
}

/**
 * Reads a search text.
 * @param country ISO 3166 code of the country whose phone numbers are written without `+`.
 */
export function soughtWords(query: string, country?: string): Sought {
  const number = phoneEnds(query, country);
  const isNumber = number.length > 0;
  const endsOf = (word: string) => (isNumber ? number : phoneEnds(word, country));
  const all = [...new Set(foldText(query).split(/\s+/))].filter(
    (word) => word !== '' && !(isNumber && !/\p{Nd}/u.test(word)),
  );
  const words = all.filter(
    (word) => !all.some((other) => other !== word && other.startsWith(word)),
  );
  const ends = new Map(words.map((word) => [word, endsOf(word)]));
  const sought = words.map((word) => orEnds(termsOfWord(word), ends.get(word)!));
  const hasTerms = sought.every(({ terms }) => terms.length > 0);
  const terms = sought.flatMap((one) => one.terms);
  const { asked, spare } = longestOf(terms);
  return {
    isIn: (text) => {
      const folded = foldText(text);
      const numbers = numbersIn(text);
      const isEnd = (word: string) => numbers.some((one) => endsWithOne(one, ends.get(word)!));
      return words.every((word) => beginsIn(word, folded) || isEnd(word));
    },
    isWholeIn: (text) => {
      const folded = foldText(text);
      return words.every((word) => beginsIn(word, folded, isWholeWord));
    },
    terms: hasTerms ? asked : undefined,
    spare,
    isProven: asked.length === terms.length && sought.every(({ isProven }) => isProven),
    length: words.join('').length,
  };
}

/** The terms that the index is asked for, and the others; each once. */
function longestOf(terms: readonly SoughtTerm[]): Record<'asked' | 'spare', readonly SoughtTerm[]> {
  const each = [...new Map(terms.map((one) => [`${one.isPrefix} ${one.term}`, one])).values()];
  const longest = each.toSorted((one, other) => other.term.length - one.term.length);
  const left = { ...ASKED };
  const few = longest.filter(({ term, isPrefix }) =>
    isPrefix ? left.prefix-- > 0 : !term.startsWith(JOINT) || left.letter-- > 0,
  );
  const asked = few.slice(0, ASKED.all);
  return { asked, spare: each.filter((one) => !asked.includes(one)) };
}

/** Hexadecimal digits of a hash, of which no two values have the same. */
const EXACT_DIGITS = 20;

/** The term of a value that a record has as a whole. */
export function exactTerm(of: string, value: string): string {
  return hash('sha256', `${of}=${value}`).slice(0, EXACT_DIGITS);
}

/** What each text has that has a word. */
interface WordTerms {
  readonly terms: readonly SoughtTerm[];
  /** Whether each text with these terms has the word. */
  readonly isProven: boolean;
}

/** The same for a word that may be the end of a phone number. */
function orEnds(word: WordTerms, ends: readonly string[]): WordTerms {
  if (ends.length === 0) return word;
  const or = ends.map(endTerm);
  return { ...word, terms: word.terms.map((one) => ({ ...one, or })) };
}

function termsOfWord(word: string): WordTerms {
  const terms: SoughtTerm[] = [];
  const segments = segmentsOf(word);
  for (const [at, { segment, sort, end, joined }] of segments.entries()) {
    if (sort === UNSPACED) terms.push(...pairsOf([...segment]));
    else if (joined !== undefined || segments[at + 1]?.joined === undefined) {
      const term = (joined === undefined ? '' : cut(joined) + JOINT) + cut(segment);
      // After a word that is cut, nothing else of it is in the index.
      const isPrefix = end === word.length && segment.length < TERM_LENGTH;
      const beginning = beginningOf(segment);
      // Thousands of terms begin with the same letter, and an engine goes through all of them.
      const isLetter = isPrefix && JOINT + term === beginning;
      terms.push(isLetter ? { term: beginning, isPrefix: false } : { term, isPrefix });
    }
  }
  const isOne = segments.length === 1 && segments[0]!.segment === word && terms.length === 1;
  return { terms, isProven: isOne && word.length < TERM_LENGTH };
}

function pairsOf(characters: readonly string[]): SoughtTerm[] {
  if (characters.length === 1) return [{ term: characters[0]!, isPrefix: false }];
  return characters
    .slice(1)
    .map((character, at) => ({ term: characters[at]! + character, isPrefix: false }));
}

/** Whether a word begins somewhere in a folded text, not within another word. */
function beginsIn(word: string, text: string, isRight = anyEnd): boolean {
  const mayBeginAnywhere = sortOf(word.codePointAt(0)!) !== SPACED;
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const begins = mayBeginAnywhere || at === 0 || sortOf(codePointBefore(text, at)) !== SPACED;
    if (begins && isRight(text, at + word.length)) return true;
  }
  return false;
}

const anyEnd = (_text: string, _end: number): boolean => true;

/** Whether a word that ends there in a text does not go on. */
const isWholeWord = (text: string, end: number): boolean =>
  end === text.length ||
  sortOf(codePointBefore(text, end)) !== SPACED ||
  sortOf(text.codePointAt(end)!) !== SPACED;

function codePointBefore(text: string, at: number): number {
  const pair = at > 1 ? text.codePointAt(at - 2)! : 0;
  return pair > 0xffff ? pair : text.charCodeAt(at - 1);
}

/** Characters of one sort in a row. */
interface Segment {
  readonly segment: string;
  readonly sort: typeof SPACED | typeof UNSPACED;
  /** Where it ends in the text. */
  readonly end: number;
  /**
   * The word before it, if both have spaces around them and there is none, but something, in
   * between.
   */
  readonly joined: string | undefined;
}

function segmentsOf(text: string): Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  let sort = BLANK;
  let before: string | undefined;
  const endAt = (end: number) => {
    if (sort === BLANK) before = undefined;
    if (sort !== SPACED && sort !== UNSPACED) return;
    const segment = text.slice(start, end);
    const isWord = sort === SPACED;
    segments.push({ segment, sort, end, joined: isWord ? before : undefined });
    before = isWord ? segment : undefined;
  };
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at)!;
    const its = sortOf(point);
    if (its !== sort) {
      endAt(at);
      [start, sort] = [at, its];
    }
    at += point > 0xffff ? 2 : 1;
  }
  endAt(text.length);
  return segments;
}

/** By code point; 0 where it has not been asked for yet. */
const sorts = new Uint8Array(0x11_0000);

function sortOf(point: number): number {
  const known = sorts[point]!;
  if (known !== 0) return known;
  const sort = sortOfCharacter(String.fromCodePoint(point));
  sorts[point] = sort;
  return sort;
}

function sortOfCharacter(character: string): number {
  if (SYMBOL.test(character)) return UNSPACED;
  if (WORD.test(character)) return WITHOUT_SPACES.test(character) ? UNSPACED : SPACED;
  return /\s/.test(character) ? BLANK : SEPARATES;
}

function cut(segment: string): string {
  const isHigh = /[\ud800-\udbff]/.test(segment[TERM_LENGTH - 1] ?? '');
  return segment.slice(0, isHigh ? TERM_LENGTH - 1 : TERM_LENGTH);
}
