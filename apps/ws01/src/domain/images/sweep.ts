import type { FileStore } from '../../adapters/files/file-store.ts';
import type { Spool } from '../../adapters/files/spool.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { originalName } from './serving/renditions.ts';

/**
 * Minimum age of an orphaned file; ms. A call writes the record immediately after its file, and fails if that takes
 * longer than half of this.
 */
export const LEFT_BEHIND_MS = 60 * 60 * 1000;

/** Files looked up in one query. */
const BATCH = 200;

export interface SweepDeps {
  readonly store: Store;
  readonly files: { readonly store: FileStore; readonly spool: Spool };
}

/**
 * Deletes files without a record: left by a crash between file and record, or between the deletions of record and file,
 * and by aborted uploads. File names are never reused, and an old file without a record never gets one, so any number
 * of nodes may sweep while others upload and delete.
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
