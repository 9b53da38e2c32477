import type { Kysely } from 'kysely';
import { prepare } from '../../../store/prepared.ts';
import type { Tables } from '../../../store/tables/tables.ts';

/** How many images and icons more, or fewer, there are. */
interface TotalsChange {
  readonly images: number;
  readonly icons: number;
}

/** Rows over which the totals are spread, so that two uploads seldom wait for one another. */
const SHARDS = 16;

/** Counts a change of the images, in the transaction of the change. */
export async function changeTotals(tx: Kysely<Tables>, imageId: number, change: TotalsChange): Promise<void> {
  if (change.images === 0 && change.icons === 0) return;
  await addToTotals.run(tx, { shard: imageId % SHARDS, ...change });
}

/** How many images there are, or icons alone; exact, and as quick for a million as for ten. */
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
