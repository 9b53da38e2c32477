import { link, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolder } from '../../adapters/files/durable.ts';
import type { FileStore } from '../../adapters/files/file-store.ts';
import { isFileName, placeIn } from '../../adapters/files/names.ts';
import type { Files } from '../../adapters/files/open.ts';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { CopyContents, NamedFile } from '../../store/snapshot.ts';
import type { OnProgress } from '../shared/progress.ts';
import { digestOf, sha256Of } from './digest.ts';
import type { Source } from './location.ts';
import { lostBefore } from './manifest.ts';
import type { ExamineCopy } from './verify.ts';
import { makeWorkFolder } from './work-folders.ts';

/** Files that are restored at once. */
const AT_ONCE = 4;

/** What a restore would do, as the command says it. */
export interface RestorePlan {
  readonly from: string;
  readonly madeAt: string | null;
  readonly rows: number | null;
  readonly images: number | null;
  readonly to: string;
  /** The rows of the present database; `damaged` if it cannot be read. */
  readonly present: number | 'damaged' | null;
}

interface RestoreDeps {
  readonly source: Source;
  readonly examine: ExamineCopy;
  /** Replaces the present database with the one at a path, in one step. */
  readonly replace: (path: string) => Promise<void>;
  /** The image files of the service; `undefined` to leave them unchanged. */
  readonly files: Files | undefined;
  /**
   * A folder for hard links to the present image files, so that the restore can be undone;
   * `undefined` for none.
   */
  readonly keptIn: string | undefined;
  readonly dataDir: string;
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

/** The result of a restore. */
export interface Restored {
  readonly rows: CopyContents['counts'];
  /** Number of restored image files, which were missing or damaged. */
  readonly files: number;
}

/**
 * Restores a backup: checks its database at a temporary place, restores missing image files, and
 * then replaces the database in one step. If it is killed, the old data is complete, with some
 * extra files.
 * @throws {DependencyError} `unavailable` for a damaged backup; whatever `replace` and `signal`
 *   say.
 */
export async function restore(deps: RestoreDeps): Promise<Restored> {
  const { source, examine, replace, dataDir, files, signal } = deps;
  const work = await makeWorkFolder(dataDir, 'restore');
  try {
    const path = join(work, source.database);
    await source.fetchDatabase(path);
    const contents = await soundContents(source, path, examine);
    signal.throwIfAborted();
    const brought = files === undefined ? 0 : await importFiles(deps, files, contents.imageFiles);
    if (files !== undefined && deps.keptIn !== undefined) await keepLinks(files.store, deps.keptIn);
    await replace(path);
    return { rows: contents.counts, files: brought };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function soundContents(
  { manifest }: Source,
  path: string,
  examine: ExamineCopy,
): Promise<CopyContents> {
  if (manifest !== undefined && (await digestOf(path)).sha256 !== manifest.database.sha256) {
    throw new DependencyError(
      'database',
      'unavailable',
      'The backup is damaged: its database has other bytes than when it was made.',
    );
  }
  const contents = await examine(path);
  assertNames(contents);
  return contents;
}

/** Those of deleted images, too: the purge removes their files. */
function assertNames({ imageFiles, deletedFiles }: CopyContents): void {
  for (const { stored_as, hash } of [...imageFiles, ...deletedFiles]) {
    if (typeof stored_as === 'string' && isFileName(stored_as) && /^[0-9a-f]{64}$/.test(hash))
      continue;
    const name = JSON.stringify(String(stored_as).slice(0, 100));
    throw new DependencyError(
      'database',
      'unavailable',
      `The backup is not of this service: the image file ${name} has a name or a hash that it does not give. Nothing was done; restore another one.`,
    );
  }
}

/** @returns how many missing or damaged files were restored. */
async function importFiles(
  { source, onProgress, signal }: RestoreDeps,
  files: Files,
  named: readonly NamedFile[],
): Promise<number> {
  const waiting = named.values();
  const lost = lostBefore(source.manifest);
  let done = 0;
  let brought = 0;
  const missing: string[] = [];
  const goOn = async () => {
    for (const file of waiting) {
      signal.throwIfAborted();
      if (!(await hasBytes(files.store, file))) {
        if (await bring(source.files, files, file)) brought++;
        else if (!lost.has(file.stored_as)) missing.push(file.stored_as);
      }
      onProgress(++done, named.length, 'image files');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, goOn));
  if (missing.length === 0) return brought;
  throw new DependencyError(
    'database',
    'unavailable',
    `The backup lacks ${missing.length} image files, or they are damaged, such as ${missing[0]}. Nothing was replaced; --without-files restores the database alone.`,
  );
}

async function hasBytes(store: FileStore, { stored_as: name, hash }: NamedFile): Promise<boolean> {
  if ((await store.find(name)) === undefined) return false;
  return sha256Of(await store.read(name)).then(
    (found) => found === hash,
    () => false,
  );
}

async function bring(
  from: FileStore,
  to: Files,
  { stored_as: name, hash }: NamedFile,
): Promise<boolean> {
  if ((await from.find(name)) === undefined) return false;
  const upload = to.spool.receive();
  try {
    const source: Readable = await from.read(name);
    for await (const piece of source) await upload.write(piece);
    const received = await upload.finish();
    if (received.hash !== hash) return false;
    await to.store.keep(received.path, name);
    return true;
  } finally {
    await upload.release();
  }
}

/** Hard-links the present image files, because the sweep removes those without rows. */
async function keepLinks(store: FileStore, keptIn: string): Promise<void> {
  for await (const { name } of store.list()) {
    const path = placeIn(join(keptIn, 'files', 'kept'), name);
    await makeFolder(dirname(path));
    await store.withPath(name, (from) => link(from, path));
  }
}
