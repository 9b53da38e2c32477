import type { Kysely } from 'kysely';
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
export async function count(db: Kysely<Tables>, query: ImageQuery, plan: SearchPlan): Promise<number> {
  const { words, linkGuid, category, iconsOnly } = query;
  if (isCategoryAlone(query)) return countCategory(db, category!);
  if (isTermsAlone(query)) return countWithTerms(db, 'image_search', termsOfWords(words));
  if (words.length === 0 && linkGuid === undefined && category === undefined) return readTotal(db, iconsOnly);
  const row =
    words.length === 0
      ? await countWithoutWords(query).first(db, paramsOf(query))
      : await counted(matching(db, query, plan)).executeTakeFirst();
  return Number(row?.total ?? 0);
}

function counted(found: Images<object>) {
  return found.select((eb) => eb.fn.countAll().as('total'));
}

/** The length of a list without words. */
const countWithoutWords = perShape(nameOf, (shape: ImageQuery) =>
  prepare((db, params: ListParams) => counted(matching(db, withParams(shape, params), 'filters'))),
);

/** Whether the index of terms alone answers a search. */
function isTermsAlone({ words, linkGuid, category, iconsOnly }: ImageQuery): boolean {
  return words.length > 0 && linkGuid === undefined && category === undefined && !iconsOnly && areTerms(words);
}

async function countCategory(db: Kysely<Tables>, category: string): Promise<number> {
  const [own, linked] = [await countOwn.first(db, { category }), await countLinked.first(db, { category })];
  return Number(own?.total ?? 0) + Number(linked?.total ?? 0);
}

const countOwn = prepare((db, { category }: { category: string }) =>
  db
    .selectFrom('images')
    .select((eb) => eb.fn.countAll().as('total'))
    .where('category_key', '=', category)
    .where(LISTED),
);

/** Counts images that are in the category only by their record. */
const countLinked = prepare((db, { category }: { category: string }) =>
  db
    .selectFrom('images')
    .select((eb) => eb.fn.countAll().as('total'))
    .where('linked_category', '=', category)
    .where(LISTED)
    .where((eb) => eb.or([eb('category_key', 'is', null), eb('category_key', '!=', category)])),
);
