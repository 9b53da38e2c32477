import type { Kysely } from 'kysely';
import type { ImageFilesTable, Instant, Tables } from '../../store/tables/tables.ts';
import { imageWithHash, insertFile, lockFile, reviveFile, setFileDeleted } from './rows.ts';
import type { ValidatedImage } from './validation/validate.ts';

/** An uploaded file that was recognized as an image. */
export interface ArrivedFile {
  /** SHA-256 of its bytes, lower-case hexadecimal digits. */
  readonly hash: string;
  readonly bytes: number;
  /** What the call has put into the store; `undefined` when a file with the same bytes was there already. */
  readonly stored: StoredImage | undefined;
}

export interface StoredImage {
  /** Its name in the store, which nothing else has or ever had. */
  readonly name: string;
  readonly image: ValidatedImage;
  /** The name under which the bytes were to be found and were not; `undefined` when none was known. */
  readonly missing: string | undefined;
}

type Entered = { readonly kind: 'again' } | { readonly kind: 'done'; readonly unused: readonly string[] };

/** The row of a file that is in the store. */
export function rowOfFile(
  { hash, bytes }: Pick<ArrivedFile, 'hash' | 'bytes'>,
  { name, image: { format, served_format, width, height, frames } }: StoredImage,
  at: Instant,
): Omit<ImageFilesTable, 'deleted_at'> {
  return { hash, stored_as: name, format, served_format, width, height, frames, bytes, stored_at: at };
}

/**
 * Enters the file of a call, so that records can have it. Of two calls that bring the same bytes the row of the file
 * settles whose copy stays; a file whose last record has just been deleted is not taken up again, since its copy is
 * being removed: the call's own copy takes its place.
 */
export async function enterFile(
  tx: Kysely<Tables>,
  { hash, bytes, stored }: ArrivedFile,
  at: Instant,
): Promise<Entered> {
  if (stored !== undefined) {
    if ((await insertFile.run(tx, rowOfFile({ hash, bytes }, stored, at))) === 1) return { kind: 'done', unused: [] };
  }
  const present = await lockFile.first(tx, { hash });
  if (present !== undefined && present.deleted_at === null && present.stored_as !== stored?.missing) {
    const surplus = stored !== undefined && stored.name !== present.stored_as;
    return { kind: 'done', unused: surplus ? [stored.name] : [] };
  }
  if (stored === undefined) return { kind: 'again' };
  reviveFile.send(tx, { hash, stored_as: stored.name, stored_at: at });
  return { kind: 'done', unused: present === undefined ? [] : [present.stored_as] };
}

/**
 * Holds the files that a write takes up and lets go of. In the order of their contents: of two images that get each
 * other's picture, neither write then has what the other one waits for.
 */
export async function holdFiles(tx: Kysely<Tables>, hashes: readonly string[]): Promise<void> {
  const several = new Set(hashes);
  if (several.size > 1) for (const hash of [...several].toSorted()) await lockFile.first(tx, { hash });
}

/**
 * Says that one record less has a file; without any its address answers at once that it is gone.
 * @returns the names of stored files that nobody needs any more.
 */
export async function releaseFile(tx: Kysely<Tables>, hash: string, at: Instant): Promise<readonly string[]> {
  const [file, image] = await Promise.all([lockFile.first(tx, { hash }), imageWithHash.first(tx, { hash })]);
  if (file === undefined || image !== undefined) return [];
  setFileDeleted.send(tx, { hash, deleted_at: at });
  return [file.stored_as];
}
