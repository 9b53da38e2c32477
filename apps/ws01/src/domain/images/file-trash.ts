import { DAY_MS } from '@ws01/asmx/time';
import type { FileStore, TrashedFile } from '../../adapters/files/file-store.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { fileState, isNameOfFile } from './file-names.ts';

/** How long a file without a record stays in the trash; ms. */
export const TRASHED_MS = 30 * DAY_MS;

/** Returns the day of an instant, as the trash names it. */
export function dayOf(at: Instant): string {
  return new Date(at).toISOString().slice(0, '2026-11-27'.length);
}

/** Files per query. */
const BATCH = 200;

interface TrashDeps {
  readonly store: Store;
  readonly files: { readonly store: FileStore };
}

/**
 * Puts back what has a record after all, because the right database is back; removes what has been
 * in the trash for {@link TRASHED_MS}.
 * @param now by the clock of the store of files.
 * @param stopping ends it before the next file.
 * @returns how many were put back.
 */
export async function tendTrash(
  { store, files }: TrashDeps,
  now: Instant,
  stopping?: AbortSignal,
): Promise<number> {
  const { trash } = files.store;
  let returned = 0;
  for await (const batch of batchesOf(trash.list())) {
    const names = batch.map(({ name }) => name);
    const { deleted, absent } = await fileState(store, names);
    for (const file of batch) {
      if (stopping?.aborted) return returned;
      const isOld = Date.parse(file.day) < now - TRASHED_MS;
      if (deleted.includes(file.name) || (isOld && absent.includes(file.name)))
        await trash.remove(file);
      else if (!absent.includes(file.name) && (await returnFile(files.store, file))) returned++;
    }
  }
  return returned;
}

/** A file in the trash, and whether a record of this database names it. */
export interface ListedTrash extends TrashedFile {
  readonly hasRecord: boolean;
}

/** Lists the trash, the oldest first. */
export async function* listTrash({ store, files }: TrashDeps): AsyncIterable<ListedTrash> {
  for await (const batch of batchesOf(files.store.trash.list())) {
    const names = batch.map(({ name }) => name);
    const { deleted, absent } = await fileState(store, names);
    const unneeded = new Set([...deleted, ...absent]);
    for (const file of batch) yield { ...file, hasRecord: !unneeded.has(file.name) };
  }
}

/**
 * Moves a file from the trash back into the store.
 * @returns whether it was missing there and is there again.
 */
export async function returnFile(store: FileStore, file: TrashedFile): Promise<boolean> {
  const there = await store.find(file.name);
  return (await store.trash.putBack(file)) && there === undefined;
}

async function* batchesOf(
  files: AsyncIterable<TrashedFile>,
): AsyncIterable<readonly TrashedFile[]> {
  let batch: TrashedFile[] = [];
  for await (const file of files) {
    if (!isNameOfFile(file.name)) continue;
    batch.push(file);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
