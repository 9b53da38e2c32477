import { createWriteStream } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, crc32, createDeflate, createInflateRaw } from 'node:zlib';
import { PNG_SIGNATURE, pngChunk } from './png-chunk.ts';

/** What says how the pixels are shown (PNG specification, 11.2 and 11.3). */
const KEPT = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'eXIf']);

const READ_BYTES = 64 * 1024;

/** The head of zlib before its compressed data (RFC 1950). */
const ZLIB_HEAD_BYTES = 2;

/** How much more than its pixels an image may hold; bytes. */
const MOST_EXTRA_BYTES = 1024 * 1024;

/** Samples a pixel by colour type (11.2.1). */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/** The passes of an interlaced image: its first pixel, and the steps to the next ones (8.2). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** A chunk of a PNG, by where its content is; bytes. */
interface Chunk {
  readonly type: string;
  readonly at: number;
  readonly length: number;
}

/**
 * Does a work with a PNG. If that fails, and all pixels are there, does it once more with the PNG
 * written again.
 * @param again the path of that one for the time of the work.
 * @throws what the work does.
 */
export async function orWithWholePng<T>(
  path: string,
  again: string,
  work: (path: string) => Promise<T>,
): Promise<T> {
  try {
    return await work(path);
  } catch (error) {
    try {
      if (!(await writeWholePng(path, again).catch(() => false))) throw error;
      return await work(again);
    } finally {
      await rm(again, { force: true });
    }
  }
}

/**
 * Writes a PNG again that has all its pixels, but whose compressed data have a wrong checksum, a
 * window that is too small, or something behind them. Browsers show such an image; the decoder does
 * not.
 * @returns whether all pixels are there.
 * @throws when its compressed data cannot be read.
 */
async function writeWholePng(source: string, target: string): Promise<boolean> {
  const file = await open(source);
  try {
    const chunks = await chunksOf(file);
    const heads = chunks.filter(({ type }) => KEPT.has(type));
    const header = heads.find(({ type }) => type === 'IHDR');
    if (header === undefined) return false;
    const wanted = pixelBytes(await read(file, header.at, header.length));
    let left = wanted;
    await pipeline(
      compressedPixels(file, chunks),
      createInflateRaw({ finishFlush: constants.Z_SYNC_FLUSH }),
      // No generator: at the end of the pixels it would close what still reads the bytes behind
      // them.
      new Transform({
        transform(piece: Buffer, _encoding, done) {
          const pixels = left > 0 ? piece.subarray(0, left) : undefined;
          left -= piece.length;
          const isMore = left < -MOST_EXTRA_BYTES;
          done(isMore ? new Error('The PNG holds more than its pixels.') : null, pixels);
        },
      }),
      createDeflate({ level: 1 }),
      async function* (pieces: AsyncIterable<Buffer>) {
        yield PNG_SIGNATURE;
        for (const { type, at, length } of heads)
          yield pngChunk(type, await read(file, at, length));
        for await (const piece of pieces) yield pngChunk('IDAT', piece);
        yield pngChunk('IEND', Buffer.alloc(0));
      },
      createWriteStream(target),
    );
    return left <= 0;
  } finally {
    await file.close();
  }
}

async function chunksOf(file: FileHandle): Promise<readonly Chunk[]> {
  const { size } = await file.stat();
  const chunks: Chunk[] = [];
  for (let at = PNG_SIGNATURE.length; at + 8 <= size; ) {
    const head = await read(file, at, 8);
    const type = head.toString('latin1', 4);
    // The last chunk may be cut off behind the pixels.
    const length = Math.min(head.readUInt32BE(0), size - at - 8);
    chunks.push({ type, at: at + 8, length });
    if (type === 'IEND') break;
    at += 8 + length + 4;
  }
  return chunks;
}

async function read(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

async function* compressedPixels(file: FileHandle, chunks: readonly Chunk[]) {
  let head = ZLIB_HEAD_BYTES;
  for (const { type, at, length } of chunks) {
    if (type !== 'IDAT') continue;
    let checksum = crc32('IDAT');
    for (let from = 0; from < length; from += READ_BYTES) {
      const piece = await read(file, at + from, Math.min(READ_BYTES, length - from));
      checksum = crc32(piece, checksum);
      const skipped = Math.min(head, piece.length);
      head -= skipped;
      yield piece.subarray(skipped);
    }
    // Where both checksums are wrong, so are the pixels.
    if ((await read(file, at + length, 4)).readUInt32BE(0) !== checksum)
      throw new Error('The pixels of the PNG have another checksum.');
  }
}

/** How many bytes the pixels have, uncompressed, each row with its filter. */
function pixelBytes(header: Buffer): number {
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const bits = header[8]! * (SAMPLES[header[9]!] ?? 4);
  const rows = (across: number, down: number) =>
    across === 0 ? 0 : down * (1 + Math.ceil((across * bits) / 8));
  if (header[12] === 0) return rows(width, height);
  return PASSES.reduce(
    (sum, [x, y, dx, dy]) =>
      sum +
      rows(Math.max(0, Math.ceil((width - x) / dx)), Math.max(0, Math.ceil((height - y) / dy))),
    0,
  );
}
