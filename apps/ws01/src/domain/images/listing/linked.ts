import type { Kysely } from 'kysely';
import { prepare } from '../../../store/prepared.ts';
import { lockName } from '../../../store/row-lock.ts';
import type { Tables } from '../../../store/tables/tables.ts';
import { indexTerms } from '../../../store/text-index.ts';
import { searchTextOf, termsOf } from './search.ts';

/** What an image takes over from the record it belongs to. */
export interface LinkedRecord {
  readonly owner: string | null;
  readonly category: string | null;
  readonly captions: readonly string[];
}

const NO_RECORD: LinkedRecord = { owner: null, category: null, captions: [] };

/**
 * The article or the advert with a key; where there are both, the article's owner and category count and both captions
 * are found. An article in the trash still has its owner, and nothing that is shown. Until the write ends no other one
 * changes what was found, be the record there already or not, so that what is taken over of it is never out of date.
 */
export async function findLinked(tx: Kysely<Tables>, guid: string | null): Promise<LinkedRecord> {
  if (guid === null) return NO_RECORD;
  await lockName(tx, linkName(guid));
  const article = await linkedArticle.first(tx, { guid });
  const advert = await linkedAdvert.first(tx, { guid });
  const shown = article?.deleted_at === null ? article : undefined;
  return {
    owner: article?.owner ?? advert?.owner ?? null,
    category: shown?.category_key ?? advert?.category_key ?? null,
    captions: [shown?.caption, advert?.title].filter((caption) => caption !== undefined),
  };
}

/**
 * Makes the images of a record found by what it is called now, and listed under its category. To be called at the end
 * of every write that creates an article or an advert, or changes an article's caption, category or being in the trash.
 */
export async function refreshLinkedImages(tx: Kysely<Tables>, linkGuid: string): Promise<void> {
  await lockName(tx, linkName(linkGuid));
  const images = await imagesOfLink.all(tx, { link_guid: linkGuid });
  if (images.length === 0) return;
  const linked = await findLinked(tx, linkGuid);
  for (const { id, guid, category } of images) {
    const search_text = searchTextOf({ guid, category, captions: linked.captions });
    await setLinked.run(tx, { id, linked_category: linked.category, search_text });
    await indexTerms(tx, 'image_search', id, termsOf(search_text));
  }
}

/** What a write of an image and one of the record it belongs to wait for each other by. */
function linkName(guid: string): string {
  return `image link ${guid}`;
}

const linkedArticle = prepare((db, { guid }: { guid: string }) =>
  db.selectFrom('articles').select(['owner', 'category_key', 'caption', 'deleted_at']).where('guid', '=', guid),
);

const linkedAdvert = prepare((db, { guid }: { guid: string }) =>
  db.selectFrom('adverts').select(['owner', 'category_key', 'title']).where('guid', '=', guid),
);

const imagesOfLink = prepare((db, row: { link_guid: string }) =>
  db.selectFrom('images').select(['id', 'guid', 'category']).where('link_guid', '=', row.link_guid),
);

const setLinked = prepare((db, row: { id: number; linked_category: string | null; search_text: string }) =>
  db
    .updateTable('images')
    .set({ linked_category: row.linked_category, search_text: row.search_text })
    .where('id', '=', row.id),
);
