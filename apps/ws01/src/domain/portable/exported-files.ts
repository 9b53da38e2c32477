import { createWriteStream } from 'node:fs';
import { link, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Kysely } from 'kysely';
import { makeFolder, sync } from '../../adapters/files/durable.ts';
import { isMissing } from '../../adapters/files/errors.ts';
import type { FileStore } from '../../adapters/files/file-store.ts';
import { DependencyError } from '../../failure/dependency-error.ts';
import type { ImageFilesTable, Instant, Tables } from '../../store/tables/tables.ts';
import type { OnProgress } from '../shared/progress.ts';
import { fileNameOf } from './image-files.ts';
import { hashOfFile } from './image-source.ts';

/** Concurrent copies; each waits for the disk several times. */
const AT_ONCE = 8;

/** A file that images use. */
type NamedFile = Pick<ImageFilesTable, 'hash' | 'stored_as'>;

/** Returns the files that images use, or those among them that arrived since then. */
export function namedFiles(db: Kysely<Tables>, since: Instant = 0): Promise<NamedFile[]> {
  return db
    .selectFrom('image_files')
    .select(['hash', 'stored_as'])
    .where('deleted_at', 'is', null)
    .where('stored_at', '>=', since)
    .orderBy('hash')
    .execute();
}

interface FileProgress {
  readonly onProgress: OnProgress;
  readonly signal: AbortSignal;
}

/** The image files of an export: hard links where the file system allows it, else copies. */
export class ExportedFiles {
  readonly #from: FileStore;
  readonly #folder: string;
  readonly #made = new Map<string, number>();
  #missing: ReadonlySet<string> = new Set();
  #named: readonly NamedFile[] = [];
  /** Damaged files by hash. */
  readonly damaged = new Map<string, 'missing' | 'changed'>();

  constructor(from: FileStore, folder: string) {
    this.#from = from;
    this.#folder = folder;
  }

  /**
   * Copies the files that images use.
   * @returns whether all exist. Files that were already missing in the previous pass are damaged
   *   and do not count.
   */
  async copyAll(
    named: readonly NamedFile[],
    { onProgress, signal }: FileProgress,
  ): Promise<boolean> {
    this.#named = named;
    const left = this.#named.filter(
      ({ hash }) => !this.#made.has(hash) && this.damaged.get(hash) !== 'missing',
    );
    const missing = new Set<string>();
    const waiting = left.values();
    let done = 0;
    const copyOn = async () => {
      for (const file of waiting) {
        signal.throwIfAborted();
        if (!(await this.#copy(file))) missing.add(file.hash);
        onProgress(++done, left.length, 'image files');
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, copyOn));
    for (const hash of missing) if (this.#missing.has(hash)) this.damaged.set(hash, 'missing');
    this.#missing = missing;
    return [...missing].every((hash) => this.damaged.has(hash));
  }

  /**
   * Removes files that no image uses any more.
   * @returns number and size of the rest.
   */
  async keepNamed(): Promise<{ readonly files: number; readonly bytes: number }> {
    const named = new Set(this.#named.map(({ hash }) => hash));
    let bytes = 0;
    for (const [hash, size] of this.#made) {
      if (named.has(hash)) bytes += size;
      else await rm(join(this.#folder, fileNameOf(hash)), { force: true });
    }
    for (const hash of this.damaged.keys()) if (!named.has(hash)) this.damaged.delete(hash);
    return { files: this.#made.size, bytes };
  }

  /** @returns `false` when the file does not exist. */
  async #copy({ hash, stored_as }: NamedFile): Promise<boolean> {
    const path = join(this.#folder, fileNameOf(hash));
    await makeFolder(dirname(path));
    try {
      await this.#from.withPath(stored_as, (source) => this.#linkOrCopy(source, stored_as, path));
    } catch (error) {
      if (isMissing(error) || (error instanceof DependencyError && isMissing(error.cause)))
        return false;
      throw error instanceof DependencyError && error.cause !== undefined ? error.cause : error;
    }
    await sync(dirname(path));
    this.#made.set(hash, (await stat(path)).size);
    if ((await hashOfFile(path)) !== hash) this.damaged.set(hash, 'changed');
    return true;
  }

  async #linkOrCopy(source: string, name: string, path: string): Promise<void> {
    try {
      await link(source, path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw error;
      await pipeline(
        await this.#from.read(name),
        createWriteStream(path, { flags: 'w', mode: 0o600 }),
      );
      await sync(path);
    }
  }
}
