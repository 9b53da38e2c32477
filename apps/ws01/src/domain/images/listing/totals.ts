import type { Kysely, Selectable } from 'kysely';
import { prepare } from '../../../store/prepared.ts';
import { type ImagesTable, type Tables, VISIBILITY } from '../../../store/tables/tables.ts';

/** How many images and icons more, or fewer, lists show. */
interface TotalsChange {
  readonly images: number;
  readonly icons: number;
}

/** Rows over which the totals are spread, so that two uploads seldom wait for one another. */
const SHARDS = 16;

type Counted = Pick<Selectable<ImagesTable>, 'visibility' | 'is_icon'>;

/** What an image that is there after a change, and was before, adds to the totals; `undefined` when it is not there. */
export function listedTotals(after: Counted | undefined, before: Counted | undefined): TotalsChange {
  const one = countsOf(after);
  const other = countsOf(before);
  return { images: one.images - other.images, icons: one.icons - other.icons };
}

function countsOf(image: Counted | undefined): TotalsChange {
  if (image === undefined || image.visibility !== VISIBILITY.listed) return { images: 0, icons: 0 };
  return { images: 1, icons: image.is_icon };
}

/** Any one of an image's key does: only their sum counts. */
function shardOf(key: string): number {
  let sum = 0;
  for (let at = 0; at < key.length; at++) sum += key.charCodeAt(at);
  return sum % SHARDS;
}

/** Counts a change of an image, by its key, in the transaction of the change. */
export async function changeTotals(tx: Kysely<Tables>, key: string, change: TotalsChange): Promise<void> {
  if (change.images === 0 && change.icons === 0) return;
  addToTotals.send(tx, { shard: shardOf(key), ...change });
}

/** How many images lists show, or icons alone; exact, and as quick for a million as for ten. */
export async function readTotal(db: Kysely<Tables>, iconsOnly: boolean): Promise<number> {
  const shards = await allTotals.all(db, {});
  return shards.reduce((sum, { images, icons }) => sum + (iconsOnly ? icons : images), 0);
}

const addToTotals = prepare((db, row: { shard: number; images: number; icons: number }) =>
  db
    .insertInto('image_totals')
    .values({ shard: row.shard, images: row.images, icons: row.icons })
    .onConflict((conflict) =>
      conflict.column('shard').doUpdateSet((eb) => ({
        images: eb('image_totals.images', '+', eb.ref('excluded.images')),
        icons: eb('image_totals.icons', '+', eb.ref('excluded.icons')),
      })),
    ),
);

const allTotals = prepare((db) => db.selectFrom('image_totals').select(['images', 'icons']));
