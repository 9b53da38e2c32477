import { rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DiskTurns, DiskUse } from './disk-turns.ts';
import { makeFolder, sync } from './durable.ts';
import { guarded, ifMissing } from './errors.ts';
import type { FileTrash, TrashedFile } from './file-store.ts';
import { namesIn } from './folder.ts';
import { checkedName, isFileName } from './names.ts';

/** The names of the subfolders. */
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Where the files of the store are. */
interface Kept {
  readonly pathOf: (name: string) => string;
  /** Makes the folder of a file durably; takes no turn. */
  readonly makeFolderOf: (name: string) => Promise<void>;
}

/**
 * A folder with a subfolder for each day. It is on the file system of the store, so that one rename
 * moves a file: it always has one of both names, also while another process moves or removes it.
 * The folder that gets it is synced first.
 */
export class DiskTrash implements FileTrash {
  readonly #folder: string;
  readonly #turns: DiskTurns;
  readonly #kept: Kept;

  constructor(folder: string, turns: DiskTurns, kept: Kept) {
    this.#folder = folder;
    this.#turns = turns;
    this.#kept = kept;
  }

  async take(name: string, day: string): Promise<void> {
    const folder = join(this.#folder, day);
    await this.#turn('write', async () => {
      await makeFolder(folder);
      await move(this.#kept.pathOf(name), join(folder, name));
    });
  }

  putBack({ name, day }: TrashedFile): Promise<boolean> {
    return this.#turn('write', async () => {
      await this.#kept.makeFolderOf(name);
      return move(join(this.#folder, day, name), this.#kept.pathOf(name));
    });
  }

  async remove({ name, day }: TrashedFile): Promise<void> {
    const folder = join(this.#folder, day);
    await this.#turn('write', async () => {
      await rm(join(folder, checkedName(name)), { force: true });
      // Only an empty folder can be removed.
      await rmdir(folder).catch(() => {});
    });
  }

  async *list(): AsyncIterable<TrashedFile> {
    const days = await this.#turn('read', () => namesIn(this.#folder));
    for (const day of days.filter((name) => DAY.test(name)).sort()) {
      for (const name of await this.#turn('read', () => namesIn(join(this.#folder, day)))) {
        if (!isFileName(name)) continue;
        const bytes = await this.#turn('read', () => sizeOf(join(this.#folder, day, name)));
        if (bytes !== undefined) yield { name, bytes, day };
      }
    }
  }

  #turn<T>(use: DiskUse, work: () => Promise<T>): Promise<T> {
    return guarded(() => this.#turns.take(use, work));
  }
}

/** @returns `false` if there is no such file. */
async function move(from: string, to: string): Promise<boolean> {
  const isMoved = await rename(from, to).then(() => true, ifMissing(false));
  if (!isMoved) return false;
  await sync(dirname(to));
  await sync(dirname(from));
  return true;
}

function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(({ size }) => size, ifMissing(undefined));
}
