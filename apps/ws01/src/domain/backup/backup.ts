import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sync } from '../../adapters/files/durable.ts';
import type { FileStore } from '../../adapters/files/file-store.ts';
import { openFiles } from '../../adapters/files/open.ts';
import { Ws01Error } from '../../contract/errors.ts';
import { SQLITE_FILE } from '../../store/sqlite/file.ts';
import type { SqliteSnapshot } from '../../store/sqlite/snapshot.ts';
import { type Damage, ImageCopies } from './image-copies.ts';

/** So many files are copied while a moment of the database is held, for which its log grows. */
const HELD_FILES = 1_000;

/** How often the files are gone through at most. The second time finds what has come since the first: little. */
const PASSES = 10;

interface BackupDeps {
  readonly snapshot: SqliteSnapshot;
  /** Where the image files are; `undefined` to leave them out. */
  readonly files: FileStore | undefined;
  /** An empty folder. It is to be used as `DATA_DIR`. */
  readonly folder: string;
  readonly onProgress: (done: number, all: number, what: string) => void;
  readonly signal: AbortSignal;
  /** As {@link HELD_FILES}. */
  readonly heldFiles?: number;
}

export interface Backup {
  readonly images: number;
  /** Of all images together. */
  readonly imageBytes: number;
  /** Image files that were found damaged, by name: they are so in the service as well. */
  readonly damaged: ReadonlyMap<string, Damage>;
}

/**
 * Copies the database and the image files while the service is running. The copy is of one moment: it has every file
 * that its rows name, and no other. It is on the disk when it resolves.
 *
 * Files first, since the service removes a file as soon as its last image is deleted: a database that was copied before
 * would name it. So the files are gone through until a moment of the database is found whose files have all been copied,
 * and this moment is the backup.
 *
 * @throws {StoreError} `unavailable`; an error of the system when the folder cannot be written; whatever `signal` says;
 *   {@link Ws01Error} `Busy` when images come and go faster than they can be copied.
 */
export async function makeBackup(deps: BackupDeps): Promise<Backup> {
  const { snapshot, files, folder, onProgress, signal } = deps;
  const copies = files === undefined ? undefined : await copyImages(deps, files);
  if (copies === undefined) snapshot.take();
  await snapshot.copyTo(join(folder, SQLITE_FILE), (done, all) => {
    signal.throwIfAborted();
    onProgress(done, all, 'pages of the database');
  });
  snapshot.release();
  await sync(join(folder, SQLITE_FILE));
  await sync(folder);
  return { images: copies?.count ?? 0, imageBytes: copies?.bytes ?? 0, damaged: copies?.damaged ?? new Map() };
}

/** Copies image files until all are there that the moment held by the snapshot names. */
async function copyImages(deps: BackupDeps, from: FileStore): Promise<ImageCopies> {
  const { snapshot, folder, onProgress, signal, heldFiles = HELD_FILES } = deps;
  const copies = new ImageCopies(from, await openFiles({ kind: 'disk', folder: join(folder, 'files') }, folder));
  let before: readonly string[] = [];
  for (let pass = 1; pass <= PASSES; pass++) {
    snapshot.take();
    const named = snapshot.imageFiles();
    const left = named.filter(({ stored_as }) => !copies.has(stored_as) && !copies.damaged.has(stored_as));
    const held = left.length <= heldFiles || pass > PASSES / 2;
    if (!held) snapshot.release();
    const missing = await copies.copy(left, (done) => onProgress(done, left.length, 'image files'), signal);
    // Named again after it was missing: it was not deleted.
    for (const name of missing) if (before.includes(name)) copies.damaged.set(name, 'missing');
    before = missing;
    if (held && missing.every((name) => copies.damaged.has(name))) {
      await copies.keepOnly(named);
      await rm(join(folder, 'files', 'incoming'), { recursive: true, force: true });
      return copies;
    }
  }
  throw new Ws01Error('Busy', 'Images come and go faster than they can be copied; try again later.');
}
