import { Readable } from 'node:stream';
import { time } from '@ws01/asmx/time';
import { recentlyUsed, SingleFlight } from '../../turns/memory.ts';
import { filesUnavailable } from './errors.ts';
import type { ByteRange, FilePieces, FileStore } from './file-store.ts';

/** The part of the memory that one file takes at most; a larger one is read each time. */
export const LARGEST_PART = 1 / 8;

/**
 * The most that {@link HotFiles.piece} returns, and of what {@link HotFiles.pieces} gives. Bytes.
 */
export const PIECE_BYTES = 64 * 1024;

/** What an entry takes besides its content: its name, objects and list nodes. Bytes. */
const ENTRY_BYTES = 512;

/** The part of the memory for files that are being read, or sent though they are no longer kept. */
const LOADING_PART = 1 / 4;

/**
 * A file that comes more slowly is given up: all who ask for it wait for one reading. ms; bytes a
 * ms.
 */
const PATIENCE = { ms: 30_000, rate: 10 } as const;

interface KeptFile {
  readonly content: Buffer;
  /** Those who have a piece of it. */
  readers: number;
  isKept: boolean;
}

/**
 * Keeps the files in memory that were read lately. A name is never used for other bytes, so what is
 * kept is always right; whether anybody may see it is not known here, and must be asked each time.
 */
export class HotFiles {
  readonly #store: Pick<FileStore, 'pieces'>;
  readonly #files: ReturnType<typeof recentlyUsed<KeptFile>> | undefined;
  /** The largest file that is kept; bytes. */
  readonly #largest: number;
  readonly #underWay = new SingleFlight<Buffer>();
  /** Maximum of {@link #loading} and {@link #leaving} together. */
  readonly #loadingLimit: number;
  /** Sizes of files that are being read. */
  #loading = 0;
  /** Sizes of files that are no longer kept, but that somebody still reads a piece of. */
  #leaving = 0;

  /** @param maxBytes memory of all that is kept, being read and being sent; 0: nothing is kept. */
  constructor(store: Pick<FileStore, 'pieces'>, maxBytes: number) {
    this.#store = store;
    this.#largest = Math.floor(maxBytes * LARGEST_PART);
    this.#loadingLimit = Math.floor(maxBytes * LOADING_PART);
    const maxSize = maxBytes - this.#loadingLimit;
    if (maxSize === 0) return;
    this.#files = recentlyUsed<KeptFile>(
      maxSize,
      ({ content }) => ENTRY_BYTES + content.length,
      (file) => {
        file.isKept = false;
        if (file.readers > 0) this.#leaving += file.content.length;
      },
    );
  }

  /** Memory of all that is kept, and of what is no longer kept but being sent; bytes. */
  get heldBytes(): number {
    return (this.#files?.calculatedSize ?? 0) + this.#leaving;
  }

  /** Returns the size of a file that is kept; any other may be gone from the disk. */
  knownBytes(name: string): number | undefined {
    return this.#files?.get(name)?.content.length;
  }

  /**
   * Returns the bytes of a file, or of a part, in one piece, to be sent at once; `undefined` if
   * they are more than {@link PIECE_BYTES}, or not kept: then ask for its {@link pieces}.
   * @param bytes the size of the file.
   * @throws {DependencyError} of the files, also if the file has another size by now.
   */
  piece(name: string, bytes: number, range?: ByteRange): Buffer | Promise<Buffer> | undefined {
    if ((range === undefined ? bytes : range.end - range.start + 1) > PIECE_BYTES) return undefined;
    const content = this.#files?.get(name)?.content ?? this.#load(name, bytes);
    if (content instanceof Promise) return content.then((loaded) => partOf(loaded, range));
    return content === undefined ? undefined : partOf(content, range);
  }

  /**
   * Returns the bytes of a file, or of a part, in pieces.
   * @param bytes the size of the file.
   * @param signal ends the wait for a busy disk.
   * @throws {DependencyError} of the files; also each piece.
   */
  async pieces(
    name: string,
    bytes: number,
    range?: ByteRange,
    signal?: AbortSignal,
  ): Promise<FilePieces> {
    if (this.#files?.get(name) === undefined) {
      const loading = this.#load(name, bytes);
      if (loading === undefined) return this.#store.pieces(name, range, signal);
      await loading;
    }
    const { start, end } = range ?? { start: 0, end: bytes - 1 };
    return this.#pieces(name, start, end);
  }

  async *#pieces(name: string, start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at <= end; at += PIECE_BYTES) {
      const file = this.#files?.get(name);
      if (file === undefined) {
        // No longer kept.
        yield* await this.#store.pieces(name, { start: at, end });
        return;
      }
      file.readers++;
      try {
        yield file.content.subarray(at, Math.min(at + PIECE_BYTES, end + 1));
      } finally {
        file.readers--;
        if (!file.isKept && file.readers === 0) this.#leaving -= file.content.length;
      }
    }
  }

  /**
   * Reads a file once for all who ask.
   * @returns `undefined` if it is too large, or too much is being read.
   */
  #load(name: string, bytes: number): Promise<Buffer> | undefined {
    const underWay = this.#underWay.get(name);
    if (underWay !== undefined) return underWay;
    if (bytes > this.#largest || this.#loading + this.#leaving + bytes > this.#loadingLimit)
      return undefined;
    this.#loading += bytes;
    return this.#underWay.run(name, () =>
      this.#loadNow(name, bytes).finally(() => {
        this.#loading -= bytes;
      }),
    );
  }

  async #loadNow(name: string, bytes: number): Promise<Buffer> {
    // With memory of its own: a part of a shared block would keep all of the block.
    const content = Buffer.allocUnsafeSlow(bytes);
    let at = 0;
    const pieces = await this.#store.pieces(name);
    const patience = time.limit(PATIENCE.ms + bytes / PATIENCE.rate, () => pieces.destroy?.());
    try {
      for await (const chunk of pieces) {
        if (at + chunk.length > bytes) throw changed(name);
        at += chunk.copy(content, at);
      }
    } finally {
      patience.end();
    }
    if (at < bytes) throw changed(name);
    this.#files?.set(name, { content, readers: 0, isKept: true });
    return content;
  }
}

/** A part of a small file is not worth a copy; one of a large file must not keep all of it. */
function partOf(content: Buffer, range: ByteRange | undefined): Buffer {
  if (range === undefined) return content;
  const part = content.subarray(range.start, range.end + 1);
  return content.length > PIECE_BYTES ? copyOf(part) : part;
}

/**
 * Makes a stream of {@link HotFiles.pieces}: of copies, since a stream asks for the next one before
 * it is read.
 */
export function streamOf(pieces: FilePieces): Readable {
  if (pieces instanceof Readable) return pieces;
  const stream = Readable.from(copies(pieces), { objectMode: false, highWaterMark: PIECE_BYTES });
  return stream.once('close', () => pieces.destroy?.());
}

async function* copies(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield copyOf(piece);
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

function changed(name: string): Error {
  return filesUnavailable(new Error(`${name} is not what it was`));
}
