import { join } from 'node:path';
import type { FileStore } from '../../adapters/files/file-store.ts';
import { Ws01Error } from '../../contract/errors.ts';
import type { DatabaseSnapshot } from '../../store/snapshot.ts';
import { digestOf } from './digest.ts';
import { type Damage, ImageCopies } from './image-copies.ts';
import type { Draft } from './location.ts';
import { type BackupManifest, imagesOfBackup } from './manifest.ts';
import { type ExamineCopy, type OnBackupStep, verify } from './verify.ts';

/** Maximum number of files that are copied while a snapshot is held, during which the log grows. */
const HELD_FILES = 1_000;

/** Maximum number of passes over the files. Later passes copy only what has been added since. */
const PASSES = 10;

interface BackupDeps {
  readonly snapshot: DatabaseSnapshot;
  /** The image files; `undefined` to leave them out. */
  readonly files: FileStore | undefined;
  readonly draft: Draft;
  readonly examine: ExamineCopy;
  readonly onStep: OnBackupStep;
  readonly signal: AbortSignal;
  /** As {@link HELD_FILES}. */
  readonly heldFiles?: number;
}

export interface Backup {
  readonly manifest: BackupManifest;
  /** Image files that are damaged in the service, by name. */
  readonly damaged: ReadonlyMap<string, Damage>;
}

/**
 * Makes and verifies a backup of the database and the image files while the service is running. It
 * is a consistent snapshot with exactly the files that its rows name, and exists only if this
 * resolves.
 *
 * Files are copied before the database, because the service removes a file with its last image: an
 * earlier database copy would name missing files. So passes over the files are repeated until a
 * snapshot is found whose files have all been copied; this snapshot is the backup.
 *
 * @throws {DependencyError} `unavailable`, also if the copy differs from the original; a system
 *   error if the folder cannot be written; the signal's reason; {@link Ws01Error} `Busy` if images
 *   change faster than they can be copied.
 */
export async function makeBackup(deps: BackupDeps): Promise<Backup> {
  const { snapshot, files, draft, onStep, signal } = deps;
  try {
    const copies = files === undefined ? undefined : await copyImages(deps, files);
    if (copies === undefined) await snapshot.take();
    const madeAt = Date.now();
    const rows = await snapshot.counts();
    const path = join(draft.folder, snapshot.file);
    await snapshot.copyTo(path, (done, all) => {
      signal.throwIfAborted();
      onStep(snapshot.engine === 'sqlite' ? 'pages' : 'mebibytes', done, all);
    });
    await snapshot.release();
    await draft.storeDatabase(snapshot.file);
    const database = { file: snapshot.file, ...(await digestOf(path)) };
    const images = copies && imagesOfBackup(copies, copies.damaged.keys());
    const made = { format: 1, engine: snapshot.engine, madeAt, database, rows, images } as const;
    const verified = await verify({
      ...{ ...deps, made, folder: draft.folder },
      fetchDatabase: (to) => draft.fetchDatabase(snapshot.file, to),
      // What is damaged in the service is no fault of the copy. Reused files in S3 were verified by
      // an earlier backup.
      isSound:
        copies && (async (file) => copies.damaged.has(file.stored_as) || copies.isSound(file)),
    });
    const manifest = { ...made, verified };
    await draft.finish(manifest, copies?.names ?? []);
    return { manifest, damaged: copies?.damaged ?? new Map() };
  } catch (error) {
    await draft.abandon();
    throw error;
  }
}

/** Copies image files until all files of the snapshot are there. */
async function copyImages(deps: BackupDeps, from: FileStore): Promise<ImageCopies> {
  const { snapshot, draft, onStep, signal, heldFiles = HELD_FILES } = deps;
  const copies = new ImageCopies(from, draft);
  let before: readonly string[] = [];
  for (let pass = 1; pass <= PASSES; pass++) {
    await snapshot.take();
    const named = await snapshot.imageFiles();
    const left = named.filter(
      ({ stored_as }) => !copies.has(stored_as) && !copies.damaged.has(stored_as),
    );
    const held = left.length <= heldFiles || pass > PASSES / 2;
    if (!held) await snapshot.release();
    const missing = await copies.copy(left, (done) => onStep('images', done, left.length), signal);
    // It was missing before and is still named, so it was not deleted.
    for (const name of missing) if (before.includes(name)) copies.damaged.set(name, 'missing');
    before = missing;
    if (held && missing.every((name) => copies.damaged.has(name))) {
      await copies.keepOnly(named);
      return copies;
    }
  }
  throw new Ws01Error(
    'Busy',
    'Images come and go faster than they can be copied; try again later.',
  );
}
