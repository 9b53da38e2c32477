import { createHash } from 'node:crypto';
import { open, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifMissing } from '../../adapters/files/errors.ts';
import { hashOfFile } from './image-source.ts';
import type { Kind } from './kinds.ts';
import { FORMAT, FORMAT_VERSION, KINDS } from './kinds.ts';
import type { FormOfFile } from './pieces.ts';
import { HEAD_BYTES, utf16In } from './utf16.ts';

export const MANIFEST = 'manifest.json';

/** What an export says of itself. */
export interface ExportManifest {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** The moment that it is of; RFC 3339. */
  readonly createdAt?: string;
  /** By its kind's name. Without `sha256` a file is not held against anything. */
  readonly files?: Readonly<
    Record<string, { readonly records?: number; readonly bytes?: number; readonly sha256?: string }>
  >;
  readonly images?: { readonly files: number; readonly bytes: number };
}

/** A folder that cannot be imported as it is. The message is for people. */
export class FolderError extends Error {
  override readonly name = 'FolderError';
}

/** The file of one kind. */
export interface KindFile extends FormOfFile {
  readonly kind: Kind;
  readonly path: string;
  readonly bytes: number;
}

/** A folder in the portable format. */
export interface PortableFolder {
  readonly folder: string;
  /** In the order in which they are read. */
  readonly files: readonly KindFile[];
  /** Stands for the folder as it is now. */
  readonly id: string;
}

/**
 * Looks through a folder, and whether it is whole.
 * @throws {FolderError} when it is none, of a later version, or not as its manifest says.
 */
export async function openFolder(folder: string): Promise<PortableFolder> {
  const manifest = await readManifest(folder);
  const files: KindFile[] = [];
  const identity = createHash('sha256').update(await realpath(folder));
  for (const kind of KINDS) {
    const file = await fileOf(folder, kind);
    if (file === undefined && manifest?.files?.[kind.name] !== undefined) {
      throw new FolderError(
        `${kind.name}.jsonl is missing, which ${MANIFEST} names; copy the whole export.`,
      );
    }
    if (file === undefined) continue;
    const { mtimeMs } = await stat(file.path);
    identity.update(`\0${kind.name}\0${file.bytes}\0${mtimeMs}`);
    await assertWhole(file, manifest);
    files.push(file);
  }
  if (files.length === 0) {
    throw new FolderError(
      `${folder} holds no file such as articles.jsonl or users.csv; see docs/portable-format.md.`,
    );
  }
  return { folder, files, id: identity.digest('hex') };
}

async function readManifest(folder: string): Promise<ExportManifest | undefined> {
  if ((await stat(folder)).isFile())
    throw new FolderError(`${folder} is a file; name the folder that it stands in.`);
  const path = join(folder, MANIFEST);
  if ((await sizeOf(path)) === undefined) return undefined;
  const text = (await readFile(path, 'utf8')).replace(/^\ufeff/, '');
  let manifest: Partial<ExportManifest> | null;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new FolderError(`${MANIFEST} is not JSON; the export was not finished, or was changed.`);
  }
  if (manifest?.format !== FORMAT)
    throw new FolderError(`${MANIFEST} does not say "format": "${FORMAT}".`);
  if (manifest.version !== FORMAT_VERSION) {
    throw new FolderError(
      `${folder} is in version ${manifest.version} of the format, and this version of ws01 reads ${FORMAT_VERSION}; use the one that made it, or a newer one.`,
    );
  }
  return manifest as ExportManifest;
}

async function fileOf(folder: string, kind: Kind): Promise<KindFile | undefined> {
  const found: KindFile[] = [];
  for (const format of ['jsonl', 'csv'] as const) {
    const path = join(folder, `${kind.name}.${format}`);
    const size = await sizeOf(path);
    if (size === undefined) continue;
    const utf16 = utf16In(await headOf(path));
    found.push({ kind, path, format, bytes: size, utf16 });
  }
  if (found.length > 1)
    throw new FolderError(`${folder} has both ${kind.name}.jsonl and ${kind.name}.csv; leave one.`);
  return found[0];
}

/**
 * @returns bytes; undefined where there is nothing.
 * @throws {FolderError} for a pipe, which would be waited for and can be read only once, and for a
 *   folder.
 */
async function sizeOf(path: string): Promise<number | undefined> {
  const stats = await stat(path).catch(ifMissing(undefined));
  if (stats === undefined) return undefined;
  if (!stats.isFile()) throw new FolderError(`${path} is no regular file; put one in its place.`);
  return stats.size;
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function assertWhole(
  { kind, path, bytes }: KindFile,
  manifest: ExportManifest | undefined,
): Promise<void> {
  const { bytes: said, sha256 } = manifest?.files?.[kind.name] ?? {};
  if (said !== undefined && said !== bytes) {
    throw new FolderError(
      `${path} has ${bytes} bytes where ${MANIFEST} says ${said}: it was cut off or changed. Copy it again; if you changed it, take its entry out of ${MANIFEST}.`,
    );
  }
  if (sha256 !== undefined && (await hashOfFile(path)) !== sha256) {
    throw new FolderError(
      `${path} is not as it was exported: its hash differs. Copy it again; if you changed it, take its entry out of ${MANIFEST}.`,
    );
  }
}
