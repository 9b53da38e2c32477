import type { Kysely, Selectable } from 'kysely';
import { prepare } from '../../../store/prepared.ts';
import { type ImagesTable, type Tables, VISIBILITY } from '../../../store/tables/tables.ts';

/** The change of the numbers of listed images and icons. */
interface TotalsChange {
  readonly images: number;
  readonly icons: number;
}

/** Number of rows over which the totals are spread, so that uploads rarely wait for each other. */
const SHARDS = 16;

type Counted = Pick<Selectable<ImagesTable>, 'visibility' | 'is_icon'>;

/** Returns the change from an image before to after; `undefined` if it does not exist. */
export function listedTotals(
  after: Counted | undefined,
  before: Counted | undefined,
): TotalsChange {
  const one = countsOf(after);
  const other = countsOf(before);
  return { images: one.images - other.images, icons: one.icons - other.icons };
}

function countsOf(image: Counted | undefined): TotalsChange {
  if (image === undefined || image.visibility !== VISIBILITY.listed) return { images: 0, icons: 0 };
  return { images: 1, icons: image.is_icon };
}

/** Any shard will do for a key, because only the sum counts. */
function shardOf(key: string): number {
  let sum = 0;
  for (let at = 0; at < key.length; at++) sum += key.charCodeAt(at);
  return sum % SHARDS;
}

/** Applies the change for an image, in the transaction of the change. */
export async function changeTotals(
  tx: Kysely<Tables>,
  key: string,
  change: TotalsChange,
): Promise<void> {
  if (change.images === 0 && change.icons === 0) return;
  addToTotals.send(tx, { shard: shardOf(key), ...change });
}

/**
 * Returns the number of listed images, or of icons; exact, and independent of their number in cost.
 */
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
