import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sync } from '../../adapters/files/durable.ts';
import { ownPrefix, removeLeftBehind } from '../../adapters/files/left-behind.ts';
import {
  ARCHIVE_LIMITS,
  type ArchiveLimits,
  openArchive,
  pack,
  packInto,
  rootOf,
  unpack,
} from '../../domain/portable/archive.ts';
import { FolderError } from '../../domain/portable/manifest.ts';
import { mebibytes } from '../../failure/mebibytes.ts';
import { CommandFailure, UsageFailure } from '../failure.ts';
import { inNewFolder } from './new-folder.ts';
import { remark } from './output.ts';
import { createProgress } from './progress.ts';

/** The path that means standard input or output. */
export const PIPE = '-';

interface Unpacking {
  /** The folder to unpack to. */
  readonly folder: string;
  readonly limits: ArchiveLimits;
  /** Whether to continue with what an earlier run unpacked. */
  readonly resume: boolean;
}

/**
 * Unpacks a tar archive, from a file or standard input, and runs work on the folder. The folder is
 * deleted afterwards, unless the work was interrupted and can be resumed.
 */
export async function withUnpacked<T>(
  archive: string,
  { folder, limits, resume }: Unpacking,
  signal: AbortSignal,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  if (!(resume && existsSync(folder))) await unpackTo(folder, archive, limits, signal);
  try {
    const done = await work(await rootOf(folder));
    await rm(folder, { recursive: true, force: true });
    return done;
  } catch (error) {
    if (error instanceof FolderError) await rm(folder, { recursive: true, force: true });
    else remark(`${nameOf(archive)} stays unpacked in ${folder}; continue with --resume.`);
    throw error;
  }
}

async function unpackTo(
  folder: string,
  archive: string,
  limits: ArchiveLimits,
  signal: AbortSignal,
): Promise<void> {
  if (existsSync(folder)) {
    const message = `${folder} exists already: continue with --resume, or remove it, or name another with --unpack.`;
    throw new UsageFailure(message);
  }
  await removeLeftBehind(dirname(folder), `${basename(folder)}.partial-`);
  await inNewFolder(folder, (partial) => unpackInto(partial, archive, signal, limits));
}

/** Unpacks an archive into a folder that is there, and shows how far it is. */
export async function unpackInto(
  folder: string,
  archive: string,
  signal: AbortSignal,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): Promise<void> {
  const source =
    archive === PIPE
      ? { name: nameOf(archive), stream: process.stdin, bytes: undefined }
      : await openArchive(archive);
  const { bytes } = source;
  const progress = createProgress();
  try {
    await unpack(source, folder, limits, {
      signal,
      onProgress: (done) => {
        if (bytes === undefined) progress.show(`${mebibytes(done)} MiB unpacked`, false);
        else progress.tell(mebibytes(done), mebibytes(bytes), 'MiB unpacked');
      },
    });
  } finally {
    progress.end();
  }
}

function nameOf(archive: string): string {
  return archive === PIPE ? 'standard input' : archive;
}

/**
 * Returns the kind of archive that a path names: `tar`, or `gzip` for a compressed one; `undefined`
 * for a folder.
 */
export function archiveKind(path: string): 'tar' | 'gzip' | undefined {
  if (path.endsWith('.tar')) return 'tar';
  return path.endsWith('.tar.gz') || path.endsWith('.tgz') ? 'gzip' : undefined;
}

/**
 * Fills a temporary folder, packs it, and renames the archive when it is complete. A failure leaves
 * nothing behind.
 */
export async function inNewArchive<T>(
  archive: string,
  fill: (folder: string) => Promise<T>,
): Promise<T> {
  if (existsSync(archive)) throw new CommandFailure(`${archive} exists already; name a new file.`);
  const purpose = `${archive}.packing-`;
  await removeLeftBehind(dirname(archive), basename(purpose));
  const folder = `${ownPrefix(purpose)}folder`;
  const partial = `${ownPrefix(purpose)}archive`;
  try {
    const filled = await inNewFolder(folder, fill);
    await pack(folder, partial, archiveKind(archive) === 'gzip');
    assertStillNew(archive);
    await rename(partial, archive);
    await sync(dirname(archive));
    return filled;
  } finally {
    await rm(folder, { recursive: true, force: true });
    await rm(partial, { force: true });
  }
}

/** @throws {CommandFailure} where another program, or this one a second time, has made it since. */
function assertStillNew(archive: string): void {
  if (existsSync(archive))
    throw new CommandFailure(
      `${archive} has been created by another program meanwhile; name a new one.`,
    );
}

/** What the folder of an export to standard output begins with, in the folder of the data. */
const EXPORT = 'export.partial-';

/**
 * Fills a temporary folder and writes it to standard output as a tar archive. The folder is private
 * and deleted afterwards. So is a folder that a killed run left.
 * @param dataDir where the folder is made.
 */
export async function toStandardOutput<T>(
  dataDir: string,
  fill: (folder: string) => Promise<T>,
): Promise<T> {
  await removeLeftBehind(dataDir, EXPORT);
  const folder = join(dataDir, `${ownPrefix(EXPORT)}packing`);
  try {
    const filled = await inNewFolder(folder, fill);
    await packInto(folder, process.stdout);
    return filled;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
