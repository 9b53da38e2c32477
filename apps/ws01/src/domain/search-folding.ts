import { HOUR_MS } from '@ws01/asmx/time';
import { noteAllForSearch } from '../store/record-index.ts';
import type { Store } from '../store/store.ts';
import { refoldAdverts } from './adverts/search-index.ts';
import { refoldImages } from './images/listing/search.ts';
import { type Periodic, writesInBackground } from './shared/periodic.ts';
import { FOLDING } from './values/search-text.ts';

/** ms; after a failure it is tried again. */
const TIMES = { first: 5_000, every: HOUR_MS };

/**
 * Folds the stored texts that are searched in again after the rules have changed, once a database.
 * Until then a search finds those that both rules fold alike.
 */
export function startRefolding(store: Store, onFailure: (error: unknown) => void): Periodic {
  let isDone = false;
  const work = async (background: Store) => {
    if (isDone) return;
    await refoldAll(background);
    isDone = true;
  };
  return writesInBackground(store, TIMES, work, onFailure);
}

/** Folds the texts again unless the database says that they are. */
export async function refoldAll(store: Store): Promise<void> {
  const known = await store.read((db) =>
    db.selectFrom('service_time').select('folding').executeTakeFirst(),
  );
  if (known?.folding === FOLDING) return;
  await refoldAdverts(store);
  await refoldImages(store);
  await store.write(async (tx) => {
    // Without rules, the database was made or upgraded by this version, which notes all that it
    // has.
    if (known?.folding != null) await noteAllForSearch(tx);
    await tx.updateTable('service_time').set({ folding: FOLDING }).execute();
  });
}
