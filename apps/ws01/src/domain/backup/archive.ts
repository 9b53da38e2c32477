import type { Readable } from 'node:stream';
import { Header, Pax } from 'tar';
import { placeIn } from '../../adapters/files/names.ts';
import { DamagedCopy } from '../../store/snapshot.ts';
import type { Source } from './location.ts';
import { type BackupManifest, MANIFEST_FILE } from './manifest.ts';

/** Length of the blocks of an archive; bytes. */
const BLOCK = 512;

/**
 * Returns a backup as a tar archive, piece by piece: a folder with the name of the backup that is
 * as one on disk. The manifest comes first. What lies in S3 is read as it is sent.
 * @throws {DamagedCopy} when a file is shorter or longer than it says; the archive then lacks its
 *   end.
 */
export async function* archiveOf(
  name: string,
  { database, files, imageNames, readDatabase }: Source,
  manifest: BackupManifest,
): AsyncGenerator<Uint8Array> {
  const entry = (path: string, bytes: number, content: AsyncIterable<Uint8Array>) =>
    entryOf({ path: `${name}/${path}`, bytes, madeAt: manifest.madeAt }, content);
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  yield* entry(MANIFEST_FILE, text.length, piecesOf(text));
  yield* entry(database, manifest.database.bytes, await readDatabase());
  for await (const image of imageNames()) {
    const found = await files.find(image);
    // A restore says that it lacks the file.
    if (found === undefined) continue;
    yield* entry(placeIn('files/kept', image), found.bytes, await files.read(image));
  }
  yield Buffer.alloc(2 * BLOCK);
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

interface Entry {
  readonly path: string;
  readonly bytes: number;
  readonly madeAt: number;
}

async function* entryOf(
  { path, bytes, madeAt }: Entry,
  content: AsyncIterable<Uint8Array> | Readable,
): AsyncGenerator<Uint8Array> {
  const mtime = new Date(madeAt);
  const facts = { path, size: bytes, mode: 0o600, mtime };
  const header = new Header({ ...facts, type: 'File' });
  // Long names, and files of 8 GiB and more, have a header of their own before.
  if (header.encode()) yield new Pax(facts).encode();
  yield header.block!;
  let sent = 0;
  for await (const piece of content) {
    sent += piece.length;
    if (sent > bytes) break;
    yield piece;
  }
  if (sent !== bytes) throw new DamagedCopy(`${path} has another length than the backup says.`);
  const rest = (BLOCK - (bytes % BLOCK)) % BLOCK;
  if (rest > 0) yield Buffer.alloc(rest);
}
