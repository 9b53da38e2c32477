import { join } from 'node:path';
import { DiskFileStore } from './disk.ts';
import { DEFAULT_POOL_THREADS, DiskTurns } from './disk-turns.ts';
import type { FileStore } from './file-store.ts';
import type { S3Location } from './s3.ts';
import { Spool } from './spool.ts';

/** Where files are stored. */
type FilesPlace =
  | { readonly kind: 'disk'; readonly folder: string }
  | ({ readonly kind: 's3' } & S3Location);

/** A file store, and its spool, which every file passes through. */
export interface Files {
  readonly store: FileStore;
  readonly spool: Spool;
  /** For other work with these files on this machine. */
  readonly turns: DiskTurns;
}

/**
 * Opens the file store. Opening writes nothing and sends nothing.
 * @param dataDir the folder of the spool when files are in S3.
 * @param poolThreads Node's pool threads; files may use half of them.
 */
export async function openFiles(
  place: FilesPlace,
  dataDir: string,
  poolThreads: number = DEFAULT_POOL_THREADS,
): Promise<Files> {
  const turns = DiskTurns.ofPool(poolThreads);
  if (place.kind === 'disk') {
    const spool = new Spool(join(place.folder, 'incoming'), turns);
    return { store: new DiskFileStore(place.folder, spool, turns), spool, turns };
  }
  const spool = new Spool(join(dataDir, 'incoming'), turns);
  // Loaded on demand: the client takes 0.1 s and 20 MB.
  const { S3FileStore } = await import('./s3.ts');
  return { store: new S3FileStore(place, spool, turns), spool, turns };
}
