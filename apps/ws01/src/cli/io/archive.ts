import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { sync } from '../../adapters/files/durable.ts';
import { type ArchiveLimits, pack, removeLeftovers, rootOf, unpack } from '../../domain/portable/archive.ts';
import { FolderError } from '../../domain/portable/manifest.ts';
import { CommandFailure } from '../failure.ts';
import { inNewFolder } from './new-folder.ts';
import { remark } from './output.ts';
import { createProgress } from './progress.ts';

interface Unpacking {
  /** Where to. */
  readonly folder: string;
  readonly limits: ArchiveLimits;
  /** Whether to go on with what an earlier run unpacked. */
  readonly resume: boolean;
}

/**
 * Works on a tar archive as on the folder that was packed. What it is unpacked to goes away, unless the work is interrupted
 * and may be resumed: then it is needed again.
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
    else remark(`${archive} stays unpacked in ${folder}; continue with --resume.`);
    throw error;
  }
}

async function unpackTo(folder: string, archive: string, limits: ArchiveLimits, signal: AbortSignal): Promise<void> {
  if (existsSync(folder)) {
    const message = `${folder} exists already: continue with --resume, or remove it, or name another with --unpack.`;
    throw new CommandFailure(message, { exitCode: 2 });
  }
  await removeLeftovers(folder);
  const progress = createProgress();
  try {
    await inNewFolder(folder, (partial) =>
      unpack(archive, partial, limits, {
        signal,
        onProgress: (done, all) => progress.tell(done, all, 'bytes unpacked'),
      }),
    );
  } finally {
    progress.end();
  }
}

/** Whether a path names an archive to be made, and whether a compressed one. */
export function archiveKind(path: string): 'tar' | 'gzip' | undefined {
  if (path.endsWith('.tar')) return 'tar';
  return path.endsWith('.tar.gz') || path.endsWith('.tgz') ? 'gzip' : undefined;
}

/** Fills a folder beside a new archive, packs it, and gives the archive its name when it is complete; else removes both. */
export async function inNewArchive<T>(archive: string, fill: (folder: string) => Promise<T>): Promise<T> {
  if (existsSync(archive)) throw new CommandFailure(`${archive} exists already; name a new file.`);
  const folder = `${archive}.packing`;
  await removeLeftovers(folder);
  await rm(folder, { recursive: true, force: true });
  const partial = `${archive}.partial`;
  try {
    const filled = await inNewFolder(folder, fill);
    await rm(partial, { force: true });
    await pack(folder, partial, archiveKind(archive) === 'gzip');
    await rename(partial, archive);
    await sync(dirname(archive));
    return filled;
  } finally {
    await rm(folder, { recursive: true, force: true });
    await rm(partial, { force: true });
  }
}
