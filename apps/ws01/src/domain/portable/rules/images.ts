import type { Kysely } from 'kysely';
import { selectByKeys } from '../../../store/bulk.ts';
import type { Instant, Tables, Visibility } from '../../../store/tables/tables.ts';
import { indexTerms } from '../../../store/text-index.ts';
import { optionalCategoryKey } from '../../images/category.ts';
import { releaseFile } from '../../images/files.ts';
import {
  findAllLinked,
  findLinked,
  holdLinkedImages,
  leastVisible,
  NO_RECORD,
  ownVisibility,
  refreshLinkedImages,
} from '../../images/listing/linked.ts';
import { indexImage, searchTextOf } from '../../images/listing/search.ts';
import { changeTotals, listedTotals } from '../../images/listing/totals.ts';
import { termsOf } from '../../shared/search-terms.ts';
import { sortKeyOf } from '../../values/search-text.ts';
import type { Row } from '../record.ts';
import { column, type ImportContext } from './context.ts';
import { post } from './creations.ts';

/** Images may have been linked to the key of a record before it was brought. */
export async function refreshImages(tx: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  const any = await tx.selectFrom('images').select('id').limit(1).executeTakeFirst();
  if (any === undefined) return;
  const linked = await selectByKeys(
    tx,
    'images',
    ['link_guid'],
    ['link_guid'],
    rows.map(({ guid }) => ({ link_guid: guid! })),
  );
  for (const guid of new Set(linked.map((row) => row.link_guid as string)))
    await refreshLinkedImages(tx, guid, await holdLinkedImages(tx, guid), 'created');
}

/**
 * Makes images right that came from others meanwhile and are linked to records which were being
 * brought: neither saw the other before its commit.
 */
export async function refreshImagesSince(tx: Kysely<Tables>, began: Instant): Promise<void> {
  const images = await tx
    .selectFrom('images')
    .select('link_guid')
    .distinct()
    .where('updated_at', '>=', began - CLOCK_SLACK_MS)
    .where('link_guid', 'is not', null)
    .execute();
  for (const { link_guid } of images) {
    await refreshLinkedImages(tx, link_guid!, await holdLinkedImages(tx, link_guid!));
  }
}

/** By how much the clocks of nodes may differ; ms. */
const CLOCK_SLACK_MS = 60_000;

export async function deriveImages(tx: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
  const linked = await findAllLinked(
    tx,
    column(
      rows.filter(({ link_guid }) => link_guid !== null),
      'link_guid',
    ),
  );
  const files = await selectByKeys(
    tx,
    'image_files',
    ['hash', 'bytes'],
    ['hash'],
    column(rows, 'hash').map((hash) => ({ hash })),
  );
  const bytes = new Map(files.map((file) => [file.hash, file.bytes]));
  for (const row of rows) {
    const record = linked.get(row.link_guid as string) ?? NO_RECORD;
    const own = ownVisibility(
      row as unknown as { held_at: number | null; removed_at: number | null },
    );
    const category = row.category as string;
    Object.assign(row, {
      bytes: bytes.get(row.hash!) ?? 0,
      linked_category: record.category,
      category_key: optionalCategoryKey(category),
      category_order: sortKeyOf(category),
      visibility: leastVisible(own, record.visibility),
      search_text: searchTextOf({ guid: row.guid as string, category, captions: record.captions }),
    });
  }
}

/** Makes images found and counted. */
export async function enterImages(
  tx: Kysely<Tables>,
  rows: readonly Row[],
  context: ImportContext,
): Promise<void> {
  const made = await selectByKeys(
    tx,
    'images',
    ['id', 'guid'],
    ['guid'],
    rows.map(({ guid }) => ({ guid: guid! })),
  );
  const ids = new Map(made.map(({ guid, id }) => [guid, id as number]));
  for (const row of rows) {
    const id = ids.get(row.guid!)!;
    const counted = { visibility: row.visibility as Visibility, is_icon: row.is_icon as 0 | 1 };
    if (counted.visibility === 0)
      indexTerms(tx, 'image_search', id, termsOf(row.search_text as string));
    await changeTotals(tx, row.guid as string, listedTotals(counted, undefined));
  }
  await post(tx, rows, context, { kind: 'image', key: 'guid' });
}

/** Lets a row take the place of a stored image, in lists, search and counts too. */
export async function replaceImage(
  tx: Kysely<Tables>,
  { row }: { readonly row: Row },
  write: () => Promise<void>,
  { now }: ImportContext,
): Promise<void> {
  const guid = row.guid as string;
  const before = await imageWith(tx, guid);
  await write();
  const after = await imageWith(tx, guid);
  const { captions } = await findLinked(tx, after.link_guid);
  await indexImage(tx, { ...after, captions });
  await changeTotals(tx, guid, listedTotals(after, before));
  // What is stored for it goes with the next sweep.
  if (before.hash !== after.hash) await releaseFile(tx, before.hash, now);
}

function imageWith(tx: Kysely<Tables>, guid: string) {
  return tx.selectFrom('images').selectAll().where('guid', '=', guid).executeTakeFirstOrThrow();
}
