import { access, constants, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { DependencyError } from '../../failure/dependency-error.ts';
import { fileOfOther } from '../../failure/other-owner.ts';
import { shellWord } from '../../failure/shell-word.ts';
import { DiskTrash } from './disk-trash.ts';
import type { DiskTurns, DiskUse } from './disk-turns.ts';
import { makeFolder, moveDurably, sync, writeDurably } from './durable.ts';
import { guarded, ifMissing } from './errors.ts';
import type { ByteRange, FilePieces, FileStore, FileToKeep, StoredFile } from './file-store.ts';
import { openPieces, readFileStream } from './file-streams.ts';
import { namesIn } from './folder.ts';
import { inParallel } from './in-parallel.ts';
import { isFileName, placeIn } from './names.ts';
import type { Spool } from './spool.ts';

/** Files that {@link DiskFileStore.keepAll} writes at once. */
const AT_ONCE = 8;

/** What the service makes in the folder. */
const FOLDERS: readonly string[] = ['kept', 'incoming', 'trash'];

/** The file with the id of the database that the files belong to. */
export const OWNER_FILE = 'database-id';

/**
 * Stores files in the subfolder `kept`, in subfolders named by the first two characters of the file
 * names; the trash is in the subfolder `trash`. The spool must be on the same file system: a file
 * is moved in, so it is never there in part.
 */
export class DiskFileStore implements FileStore {
  readonly trash: DiskTrash;
  readonly #root: string;
  readonly #folder: string;
  readonly #spool: Spool;
  readonly #turns: DiskTurns;
  readonly #made = new Set<string>();

  constructor(folder: string, spool: Spool, turns: DiskTurns) {
    this.#root = folder;
    this.#folder = join(folder, 'kept');
    this.#spool = spool;
    this.#turns = turns;
    this.trash = new DiskTrash(join(folder, 'trash'), turns, {
      pathOf: (name) => this.#path(name),
      makeFolderOf: (name) => this.#make(this.#folderOf(name)),
    });
  }

  keep(path: string, name: string): Promise<void> {
    return this.#turn('write', async () => {
      await this.#make(this.#folderOf(name));
      await moveDurably(path, this.#path(name));
    });
  }

  /**
   * Syncs the bytes of all files before it names the first one, and each folder once, after its
   * last name.
   */
  async keepAll(files: readonly FileToKeep[]): Promise<void> {
    await inParallel(files, AT_ONCE, ({ path }) => this.#turn('write', () => sync(path)));
    const folders = [...new Set(files.map(({ name }) => this.#folderOf(name)))];
    await inParallel(folders, AT_ONCE, (folder) => this.#turn('write', () => this.#make(folder)));
    await inParallel(files, AT_ONCE, ({ path, name }) =>
      this.#turn('write', () => rename(path, this.#path(name))),
    );
    await inParallel(folders, AT_ONCE, (folder) => this.#turn('write', () => sync(folder)));
  }

  /** Always false: files of this machine are linked or copied into the spool instead. */
  async copy(): Promise<boolean> {
    return false;
  }

  find(name: string, signal?: AbortSignal): Promise<StoredFile | undefined> {
    const look = async () => {
      const found = await stat(this.#path(name)).catch(ifMissing(undefined));
      return found && { name, bytes: found.size, storedAt: found.mtimeMs };
    };
    return guarded(() => this.#turns.take('read', look, { signal }));
  }

  read(name: string, range?: ByteRange, signal?: AbortSignal): Promise<Readable> {
    return guarded(() => readFileStream(this.#path(name), this.#turns, { range, signal }));
  }

  pieces(name: string, range?: ByteRange, signal?: AbortSignal): Promise<FilePieces> {
    return guarded(() => openPieces(this.#path(name), this.#turns, { range, signal }));
  }

  withPath<T>(name: string, work: (path: string) => Promise<T>): Promise<T> {
    return work(this.#path(name));
  }

  remove(name: string): Promise<void> {
    return this.#turn('write', () => rm(this.#path(name), { force: true }));
  }

  async *list(beginning = ''): AsyncIterable<StoredFile> {
    const groups = await this.#turn('read', () => namesIn(this.#folder));
    for (const group of groups.filter((one) => one.startsWith(beginning.slice(0, 2)))) {
      const names = await this.#turn('read', () => namesIn(join(this.#folder, group)));
      for (const name of names.filter((one) => isFileName(one) && one.startsWith(beginning))) {
        const file = await this.find(name);
        if (file !== undefined) yield file;
      }
    }
  }

  owner(): Promise<string | undefined> {
    const path = join(this.#root, OWNER_FILE);
    return this.#turn('read', () =>
      readFile(path, 'latin1').then((owner) => owner.trim(), ifMissing(undefined)),
    );
  }

  giveTo(id: string | undefined): Promise<void> {
    if (id === undefined)
      return this.#turn('write', () => rm(join(this.#root, OWNER_FILE), { force: true }));
    return this.#spool.withTemporary((path) =>
      this.#turn('write', async () => {
        await writeDurably(path, `${id}\n`, 'wx');
        await moveDurably(path, join(this.#root, OWNER_FILE));
      }),
    );
  }

  now(): Promise<number> {
    return guarded(() => this.#spool.now());
  }

  /** Writes and syncs a file, as an upload does; and looks whether each folder can take it. */
  async check(): Promise<void> {
    await this.#spool.withTemporary((path) =>
      this.#turn('write', () => writeDurably(path, 'ready', 'wx')),
    );
    await this.#turn('read', async () => {
      for (const folder of await this.#folders())
        await access(folder, constants.W_OK | constants.X_OK);
    });
  }

  assertOwn(): Promise<void> {
    return this.#turn('read', async () => {
      const found = await fileOfOther(await this.#folders(), this.#folder);
      if (found === undefined) return;
      const { path, owner, own } = found;
      throw new DependencyError(
        'files',
        'misconfigured',
        `${path} belongs to the user with the id ${owner}, and this process runs as ${own}: uploads of one of them fail there. Run this as that user, or give all files to one: chown -R ${own} ${shellWord(resolve(this.#root))}`,
      );
    });
  }

  /** The folders that files come into, as far as they were made. */
  async #folders(): Promise<readonly string[]> {
    const groups = (await namesIn(this.#folder)).map((group) => join(this.#folder, group));
    const made = (await namesIn(this.#root)).filter((name) => FOLDERS.includes(name));
    return [...made.map((name) => join(this.#root, name)), ...groups];
  }

  close(): void {}

  #turn<T>(use: DiskUse, work: () => Promise<T>): Promise<T> {
    return guarded(() => this.#turns.take(use, work));
  }

  /**
   * Makes a folder once per process and syncs it into its parent, even if another process made it.
   */
  async #make(folder: string): Promise<void> {
    if (this.#made.has(folder)) return;
    await makeFolder(folder);
    await sync(this.#folder);
    this.#made.add(folder);
  }

  #folderOf(name: string): string {
    return dirname(this.#path(name));
  }

  #path(name: string): string {
    return placeIn(this.#folder, name);
  }
}
