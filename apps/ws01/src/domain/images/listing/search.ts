import { type Kysely, sql } from 'kysely';
import { prepare } from '../../../store/prepared.ts';
import type { Store } from '../../../store/store.ts';
import {
  type ImagesTable,
  type Tables,
  VISIBILITY,
  type Visibility,
} from '../../../store/tables/tables.ts';
import { indexTerms, removeTerms } from '../../../store/text-index.ts';
import { refold } from '../../shared/refolding.ts';
import { termsOf } from '../../shared/search-terms.ts';
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

/** Indexes an image by its texts; an image that lists do not show has no terms. */
export async function indexImage(
  tx: Kysely<Tables>,
  image: SearchedTexts & { readonly id: number; readonly visibility: Visibility },
): Promise<void> {
  const search_text = searchTextOf(image);
  setSearchText.send(tx, { id: image.id, search_text });
  if (image.visibility === VISIBILITY.listed)
    indexTerms(tx, 'image_search', image.id, termsOf(search_text));
  else removeTerms(tx, 'image_search', image.id);
}

/** As {@link indexImage} for an image that this write creates with its search text. */
export function indexNewImage(
  tx: Kysely<Tables>,
  {
    guid,
    search_text,
    visibility,
  }: Pick<ImagesTable, 'guid' | 'search_text'> & { readonly visibility: Visibility },
): void {
  if (visibility !== VISIBILITY.listed) return;
  const id = sql<number>`(select "id" from "images" where "guid" = ${guid})`;
  indexTerms(tx, 'image_search', id, termsOf(search_text));
}

/** Folds the texts of all images again, and those in the index. */
export function refoldImages(store: Store): Promise<void> {
  return refold<Pick<ImagesTable, 'search_text'> & { readonly id: number }>(store, {
    page: (db, after, limit) =>
      db
        .selectFrom('images')
        .select(['id', 'search_text'])
        .$if(after !== undefined, (query) => query.where('id', '>', after!.id))
        .orderBy('id')
        .limit(limit)
        .execute(),
    write: async (tx, { id, search_text: before }, search_text) => {
      const changed = await tx
        .updateTable('images')
        .set({ search_text })
        .where('id', '=', id)
        .where('search_text', '=', before)
        .returning('visibility')
        .executeTakeFirst();
      if (changed?.visibility === VISIBILITY.listed)
        indexTerms(tx, 'image_search', id, termsOf(search_text));
    },
  });
}

const setSearchText = prepare((db, row: { id: number; search_text: string }) =>
  db.updateTable('images').set({ search_text: row.search_text }).where('id', '=', row.id),
);
