import { sql } from 'kysely';
import { until } from '../../../../packages/asmx/test/kit/until.ts';
import { indexRecords } from '../../src/domain/search/indexing.ts';
import type { Store } from '../../src/store/store.ts';

/** When the first article was created. */
export const NOW = Date.parse('2026-01-01T00:00:00Z');

/** Adds articles past the service, the oldest first. */
export async function addArticles(
  store: Store,
  captions: readonly string[],
  prefix = 'art',
  from = 0,
): Promise<void> {
  const rows = captions.map((caption, at) => ({
    ...{ guid: `${prefix}-${String(at).padStart(6, '0')}`, caption, content: '' },
    ...{ contact_phone: '', status: 0, from_url: '', revision: 1 },
    ...{ created_at: NOW + (from + at) * 1_000, updated_at: NOW },
  }));
  for (let first = 0; first < rows.length; first += 1_000) {
    const some = rows.slice(first, first + 1_000);
    await store.write((tx) =>
      tx
        .insertInto('articles')
        .values(some)
        .execute()
        .then(() => undefined),
    );
  }
}

/** How many rows a table has. */
export const countIn = async (store: Store, table: string): Promise<number> => {
  const { rows } = await store.read((db) =>
    sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db),
  );
  return Number(rows[0]!.count);
};

/** Indexes what waits; the service itself may have some of it in hand. */
export async function index(store: Store): Promise<void> {
  await indexRecords(store);
  await until(async () => (await countIn(store, 'search_changes')) === 0);
}

/** Begins a slice of articles, for those that are indexed next. */
export const openSlice = (store: Store, slice: string): Promise<void> =>
  store.write(async (tx) => {
    const empty = { kind: 'a', slice, first: '9', last: '0' };
    await tx.insertInto('search_slices').values(empty).execute();
  });
