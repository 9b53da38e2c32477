import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createDeflate, deflateSync } from 'node:zlib';
import type { SourceImage } from './jobs.ts';
import { PNG_SIGNATURE, pngChunk } from './png-chunk.ts';

/** What is used of libheif-js. */
interface Library {
  readonly HeifDecoder: new () => { decode(file: Buffer): HeifImage[] };
  readonly heif_colorspace: { readonly heif_colorspace_RGB: unknown };
  readonly heif_chroma: { readonly heif_chroma_interleaved_RGB: unknown };
  /** @returns the planes, here one; or an error with a message. */
  heif_js_decode_image2(handle: unknown, colorspace: unknown, chroma: unknown): Decoded;
}

interface HeifImage {
  readonly handle: unknown;
  get_width(): number;
  get_height(): number;
}

interface Decoded {
  readonly channels?: readonly {
    readonly width: number;
    readonly height: number;
    /** Of a row; bytes. */
    readonly stride: number;
    readonly data: Uint8Array;
  }[];
  readonly message?: string;
}

/** About what is written at once; bytes. */
const PIECE_BYTES = 256 * 1024;

/**
 * Returns the size of a HEIC as it is shown; pixels. Its pixels are not decoded.
 * @throws {Error} where it is none.
 */
export async function sizeOfHeic(path: string): Promise<{ width: number; height: number }> {
  const { image } = await open(path);
  return { width: image.get_width(), height: image.get_height() };
}

/**
 * Writes the picture of a HEIC as a PNG, not compressed, upright, with its profile of colours;
 * transparency is left out. The decoder of all other formats has no HEVC (its libvips comes
 * without), so that this one is libheif as WebAssembly.
 * @throws {Error} where it cannot be decoded, or the PNG not written.
 */
export async function writeHeicAsPng(job: SourceImage, target: string): Promise<void> {
  const { library, image } = await open(job.source);
  const { heif_colorspace: spaces, heif_chroma: chromas } = library;
  const decoded = library.heif_js_decode_image2(
    image.handle,
    spaces.heif_colorspace_RGB,
    chromas.heif_chroma_interleaved_RGB,
  );
  const [plane] = decoded.channels ?? [];
  if (plane === undefined) throw new Error(`libheif: ${decoded.message ?? 'no pixels'}`);
  const { width, height, stride, data } = plane;
  const rows = function* () {
    const filter = Buffer.from([0]);
    for (let row = 0; row < height; row++) {
      yield filter;
      yield data.subarray(row * stride, row * stride + 3 * width);
    }
  };
  const pixels = Readable.from(rows(), { objectMode: false, highWaterMark: PIECE_BYTES });
  const parts = async function* () {
    yield PNG_SIGNATURE;
    yield pngChunk('IHDR', header(width, height));
    if (job.profile !== undefined) yield pngChunk('iCCP', profileChunk(job.profile));
    for await (const piece of pixels.pipe(createDeflate({ level: 0, chunkSize: PIECE_BYTES })))
      yield pngChunk('IDAT', piece);
    yield pngChunk('IEND', Buffer.alloc(0));
  };
  await pipeline(parts(), createWriteStream(target));
}

async function open(path: string): Promise<{ library: Library; image: HeifImage }> {
  // @ts-expect-error: it has no types.
  const library: Library = (await import('libheif-js/wasm-bundle.js')).default;
  const [image] = new library.HeifDecoder().decode(await readFile(path));
  if (image === undefined) throw new Error('libheif: no picture');
  return { library, image };
}

/** Eight bits for each of three colours (PNG specification, 11.2.1). */
function header(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.writeUInt32BE(width, 0);
  bytes.writeUInt32BE(height, 4);
  bytes.set([8, 2], 8);
  return bytes;
}

/** @param profile an ICC profile, as Latin-1. */
function profileChunk(profile: string): Buffer {
  const name = Buffer.from('profile\0\0', 'latin1');
  return Buffer.concat([name, deflateSync(Buffer.from(profile, 'latin1'))]);
}
