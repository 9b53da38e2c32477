import { join } from 'node:path';
import { DiskFileStore } from './disk.ts';
import { DEFAULT_POOL_THREADS, DiskTurns } from './disk-turns.ts';
import type { FileStore } from './file-store.ts';
import type { S3Location } from './s3.ts';
import { Spool } from './spool.ts';

/** Where files are to be kept. */
type FilesPlace = { readonly kind: 'disk'; readonly folder: string } | ({ readonly kind: 's3' } & S3Location);

/** A file store with the folder through which files come into it. */
export interface Files {
  readonly store: FileStore;
  readonly spool: Spool;
  /** For whatever else is done with these files on this machine. */
  readonly turns: DiskTurns;
}

/**
 * Opens the file store; nothing is made or asked until it is used.
 * @param dataDir where files wait that are on their way to S3.
 * @param poolThreads Node's threads, half of which files may have.
 */
export async function openFiles(
  place: FilesPlace,
  dataDir: string,
  poolThreads: number = DEFAULT_POOL_THREADS,
): Promise<Files> {
  const turns = DiskTurns.ofPool(poolThreads);
  if (place.kind === 'disk') {
    const spool = new Spool(join(place.folder, 'incoming'), turns);
    return { store: new DiskFileStore(join(place.folder, 'kept'), spool, turns), spool, turns };
  }
  const spool = new Spool(join(dataDir, 'incoming'), turns);
  // Loaded only where it is used: the client takes a tenth of a second and 20 MB.
  const { S3FileStore } = await import('./s3.ts');
  return { store: new S3FileStore(place, spool, turns), spool, turns };
}
