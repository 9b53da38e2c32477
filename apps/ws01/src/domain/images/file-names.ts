import { randomUUID } from 'node:crypto';
import type { Store } from '../../store/store.ts';
import { originalName } from './serving/renditions.ts';

/** SHA-256 and a UUID; a rendition has a suffix. */
const NAME_OF_FILE =
  /^[0-9a-f]{64}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\.(full|icon|w\d+-[a-z]+))?$/;

/**
 * Returns a name for a file that no other has had, or will have.
 * @param hash SHA-256 in hexadecimal digits.
 */
export function newNameOfFile(hash: string): string {
  return `${hash}-${randomUUID()}`;
}

/** Whether a name is one that we give; other objects may be in the bucket, too. */
export function isNameOfFile(name: string): boolean {
  return NAME_OF_FILE.test(name);
}

/** Whether it is the name of a picture, not of a rendition. @param name of a file of ours. */
export function isOriginal(name: string): boolean {
  return name === originalName(name);
}

/** What the records say about files. */
interface FileState {
  /** Files whose records say that they are to be removed. */
  readonly deleted: readonly string[];
  /** Files without a record. */
  readonly absent: readonly string[];
}

/** Returns those of some files that no live record names. @param names at most some hundred. */
export async function fileState(store: Store, names: readonly string[]): Promise<FileState> {
  if (names.length === 0) return { deleted: [], absent: [] };
  const originals = [...new Set(names.map(originalName))];
  const rows = await store.read((db) =>
    db
      .selectFrom('image_files')
      .select(['stored_as', 'deleted_at'])
      .where('stored_as', 'in', originals)
      .execute(),
  );
  const known = new Map(rows.map(({ stored_as, deleted_at }) => [stored_as, deleted_at]));
  return {
    deleted: names.filter((name) => (known.get(originalName(name)) ?? null) !== null),
    absent: names.filter((name) => !known.has(originalName(name))),
  };
}
