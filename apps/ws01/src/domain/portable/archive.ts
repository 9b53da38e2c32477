import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addAbortSignal, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { create, Parser, type ReadEntry } from 'tar';
import { KINDS } from './kinds.ts';
import { FolderError, MANIFEST } from './manifest.ts';

/** The limits of an archive. */
export interface ArchiveLimits {
  /** Total size of all files. */
  readonly bytes: number;
  /** Files and folders. */
  readonly entries: number;
}

/**
 * Twenty times the images of a large site; a small archive that claims more is an attack or a
 * mistake.
 */
export const ARCHIVE_LIMITS: ArchiveLimits = { bytes: 512 * 1024 ** 3, entries: 5_000_000 };

/** Bytes per read. */
const CHUNK = 64 * 1024;

/** How archives are compressed, by their first bytes. */
const PACKED = [
  { mark: Buffer.from([0x1f, 0x8b]), open: createGunzip },
  { mark: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), open: createZstdDecompress },
];
const LONGEST_MARK = Math.max(...PACKED.map(({ mark }) => mark.length));

/** A tar archive that is read once. */
export interface ArchiveSource {
  /** Its name for people. */
  readonly name: string;
  readonly stream: Readable;
  /** Its size, if known; bytes. */
  readonly bytes: number | undefined;
}

/** Opens a local archive. */
export async function openArchive(path: string): Promise<ArchiveSource> {
  const { size } = await stat(path);
  return { name: path, stream: createReadStream(path, { highWaterMark: CHUNK }), bytes: size };
}

/**
 * Unpacks a tar archive, plain or compressed with gzip or zstd, into an empty folder: only files
 * and folders within it, readable by their owner alone.
 * @param onProgress called with the number of bytes read.
 * @throws {FolderError} for an archive that is damaged, leads out of the folder, contains other
 *   entries than files and folders or one of them twice, or exceeds `limits` or the disk. The
 *   caller deletes what was unpacked.
 */
export async function unpack(
  { name, stream }: ArchiveSource,
  folder: string,
  limits: ArchiveLimits,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (done: number) => void },
): Promise<void> {
  addAbortSignal(signal, stream);
  const unpacking = new Unpacking(name, folder, limits);
  try {
    await unpacking.run(await decompressed(counted(stream, onProgress)));
  } catch (error) {
    signal.throwIfAborted();
    throw asFolderError(name, error as NodeJS.ErrnoException);
  } finally {
    stream.destroy();
  }
}

async function* counted(
  stream: Readable,
  onProgress: (done: number) => void,
): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    read += piece.length;
    onProgress(read);
    yield piece;
  }
}

/** Detects the compression by the first bytes. */
async function decompressed(pieces: AsyncGenerator<Buffer>): Promise<Readable> {
  let start: Buffer = Buffer.alloc(0);
  while (start.length < LONGEST_MARK) {
    const { value, done } = await pieces.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  const all = async function* () {
    yield start;
    yield* pieces;
  };
  const source = Readable.from(all(), { objectMode: false });
  const packed = PACKED.find(({ mark }) => start.subarray(0, mark.length).equals(mark));
  if (packed === undefined) return source;
  const coder = packed.open();
  source.on('error', (error) => coder.destroy(error));
  return source.pipe(coder);
}

/** An archive that is being unpacked. */
class Unpacking {
  readonly #archive: string;
  readonly #folder: string;
  readonly #limits: ArchiveLimits;
  #bytes = 0;
  #entries = 0;
  #ended = false;
  #failure: Error | undefined;
  readonly #stop = new AbortController();
  /** The write in progress. */
  #writing: Promise<void> = Promise.resolve();

  constructor(archive: string, folder: string, limits: ArchiveLimits) {
    this.#archive = archive;
    this.#folder = folder;
    this.#limits = limits;
  }

  async run(bytes: Readable): Promise<void> {
    const parser = new Parser({ strict: true });
    let wake = () => {};
    const woken = () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      });
    const fail = (error: Error) => {
      this.#failure ??= error;
      this.#stop.abort();
      wake();
    };
    let finished = false;
    parser.on('drain', () => wake());
    parser.on('end', () => {
      finished = true;
      wake();
    });
    parser.on('error', fail);
    parser.on('eof', () => {
      this.#ended = true;
    });
    parser.on('meta', (text: string) => {
      if (text.includes('GNU.sparse.'))
        fail(this.#refusal('a sparse file; make it without --sparse'));
    });
    parser.on('ignoredEntry', (entry: ReadEntry) => fail(this.#refusalOf(entry)));
    parser.on('entry', (entry: ReadEntry) => {
      this.#writing = this.#writing.then(() => this.#take(entry)).catch(fail);
    });
    try {
      for await (const chunk of bytes) {
        const woke = woken();
        if (!parser.write(chunk) && this.#failure === undefined) await woke;
        if (this.#failure !== undefined) throw this.#failure;
      }
      parser.end();
      while (!finished && this.#failure === undefined) await woken();
      await this.#writing;
      if (this.#failure !== undefined) throw this.#failure;
      if (!this.#ended)
        throw new FolderError(`${this.#archive} was cut off: its end is missing. Copy it again.`);
    } finally {
      bytes.destroy();
      this.#stop.abort();
      await this.#writing;
    }
  }

  async #take(entry: ReadEntry): Promise<void> {
    if (this.#failure !== undefined) {
      entry.resume();
      return;
    }
    const segments = this.#segmentsOf(entry);
    const isFolder = entry.type === 'Directory';
    if (!isFolder && !['File', 'OldFile', 'ContiguousFile'].includes(entry.type))
      throw this.#refusalOf(entry);
    await this.#count(entry);
    if (isFolder) {
      await mkdir(join(this.#folder, ...segments), { recursive: true, mode: 0o700 });
      entry.resume();
      return;
    }
    if (segments.length === 0) throw this.#refusal(`a file without a name`);
    const path = join(this.#folder, ...segments);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    await pipeline(entry as unknown as AsyncIterable<Buffer>, file, { signal: this.#stop.signal });
  }

  /** Returns the segments of an entry's path within the folder. */
  #segmentsOf({ path }: ReadEntry): string[] {
    const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
    const leaves = path.startsWith('/') || segments.includes('..') || /^[A-Za-z]:/.test(path);
    if (leaves) throw this.#refusal(`${JSON.stringify(path)}, which leads out of its folder`);
    if (path.includes('\0')) throw this.#refusal('a name with a NUL');
    return segments;
  }

  async #count({ size }: ReadEntry): Promise<void> {
    this.#entries++;
    this.#bytes += size;
    const { bytes, entries } = this.#limits;
    if (this.#entries > entries)
      throw this.#refusal(`more than ${entries} files and folders (--unpack-entries)`);
    if (this.#bytes > bytes) throw this.#refusal(`more than ${bytes} bytes (--unpack-bytes)`);
    if (size < CHUNK) return;
    const { bavail, bsize } = await statfs(this.#folder);
    if (size > bavail * bsize)
      throw this.#refusal('more than there is room for on the disk; name another with --unpack');
  }

  #refusalOf({ path, type, meta }: ReadEntry): FolderError {
    const what =
      meta === true
        ? 'a header longer than a name may be'
        : `${JSON.stringify(path)}, which is ${kindOf(type)}`;
    return this.#refusal(what);
  }

  #refusal(what: string): FolderError {
    return new FolderError(`${this.#archive} holds ${what}; nothing of it was taken.`);
  }
}

function kindOf(type: string): string {
  if (type === 'SymbolicLink' || type === 'Link')
    return 'a link: pack the file that it leads to (tar --dereference)';
  return `neither a file nor a folder (${type})`;
}

/** Converts an error of the reader or the disk to a `FolderError`. */
function asFolderError(archive: string, error: NodeJS.ErrnoException): Error {
  if (error instanceof FolderError) return error;
  const { code, message } = error;
  if (code === 'EEXIST' || code === 'EISDIR' || code === 'ENOTDIR') {
    return new FolderError(`${archive} holds a name twice; nothing of it was taken.`);
  }
  if (code === 'ENAMETOOLONG')
    return new FolderError(`${archive} holds a name that is too long; nothing of it was taken.`);
  if (
    code?.startsWith('TAR_') ||
    code?.startsWith('Z_') ||
    code?.startsWith('ZSTD_') ||
    code?.startsWith('ERR_')
  ) {
    return new FolderError(
      `${archive} is not a whole tar archive, plain or compressed with gzip or zstd: ${message}. Copy it again.`,
    );
  }
  return error;
}

/**
 * Returns the folder with the records of an unpacked archive: the folder itself, or its only
 * subfolder.
 */
export async function rootOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = new Set([
    MANIFEST,
    ...KINDS.flatMap(({ name }) => [`${name}.jsonl`, `${name}.csv`]),
  ]);
  const [only] = entries;
  const wrapped = entries.length === 1 && only!.isDirectory() && !names.has(only!.name);
  return wrapped ? join(folder, only!.name) : folder;
}

/** How archives are packed: without user names, and no file is skipped silently. */
const PACKING = { portable: true, strict: true } as const;

/** Packs a folder into a stream. */
export async function packInto(folder: string, to: Writable): Promise<void> {
  const names = (await readdir(folder)).toSorted();
  await pipeline(
    create({ ...PACKING, cwd: folder }, names) as unknown as AsyncIterable<Buffer>,
    to,
    { end: false },
  );
}

/** Packs a folder into a new archive that only its owner can read; durable when it resolves. */
export async function pack(folder: string, archive: string, gzip: boolean): Promise<void> {
  const names = (await readdir(folder)).toSorted();
  await create({ ...PACKING, file: archive, cwd: folder, gzip, mode: 0o600 }, names);
  const handle = await open(archive, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
