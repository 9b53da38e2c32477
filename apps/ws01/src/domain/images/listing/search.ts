import { type Kysely, sql } from 'kysely';
import { prepare } from '../../../store/prepared.ts';
import { type ImagesTable, type Tables, VISIBILITY, type Visibility } from '../../../store/tables/tables.ts';
import { indexTerms, removeTerms, type Term } from '../../../store/text-index.ts';
import { foldText } from '../../values/search-text.ts';

/** The searchable texts of an image. */
interface SearchedTexts {
  readonly guid: string;
  readonly category: string;
  /** The captions of its records. */
  readonly captions: readonly string[];
}

/** Returns the search text: the texts folded, one per line. */
export function searchTextOf({ guid, category, captions }: SearchedTexts): string {
  return foldText([category, guid, ...captions].join('\n'));
}

/**
 * Returns the terms of a text: all sequences of one, two or three characters in its words. A word of up to three
 * characters is one term; a longer one is found by its sequences of three.
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

/** Returns the terms that every text with these folded words has. */
export function termsOfWords(words: readonly string[]): readonly Term[] {
  const terms = new Set<Term>();
  for (const word of words) {
    const characters = [...word];
    const length = Math.min(characters.length, TERM_CHARS);
    for (let at = 0; at + length <= characters.length; at++) terms.add(characters.slice(at, at + length).join(''));
  }
  return [...terms];
}

/** Whether every text with the terms of these folded words contains the words. */
export function areTerms(words: readonly string[]): boolean {
  return words.every((word) => [...word].length <= TERM_CHARS);
}

const TERM_CHARS = 3;

/** Indexes an image by its texts; an image that lists do not show has no terms. */
export async function indexImage(
  tx: Kysely<Tables>,
  image: SearchedTexts & { readonly id: number; readonly visibility: Visibility },
): Promise<void> {
  const search_text = searchTextOf(image);
  setSearchText.send(tx, { id: image.id, search_text });
  if (image.visibility === VISIBILITY.listed) indexTerms(tx, 'image_search', image.id, termsOf(search_text));
  else removeTerms(tx, 'image_search', image.id);
}

/** As {@link indexImage} for an image that this write creates with its search text. */
export function indexNewImage(
  tx: Kysely<Tables>,
  { guid, search_text, visibility }: Pick<ImagesTable, 'guid' | 'search_text'> & { readonly visibility: Visibility },
): void {
  if (visibility !== VISIBILITY.listed) return;
  const id = sql<number>`(select "id" from "images" where "guid" = ${guid})`;
  indexTerms(tx, 'image_search', id, termsOf(search_text));
}

const setSearchText = prepare((db, row: { id: number; search_text: string }) =>
  db.updateTable('images').set({ search_text: row.search_text }).where('id', '=', row.id),
);
