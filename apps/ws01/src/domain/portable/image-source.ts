import { createHash } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { copyFile, link, lstat, open, readdir, realpath, utimes } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FileStore } from '../../adapters/files/file-store.ts';
import { isObjectKey } from '../../adapters/files/names.ts';
import { recentlyUsed } from '../../turns/memory.ts';
import { RefusedRow } from './record.ts';

/**
 * Copies an imported file within a store.
 * @returns whether it did; it cannot if the original has changed.
 */
export type CopyTo = (store: FileStore, name: string) => Promise<boolean>;

/** The source of an import's image files. */
export interface ImageSource {
  /**
   * Creates the file at a new path.
   * @returns a function that lets a store copy the bytes by itself, if that is possible.
   * @throws {RefusedRow} when there is no such file.
   */
  bring(name: string, path: string): Promise<CopyTo | undefined>;
  /**
   * Runs work on a local path of a file. The path is valid until the work ends; the file must not
   * be changed.
   * @throws {RefusedRow} when there is no such file.
   */
  look<T>(name: string, work: (path: string) => Promise<T>): Promise<T>;
}

/**
 * Files of a folder: hard-linked, or cloned where the file system shares blocks, else copied.
 * @param copies always copies, because a hard link changes with a program that writes to the file.
 */
export async function folderOfImages(folder: string, copies: boolean): Promise<ImageSource> {
  const root = await realpath(folder).catch(() => folder);
  const names = new WindowsNames(root);
  const find = async (name: string) => {
    const found =
      (await fileWithin(root, name)) ?? (await fileWithin(root, await names.spelled(name)));
    if (found === undefined)
      throw new RefusedRow(`there is no file ${JSON.stringify(name)} in ${folder}`);
    return found;
  };
  // The first file shows what the file system can do.
  let canClone = true;
  return {
    async bring(name, path) {
      const source = await find(name);
      if (canClone && (await clones(source, path))) return undefined;
      canClone = false;
      if (copies || !(await links(source, path)))
        await copyFile(source, path, constants.COPYFILE_EXCL);
      return undefined;
    },
    look: async (name, work) => work(await find(name)),
  };
}

/** The real path of a file below a folder; `undefined` where there is none, or a link leads out. */
async function fileWithin(root: string, name: string): Promise<string | undefined> {
  const path = await realpath(join(root, name)).catch(() => undefined);
  if (path?.startsWith(root + sep) !== true) return undefined;
  return (await lstat(path)).isFile() ? path : undefined;
}

/** Finds names as Windows does: with its separator, and in any letter case. */
class WindowsNames {
  readonly #root: string;
  /** By folder below the root: its names, by their small letters. */
  readonly #folders = recentlyUsed<ReadonlyMap<string, readonly string[]>>(100);

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Returns a name as the folders have it; what they do not have stays as it is.
   * @throws {RefusedRow} when several names of a folder differ only in letter case.
   */
  async spelled(name: string): Promise<string> {
    const parts = name.split(/[\\/]/);
    if (parts.includes('..')) return name;
    let path = '';
    for (const part of parts) {
      const same = (await this.#namesIn(path)).get(part.toLowerCase()) ?? [];
      if (same.length > 1)
        throw new RefusedRow(`${JSON.stringify(name)} may be ${same.join(' or ')}; rename one`);
      path = join(path, same[0] ?? part);
    }
    return path;
  }

  async #namesIn(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const names = await readdir(join(this.#root, folder)).catch(() => []);
    const bySmall = Map.groupBy(names, (name) => name.toLowerCase());
    this.#folders.set(folder, bySmall);
    return bySmall;
  }
}

/** Files of an S3 service. */
export function objectsOfImages(store: FileStore): ImageSource {
  const keyOf = (name: string) => name.replaceAll('\\', '/');
  const find = async (name: string) => {
    const key = keyOf(name);
    const file = isObjectKey(key) ? await store.find(key) : undefined;
    if (file === undefined) throw new RefusedRow(`there is no object ${JSON.stringify(name)}`);
    return file;
  };
  return {
    async bring(name, path) {
      const file = await find(name);
      await pipeline(
        await store.read(keyOf(name)),
        createWriteStream(path, { flags: 'wx', mode: 0o600 }),
      );
      return (other, as) => other.copy(store, file, as);
    },
    async look(name, work) {
      await find(name);
      return store.withPath(keyOf(name), work);
    },
  };
}

/** Bytes per read. */
const CHUNK = 1024 * 1024;

/** Returns the SHA-256 of a file in lower-case hexadecimal digits, read through one buffer. */
export async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(1, size)));
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/**
 * Clones a file, sharing its blocks.
 * @returns whether the file system could.
 */
async function clones(from: string, to: string): Promise<boolean> {
  const shares = constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL;
  return copyFile(from, to, shares).then(
    () => true,
    () => false,
  );
}

/**
 * Hard-links a file of our own.
 * @returns whether that was possible.
 */
async function links(from: string, to: string): Promise<boolean> {
  const { uid } = await lstat(from);
  if (uid !== process.geteuid?.()) return false;
  try {
    await link(from, to);
  } catch {
    // Another file system, or one without hard links.
    return false;
  }
  // The sweep deletes old files without a record, so the file gets a new time.
  const now = new Date();
  await utimes(to, now, now);
  return true;
}
