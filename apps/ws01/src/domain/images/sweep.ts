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

/** Files per query. */
const BATCH = 200;

export interface SweepDeps {
  readonly store: Store;
  readonly files: { readonly store: FileStore; readonly spool: Spool };
}

/** Tolerance between a clock's change and the elapsed time; ms. */
const BELIEVED_MS = 60_000;

/**
 * Deletes files without a record. They are left by a crash between storing the file and the record, or between deleting
 * them, and by aborted uploads. File names are never reused, and an old file without a record never gets one, so any
 * number of nodes may sweep while others upload and delete.
 *
 * The age of a file is measured by the clock that dated it, that of its disk or bucket. If such a clock is set forward,
 * files of uploads in progress look old; so nothing is deleted until these uploads have ended.
 */
export class Sweeper {
  readonly #deps: SweepDeps;
  readonly #steady: () => number;
  #last: { readonly clocks: readonly number[]; readonly at: number } | undefined;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  /** @param steady a monotonic clock; ms. */
  constructor(deps: SweepDeps, steady: () => number) {
    this.#deps = deps;
    this.#steady = steady;
  }

  /**
   * Runs a sweep.
   * @param stopping ends it before the next file.
   * @returns how many files were deleted.
   */
  async sweep(stopping?: AbortSignal): Promise<number> {
    const { store, spool } = this.#deps.files;
    const at = this.#steady();
    const clocks = [await store.now(), await spool.now()] as const;
    const last = this.#last ?? { clocks, at };
    this.#last = { clocks, at };
    const wasSet = clocks.some((clock, index) => clock - last.clocks[index]! - (at - last.at) > BELIEVED_MS);
    if (wasSet) this.#pausedUntil = at + LEFT_BEHIND_MS;
    return at < this.#pausedUntil ? 0 : sweepFiles(this.#deps, { store: clocks[0], spool: clocks[1] }, stopping);
  }
}

/**
 * Deletes unreferenced files.
 * @param now by the clock of each store.
 * @param stopping ends it before the next file.
 * @returns how many files were deleted.
 */
export async function sweepFiles(
  { store, files }: SweepDeps,
  now: { readonly store: Instant; readonly spool: Instant },
  stopping?: AbortSignal,
): Promise<number> {
  let removed = await files.spool.sweep(now.spool - LEFT_BEHIND_MS);
  const before = now.store - LEFT_BEHIND_MS;
  let batch: string[] = [];
  const sweepBatch = async () => {
    for (const name of await withoutRecord(store, batch)) {
      if (stopping?.aborted) return;
      await files.store.remove(name);
      removed++;
    }
    batch = [];
  };
  for await (const { name, storedAt } of files.store.list()) {
    if (stopping?.aborted) return removed;
    if (storedAt >= before) continue;
    batch.push(name);
    if (batch.length === BATCH) await sweepBatch();
  }
  await sweepBatch();
  return removed;
}

/** Returns those of the files that have no record. */
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
