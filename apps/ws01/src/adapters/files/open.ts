import { join } from 'node:path';
import { DiskFileStore } from './disk.ts';
import type { FileStore } from './file-store.ts';
import type { S3Location } from './s3.ts';
import { Spool } from './spool.ts';

/** Where files are to be kept. */
type FilesPlace = { readonly kind: 'disk'; readonly folder: string } | ({ readonly kind: 's3' } & S3Location);

/** A file store with the folder through which files come into it. */
export interface Files {
  readonly store: FileStore;
  readonly spool: Spool;
}

/**
 * Opens the file store; nothing is made or asked until it is used.
 * @param dataDir where files wait that are on their way to S3.
 */
export async function openFiles(place: FilesPlace, dataDir: string): Promise<Files> {
  if (place.kind === 'disk') {
    const spool = new Spool(join(place.folder, 'incoming'));
    return { store: new DiskFileStore(join(place.folder, 'kept'), spool), spool };
  }
  const spool = new Spool(join(dataDir, 'incoming'));
  // Loaded only where it is used: the client takes a tenth of a second and 20 MB.
  const { S3FileStore } = await import('./s3.ts');
  return { store: new S3FileStore(place, spool), spool };
}
