import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Kysely } from 'kysely';
import { insertNew } from '../../store/bulk.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { enterFile, type StoredImage } from '../images/files.ts';
import { inspectImage } from '../images/judging/inspect.ts';
import type { JudgedImage } from '../images/judging/judge.ts';
import { ImageRefusal } from '../images/judging/refusal.ts';
import { fileByHash } from '../images/rows.ts';
import { discard, storeBytes, type UploadDeps } from '../images/upload.ts';
import { hashOfFile, type ImageSource } from './image-source.ts';
import { kindOf } from './kinds.ts';
import { RefusedRow, type Row } from './record.ts';
import { columnsOf, compareRows, type RowOutcome } from './take.ts';

/** Files brought at once: each waits for the disk several times. */
const AT_ONCE = 8;

/** Where exports keep the file of a hash. */
export function fileNameOf(hash: string): string {
  return `files/${hash.slice(0, 2)}/${hash}`;
}

/** A row with the file that it brings. */
export interface FileRow {
  readonly row: Row;
  /** The name of the file in its source; `undefined` where exports have it. */
  readonly file: string | undefined;
}

/** What was stored for a row, or why nothing was. */
export type Brought =
  | { readonly kind: 'stored'; readonly hash: string; readonly bytes: number; readonly stored: StoredImage }
  | { readonly kind: 'present'; readonly hash: string }
  | { readonly kind: 'refused'; readonly reason: string };

export interface FileDeps extends Omit<UploadDeps, 'budgets'> {
  readonly source: ImageSource;
}

/** Brings the files of some rows into the file store, those aside whose bytes are there. */
export async function bringFiles(deps: FileDeps, rows: readonly FileRow[]): Promise<readonly Brought[]> {
  const results: Brought[] = [];
  const waiting = rows.entries();
  const bringOn = async () => {
    for (const [at, row] of waiting) results[at] = await bringOne(deps, row).catch(refusalOf);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, bringOn));
  return results;
}

function refusalOf(error: unknown): Brought {
  if (error instanceof RefusedRow || error instanceof ImageRefusal) {
    return { kind: 'refused', reason: error.message.replace(/\.$/, '') };
  }
  throw error;
}

async function bringOne(deps: FileDeps, { row, file }: FileRow): Promise<Brought> {
  const expected = row.hash as string | null;
  if (expected !== null && (await isThere(deps, expected))) return { kind: 'present', hash: expected };
  const name = file ?? (expected === null ? undefined : fileNameOf(expected));
  if (name === undefined) throw new RefusedRow('hash or file is required');
  return deps.files.spool.withTemporary(async (path) => {
    const copyTo = await deps.source.bring(name, path);
    const hash = await hashOfFile(path);
    if (expected !== null && hash !== expected) {
      throw new RefusedRow(`the file ${JSON.stringify(name)} has the hash ${hash}, and not the one that is said`);
    }
    if (expected === null && (await isThere(deps, hash))) return { kind: 'present', hash };
    const { size } = await stat(path);
    const image = await judgedOf(row, path);
    const { store } = deps.files;
    const keep = async (as: string) => {
      if (!(await copyTo?.(store, as))) await store.keep(path, as);
    };
    const known = { image, missing: undefined };
    const stored = await storeBytes(deps, { hash, path, bytes: size }, known, 'import', keep);
    return { kind: 'stored', hash, bytes: size, stored };
  });
}

async function isThere({ store, files }: FileDeps, hash: string): Promise<boolean> {
  const known = await store.read((db) => fileByHash.first(db, { hash }));
  return known !== undefined && known.deleted_at === null && (await files.store.find(known.stored_as)) !== undefined;
}

/**
 * What an export says of a file, all of whose pixels were looked at before it was taken; `undefined` for other rows.
 * @throws {RefusedRow} when the file is not in the format that is said; {@link ImageRefusal}.
 */
async function judgedOf(row: Row, path: string): Promise<JudgedImage | undefined> {
  const { format, served_format, width, height, frames } = row;
  if (format === undefined) return undefined;
  const found = await inspectImage(path, NO_BOUNDS);
  if (found.format !== format) throw new RefusedRow(`the file is in the format ${found.format}, not ${format}`);
  return { format, served_format, width, height, frames } as JudgedImage;
}

/** What was accepted under other bounds stays accepted; serving it has bounds of its own. */
const NO_BOUNDS = {
  pixels: Number.POSITIVE_INFINITY,
  frames: Number.POSITIVE_INFINITY,
  decodeBytes: Number.POSITIVE_INFINITY,
};

/**
 * Enters what was brought, in the transaction of the rows that have it.
 * @returns the names of stored files that nobody needs, to be removed after the commit.
 */
export async function enterFiles(
  tx: Kysely<Tables>,
  brought: readonly Brought[],
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

/** Takes rows of the kind `image-files`. Those that say of a file that it is gone bring none. */
export async function takeFileRows(
  tx: Kysely<Tables>,
  rows: readonly Row[],
  brought: readonly Brought[],
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
          [{ ...row, stored_as: `${row.hash}-${randomUUID()}` }],
        );
    } else if (one?.kind === 'refused') {
      outcomes.push({ refused: one.reason });
      continue;
    } else if (one !== undefined) {
      unused.push(...(await enterFiles(tx, [one], row.stored_at as Instant)));
    }
    const compared = (await compareRows(tx, kind, [row])).get(row);
    const revived = before !== undefined && before.deleted_at !== null && row.deleted_at === null;
    outcomes.push(before === undefined || revived ? 'added' : (compared as RowOutcome));
  }
  return { outcomes, unused };
}

export { discard };
