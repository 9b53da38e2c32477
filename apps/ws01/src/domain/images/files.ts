import type { Kysely } from 'kysely';
import type { ImageFilesTable, Instant, Tables } from '../../store/tables/tables.ts';
import { imageWithHash, insertFile, lockFile, reviveFile, setFileDeleted } from './rows.ts';
import type { ValidatedImage } from './validation/validate.ts';

/** An uploaded file that is a valid image. */
export interface ArrivedFile {
  /** SHA-256 of its bytes, in lower-case hexadecimal digits. */
  readonly hash: string;
  readonly bytes: number;
  /** The file that the call has stored; `undefined` if the same bytes were stored already. */
  readonly stored: StoredImage | undefined;
}

export interface StoredImage {
  /** Its name in the store, which is never reused. */
  readonly name: string;
  readonly image: ValidatedImage;
  /**
   * The name under which the bytes should have been stored but were missing; `undefined` if none
   * was known.
   */
  readonly missing: string | undefined;
}

type Entered =
  | { readonly kind: 'again' }
  | { readonly kind: 'done'; readonly unused: readonly string[] };

/** Returns the row of a stored file. */
export function rowOfFile(
  { hash, bytes }: Pick<ArrivedFile, 'hash' | 'bytes'>,
  { name, image: { format, served_format, width, height, frames } }: StoredImage,
  at: Instant,
): Omit<ImageFilesTable, 'deleted_at'> {
  return {
    hash,
    stored_as: name,
    format,
    served_format,
    width,
    height,
    frames,
    bytes,
    stored_at: at,
  };
}

/**
 * Inserts the file of a call, so that records can use it. If two calls upload the same bytes, the
 * row decides whose copy is kept. A file whose last record has just been deleted is not reused,
 * because it is being removed; the call's own copy replaces it.
 */
export async function enterFile(
  tx: Kysely<Tables>,
  { hash, bytes, stored }: ArrivedFile,
  at: Instant,
): Promise<Entered> {
  if (stored !== undefined) {
    if ((await insertFile.run(tx, rowOfFile({ hash, bytes }, stored, at))) === 1)
      return { kind: 'done', unused: [] };
  }
  const present = await lockFile.first(tx, { hash });
  if (
    present !== undefined &&
    present.deleted_at === null &&
    present.stored_as !== stored?.missing
  ) {
    const surplus = stored !== undefined && stored.name !== present.stored_as;
    return { kind: 'done', unused: surplus ? [stored.name] : [] };
  }
  if (stored === undefined) return { kind: 'again' };
  reviveFile.send(tx, { hash, stored_as: stored.name, stored_at: at });
  return { kind: 'done', unused: present === undefined ? [] : [present.stored_as] };
}

/**
 * Locks the files that a write starts or stops using, in the order of their hashes, so that two
 * images that exchange their pictures do not deadlock.
 */
export async function holdFiles(tx: Kysely<Tables>, hashes: readonly string[]): Promise<void> {
  const several = new Set(hashes);
  if (several.size > 1)
    for (const hash of [...several].toSorted()) await lockFile.first(tx, { hash });
}

/**
 * Notes that one record less uses a file. Without any record its URL answers at once that it is
 * gone.
 * @returns the names of stored files that are no longer used.
 */
export async function releaseFile(
  tx: Kysely<Tables>,
  hash: string,
  at: Instant,
): Promise<readonly string[]> {
  const [file, image] = await Promise.all([
    lockFile.first(tx, { hash }),
    imageWithHash.first(tx, { hash }),
  ]);
  if (file === undefined || image !== undefined) return [];
  setFileDeleted.send(tx, { hash, deleted_at: at });
  return [file.stored_as];
}
