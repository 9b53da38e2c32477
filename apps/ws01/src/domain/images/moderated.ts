import type { Kysely } from 'kysely';
import type { Tables } from '../../store/tables/tables.ts';
import { findLinked, leastVisible, ownVisibility } from './listing/linked.ts';
import { indexImage } from './listing/search.ts';
import { changeTotals, listedTotals } from './listing/totals.ts';

/**
 * Updates the visibility of an image in lists, search and counts, from its moderation and the
 * record it belongs to.
 */
export async function refreshImage(tx: Kysely<Tables>, guid: string): Promise<void> {
  const image = await tx
    .selectFrom('images')
    .selectAll()
    .where('guid', '=', guid)
    .executeTakeFirstOrThrow();
  const linked = await findLinked(tx, image.link_guid);
  const visibility = leastVisible(ownVisibility(image), linked.visibility);
  await tx.updateTable('images').set({ visibility }).where('id', '=', image.id).execute();
  await indexImage(tx, { ...image, visibility, captions: linked.captions });
  await changeTotals(tx, image.guid, listedTotals({ ...image, visibility }, image));
}
