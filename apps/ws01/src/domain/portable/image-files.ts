import { stat } from 'node:fs/promises';
import type { Kysely } from 'kysely';
import type { FileToKeep } from '../../adapters/files/file-store.ts';
import { inParallel } from '../../adapters/files/in-parallel.ts';
import { placeIn } from '../../adapters/files/names.ts';
import { insertNew } from '../../store/bulk.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { newNameOfFile } from '../images/file-names.ts';
import { enterFile, type StoredImage } from '../images/files.ts';
import { fileByHash } from '../images/rows.ts';
import { discard, storeBytes, type UploadDeps } from '../images/upload.ts';
import { NO_BOUNDS } from '../images/validation/inspect.ts';
import { ImageRefusal } from '../images/validation/refusal.ts';
import {
  describeImage,
  type ImageValidationDeps,
  inspectInTurn,
  type ValidatedImage,
} from '../images/validation/validate.ts';
import { type CopyTo, hashOfFile, type ImageSource } from './image-source.ts';
import { columnsOf, compareRows, outcomeOf, type RowOutcome } from './import-rows.ts';
import { kindOf } from './kinds.ts';
import { RefusedRow, type Row } from './record.ts';

/** Concurrent files; each waits for the disk several times. */
const AT_ONCE = 8;

/** The owner of import jobs in the decoders' queue. */
export const OWNER = 'import';

/** Returns the path of a file in an export, by its hash. */
export function fileNameOf(hash: string): string {
  return placeIn('files', hash);
}

/** A row and its file. */
export interface FileRow {
  readonly row: Row;
  /** The name of the file in its source; `undefined`: the name that exports use. */
  readonly file: string | undefined;
}

/** What was stored for a row, or why nothing was. */
export type ImportedFiles =
  | {
      readonly kind: 'stored';
      readonly hash: string;
      readonly bytes: number;
      readonly stored: StoredImage;
    }
  | { readonly kind: 'present'; readonly hash: string }
  | { readonly kind: 'refused'; readonly reason: string };

export interface FileDeps extends Omit<UploadDeps, 'budgets'> {
  readonly source: ImageSource;
  /** Whether images are decoded completely, as uploads are, with their renditions made at once. */
  readonly decodes: boolean;
}

/** A file of the spool that will be stored. */
interface Kept extends FileToKeep {
  readonly copyTo: CopyTo | undefined;
}

/**
 * Stores the files of rows, except those whose bytes exist. All are validated before the first is
 * stored, so that the disk is waited for once.
 */
export function importFiles(
  deps: FileDeps,
  rows: readonly FileRow[],
): Promise<readonly ImportedFiles[]> {
  const { store, spool } = deps.files;
  return spool.withTemporaries(rows.length, async (paths) => {
    const results: ImportedFiles[] = [];
    const kept: Kept[] = [];
    await inParallel(rows, AT_ONCE, async (row, at) => {
      results[at] = await bringOne(deps, row, paths[at]!, kept).catch(refusalOf);
    });
    const moved: FileToKeep[] = [];
    await inParallel(kept, AT_ONCE, async ({ path, name, copyTo }) => {
      if (!(await copyTo?.(store, name))) moved.push({ path, name });
    });
    await store.keepAll(moved);
    return results;
  });
}

function refusalOf(error: unknown): ImportedFiles {
  return { kind: 'refused', reason: reasonOf(error) };
}

/**
 * Returns why a file is refused.
 * @throws any other error.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof RefusedRow || error instanceof ImageRefusal)
    return error.message.replace(/\.$/, '');
  throw error;
}

/**
 * Validates the file of a row.
 * @param kept gets the file if it must be stored.
 */
async function bringOne(
  deps: FileDeps,
  { row, file }: FileRow,
  path: string,
  kept: Kept[],
): Promise<ImportedFiles> {
  const expected = row.hash as string | null;
  let known = expected === null ? undefined : await knownFile(deps, expected);
  if (known?.there) return { kind: 'present', hash: expected! };
  const name = file ?? (expected === null ? undefined : fileNameOf(expected));
  if (name === undefined) throw new RefusedRow('hash or file is required');
  const copyTo = await deps.source.bring(name, path);
  const hash = await hashOfFile(path);
  if (expected !== null && hash !== expected) {
    throw new RefusedRow(
      `the file ${JSON.stringify(name)} has the hash ${hash}, and not the one that is said`,
    );
  }
  known ??= await knownFile(deps, hash);
  if (known.there) return { kind: 'present', hash };
  const { size } = await stat(path);
  const { missing } = known;
  const said = await judgedAs(deps, row, path);
  if (said === undefined && deps.decodes) {
    const nothingKnown = { image: undefined, missing };
    const stored = await storeBytes(deps, { hash, path, bytes: size }, nothingKnown, OWNER);
    return { kind: 'stored', hash, bytes: size, stored };
  }
  const stored = {
    name: newNameOfFile(hash),
    image: said ?? (await describeImage({ path, owner: OWNER }, deps)),
    missing,
  };
  kept.push({ path, name: stored.name, copyTo });
  return { kind: 'stored', hash, bytes: size, stored };
}

/**
 * Whether a record uses these bytes and the store has them; `missing`: the name under which the
 * store should have them.
 */
async function knownFile(
  { store, files }: FileDeps,
  hash: string,
): Promise<{ readonly there: boolean; readonly missing: string | undefined }> {
  const known = await store.read((db) => fileByHash.first(db, { hash }));
  if (known === undefined || known.deleted_at !== null) return { there: false, missing: undefined };
  const there = (await files.store.find(known.stored_as)) !== undefined;
  return { there, missing: there ? undefined : known.stored_as };
}

/**
 * Returns what an export says about a file that was validated before; `undefined` for other rows.
 * @throws {RefusedRow} when the file is not in the stated format.
 * @throws {ImageRefusal}
 */
export async function judgedAs(
  deps: ImageValidationDeps,
  row: Row,
  path: string,
): Promise<ValidatedImage | undefined> {
  const { format, served_format, width, height, frames } = row;
  if (format === undefined) return undefined;
  const found = await inspectInTurn(deps.files.turns, 'write', path, NO_BOUNDS);
  if (found.format !== format)
    throw new RefusedRow(`the file is in the format ${found.format}, not ${format}`);
  return { format, served_format, width, height, frames } as ValidatedImage;
}

/**
 * Inserts the stored files, in the transaction of their rows.
 * @returns the names of stored files that are not needed, to be deleted after the commit.
 */
export async function enterFiles(
  tx: Kysely<Tables>,
  brought: readonly ImportedFiles[],
  at: Instant,
): Promise<readonly string[]> {
  const unused: string[] = [];
  for (const one of brought) {
    if (one.kind !== 'stored') continue;
    const entered = await enterFile(tx, one, at);
    if (entered.kind === 'done') unused.push(...entered.unused);
  }
  return unused;
}

/** Imports rows of the kind `image-files`. Rows of deleted files have no file. */
export async function importFileRows(
  tx: Kysely<Tables>,
  rows: readonly Row[],
  brought: readonly ImportedFiles[],
): Promise<{ readonly outcomes: readonly RowOutcome[]; readonly unused: readonly string[] }> {
  const kind = kindOf('image-files')!;
  const outcomes: RowOutcome[] = [];
  const unused: string[] = [];
  for (const [at, row] of rows.entries()) {
    const one = brought[at];
    const before = await fileByHash.first(tx, { hash: row.hash as string });
    if (row.deleted_at !== null) {
      if (before === undefined)
        await insertNew(
          tx,
          'image_files',
          [...columnsOf(kind), 'stored_as'],
          ['hash'],
          [{ ...row, stored_as: newNameOfFile(row.hash as string) }],
        );
    } else if (one?.kind === 'refused') {
      outcomes.push({ refused: one.reason });
      continue;
    } else if (one !== undefined) {
      unused.push(...(await enterFiles(tx, [one], row.stored_at as Instant)));
    }
    const stored = (await compareRows(tx, kind, [row])).get(row);
    const revived = before !== undefined && before.deleted_at !== null && row.deleted_at === null;
    outcomes.push(before === undefined || revived ? 'added' : outcomeOf(kind, row, stored!, {}));
  }
  return { outcomes, unused };
}

export { discard };
