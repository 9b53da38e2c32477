import { DAY_MS } from '@ws01/asmx/time';
import type { FileTrash, StoredFile, TrashedFile } from './file-store.ts';
import { checkedName, isFileName } from './names.ts';

/** The beginning of the names of what is in the trash. */
export const TRASH = 'trash/';

/** The objects of the store, by their names in it. */
interface Objects {
  /** @returns whether there was an object to copy. */
  readonly copy: (from: string, to: string) => Promise<boolean>;
  readonly remove: (name: string) => Promise<void>;
  readonly list: () => AsyncIterable<StoredFile>;
}

/**
 * Objects below `trash/` and the day. S3 has no rename: an object is copied, and then its original
 * is removed. So a stop in between leaves both.
 */
export class S3Trash implements FileTrash {
  readonly #objects: Objects;

  constructor(objects: Objects) {
    this.#objects = objects;
  }

  async take(name: string, day: string): Promise<void> {
    if (await this.#objects.copy(name, nameOf({ name, day }))) await this.#objects.remove(name);
  }

  /**
   * What came into the trash lately stays there, too: another node may be about to remove its
   * original.
   */
  async putBack(file: TrashedFile): Promise<boolean> {
    if (!(await this.#objects.copy(nameOf(file), file.name))) return false;
    const yesterday = new Date(Date.now() - DAY_MS).toISOString().slice(0, DAY_CHARACTERS);
    if (file.day < yesterday) await this.remove(file);
    return true;
  }

  remove(file: TrashedFile): Promise<void> {
    return this.#objects.remove(nameOf(file));
  }

  async *list(): AsyncIterable<TrashedFile> {
    for await (const { name, bytes } of this.#objects.list()) {
      const { day, file } = IN_TRASH.exec(name)?.groups ?? {};
      if (day !== undefined && file !== undefined) yield { name: file, bytes, day };
    }
  }
}

const DAY_CHARACTERS = '2026-11-27'.length;

const IN_TRASH = /^trash\/(?<day>\d{4}-\d\d-\d\d)\/(?<file>[^/]+)$/;

/** Whether a name is one of an object in the trash. */
export function isNameInTrash(name: string): boolean {
  const { file } = IN_TRASH.exec(name)?.groups ?? {};
  return file !== undefined && isFileName(file);
}

function nameOf({ name, day }: Pick<TrashedFile, 'name' | 'day'>): string {
  return `${TRASH}${day}/${checkedName(name)}`;
}
