import { type Kysely, type RawBuilder, sql } from 'kysely';
import { prepare } from '../../../store/prepared.ts';
import type { Tables } from '../../../store/tables/tables.ts';
import { countWithTerms } from '../../../store/text-index.ts';
import { perShape } from '../../shared/per-shape.ts';
import { areTerms, termsOfWords } from '../../shared/search-terms.ts';
import {
  type ImageQuery,
  type Images,
  isCategoryAlone,
  LISTED,
  type ListParams,
  matching,
  nameOf,
  paramsOf,
  type SearchPlan,
  withParams,
} from './query.ts';
import { readTotal } from './totals.ts';

/** Counts the images of a list. */
export async function count(
  db: Kysely<Tables>,
  query: ImageQuery,
  plan: SearchPlan,
): Promise<number> {
  const { words, linkGuid, category, iconsOnly } = query;
  if (isTermsAlone(query)) return countWithTerms(db, 'image_search', termsOfWords(words));
  if (words.length === 0 && linkGuid === undefined && category === undefined)
    return readTotal(db, iconsOnly);
  const row =
    words.length === 0
      ? await countWithoutWords(query).first(db, paramsOf(query))
      : await counted(matching(db, query, plan)).executeTakeFirst();
  return Number(row!.total);
}

function counted(found: Images<object>) {
  return found.select((eb) => eb.fn.countAll().as('total'));
}

/** The length of a list without words. */
const countWithoutWords = perShape(nameOf, (shape: ImageQuery) =>
  prepare((db, params: ListParams) =>
    db.selectNoFrom(lengthOf(db, withParams(shape, params)).as('total')),
  ),
);

/** Whether the index of terms alone answers a search. */
function isTermsAlone({ words, linkGuid, category, iconsOnly }: ImageQuery): boolean {
  const isFiltered = linkGuid !== undefined || category !== undefined || iconsOnly;
  return words.length > 0 && !isFiltered && areTerms(words);
}

/** The length of a list without words, as part of a query. */
export function lengthOf(db: Kysely<Tables>, query: ImageQuery): RawBuilder<number> {
  if (!isCategoryAlone(query)) return sql`${counted(matching(db, query, 'filters'))}`;
  const { category } = query;
  const images = db.selectFrom('images').where(LISTED);
  const own = images.where('category_key', '=', category!);
  // Only by their record.
  const linked = images
    .where('linked_category', '=', category!)
    .where((eb) => eb.or([eb('category_key', 'is', null), eb('category_key', '!=', category!)]));
  return sql`${counted(own)} + ${counted(linked)}`;
}
