import type { Store } from './store.ts';

/** Writes one row durably and reads it back, as {@link Store.check} requires. */
export async function probe(store: Pick<Store, 'read' | 'write'>): Promise<void> {
  const at = Date.now();
  await store.write((tx) =>
    tx
      .insertInto('store_probe')
      .values({ id: 1, at })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ at }))
      .execute(),
  );
  await store.read((db) =>
    db.selectFrom('store_probe').select('at').where('id', '=', 1).executeTakeFirstOrThrow(),
  );
}
