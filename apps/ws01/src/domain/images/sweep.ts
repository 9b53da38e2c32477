import type { FileStore } from '../../adapters/files/file-store.ts';
import type { Spool } from '../../adapters/files/spool.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { originalName } from './serving/renditions.ts';

/**
 * How old a file must be before it counts as left behind; ms. A call enters its file into the database at once after
 * storing it, and gives up when that takes longer than half of this.
 */
export const LEFT_BEHIND_MS = 60 * 60 * 1000;

/** Files looked up in one query. */
const BATCH = 200;

export interface SweepDeps {
  readonly store: Store;
  readonly files: { readonly store: FileStore; readonly spool: Spool };
}

/**
 * Removes the files that no record has: what a crash left between file and record, or between deletion and removal, and
 * uploads that were cut off. A file's name is never used twice, and a file that has no record when it is old will never
 * get one; so any number of nodes may sweep while others upload and delete.
 *
 * @returns how many files were removed.
 */
export async function sweepFiles({ store, files }: SweepDeps, now: Instant): Promise<number> {
  const before = now - LEFT_BEHIND_MS;
  let removed = await files.spool.sweep(before);
  let batch: string[] = [];
  const sweepBatch = async () => {
    for (const name of await withoutRecord(store, batch)) {
      await files.store.remove(name);
      removed++;
    }
    batch = [];
  };
  for await (const { name, storedAt } of files.store.list()) {
    if (storedAt >= before) continue;
    batch.push(name);
    if (batch.length === BATCH) await sweepBatch();
  }
  await sweepBatch();
  return removed;
}

/** Those of the files that belong to nobody. */
async function withoutRecord(store: Store, names: readonly string[]): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const originals = [...new Set(names.map(originalName))];
  const rows = await store.read((db) =>
    db
      .selectFrom('image_files')
      .select('stored_as')
      .where('stored_as', 'in', originals)
      .where('deleted_at', 'is', null)
      .execute(),
  );
  const known = new Set(rows.map(({ stored_as }) => stored_as));
  return names.filter((name) => !known.has(originalName(name)));
}
