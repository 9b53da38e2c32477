import { join } from 'node:path';
import type { FileStore } from '../../adapters/files/file-store.ts';
import { Ws01Error } from '../../contract/errors.ts';
import type { DatabaseSnapshot, OnStep } from '../../store/snapshot.ts';
import type { OnProgress } from '../shared/progress.ts';
import { digestOf } from './digest.ts';
import { type Damage, ImageCopies } from './image-copies.ts';
import type { Draft } from './location.ts';
import type { BackupManifest } from './manifest.ts';
import { type ExamineCopy, verify } from './verify.ts';

/** So many files are copied while a moment of the database is held, for which its log grows. */
const HELD_FILES = 1_000;

/** How often the files are gone through at most. The second time finds what has come since the first: little. */
const PASSES = 10;

interface BackupDeps {
  readonly snapshot: DatabaseSnapshot;
  /** Where the image files are; `undefined` to leave them out. */
  readonly files: FileStore | undefined;
  readonly draft: Draft;
  readonly examine: ExamineCopy;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
  /** As {@link HELD_FILES}. */
  readonly heldFiles?: number;
}

export interface Backup {
  readonly manifest: BackupManifest;
  /** Image files that were found damaged, by name: they are so in the service as well. */
  readonly damaged: ReadonlyMap<string, Damage>;
}

/**
 * Makes and verifies a backup of the database and the image files while the service is running. It is a consistent snapshot: it has exactly the files that its rows name. It exists only if this resolves.
 *
 * Files first, since the service removes a file as soon as its last image is deleted: a database that was copied before
 * would name it. So the files are gone through until a moment of the database is found whose files have all been copied,
 * and this moment is the backup.
 *
 * @throws {DependencyError} `unavailable`, also for a copy that is not the same as the original; an error of the system when
 *   the folder cannot be written; whatever `signal` says; {@link Ws01Error} `Busy` when images come and go faster than
 *   they can be copied.
 */
export async function makeBackup(deps: BackupDeps): Promise<Backup> {
  const { snapshot, files, draft, onProgress, signal } = deps;
  try {
    const copies = files === undefined ? undefined : await copyImages(deps, files);
    if (copies === undefined) await snapshot.take();
    const madeAt = Date.now();
    const rows = await snapshot.counts();
    const path = join(draft.folder, snapshot.file);
    const onStep: OnStep = (done, all) => {
      signal.throwIfAborted();
      onProgress(done, all, snapshot.engine === 'sqlite' ? 'pages of the database' : 'MiB of the database');
    };
    await snapshot.copyTo(path, onStep);
    await snapshot.release();
    await draft.storeDatabase(snapshot.file);
    const database = { file: snapshot.file, ...(await digestOf(path)) };
    const images = copies && { count: copies.count, bytes: copies.bytes };
    const made = { format: 1, engine: snapshot.engine, madeAt, database, rows, images } as const;
    const manifest = { ...made, verified: await verify({ ...deps, made, copies }) };
    await draft.finish(manifest, copies?.names ?? []);
    return { manifest, damaged: copies?.damaged ?? new Map() };
  } catch (error) {
    await draft.abandon();
    throw error;
  }
}

/** Copies image files until all are there that the moment held by the snapshot names. */
async function copyImages(deps: BackupDeps, from: FileStore): Promise<ImageCopies> {
  const { snapshot, draft, onProgress, signal, heldFiles = HELD_FILES } = deps;
  const copies = new ImageCopies(from, draft);
  let before: readonly string[] = [];
  for (let pass = 1; pass <= PASSES; pass++) {
    await snapshot.take();
    const named = await snapshot.imageFiles();
    const left = named.filter(({ stored_as }) => !copies.has(stored_as) && !copies.damaged.has(stored_as));
    const held = left.length <= heldFiles || pass > PASSES / 2;
    if (!held) await snapshot.release();
    const missing = await copies.copy(left, (done) => onProgress(done, left.length, 'image files'), signal);
    // Named again after it was missing: it was not deleted.
    for (const name of missing) if (before.includes(name)) copies.damaged.set(name, 'missing');
    before = missing;
    if (held && missing.every((name) => copies.damaged.has(name))) {
      await copies.keepOnly(named);
      return copies;
    }
  }
  throw new Ws01Error('Busy', 'Images come and go faster than they can be copied; try again later.');
}
