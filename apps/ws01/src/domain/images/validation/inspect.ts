import { open } from 'node:fs/promises';
import { mebibytes } from '../../../failure/mebibytes.ts';
import type { ImageFormat } from '../../../store/tables/tables.ts';
import { ByteReader } from './byte-reader.ts';
import { inspectGif } from './formats/gif.ts';
import { inspectHeif } from './formats/heif.ts';
import type { Inspection } from './formats/inspection.ts';
import { inspectJpeg } from './formats/jpeg.ts';
import { inspectPng } from './formats/png.ts';
import { inspectWebp } from './formats/webp.ts';
import { ImageRefusal, tooLarge, unreadable } from './refusal.ts';

/** The bounds on an accepted image. */
export interface ImageBounds {
  /** Width × height × frames. */
  readonly pixels: number;
  readonly frames: number;
  /** Memory for decoding; bytes. */
  readonly decodeBytes: number;
}

/** For images that were accepted under other bounds. */
export const NO_BOUNDS: ImageBounds = {
  pixels: Number.POSITIVE_INFINITY,
  frames: Number.POSITIVE_INFINITY,
  decodeBytes: Number.POSITIVE_INFINITY,
};

type Inspect = (reader: ByteReader, mostFrames: number) => Promise<Inspection>;

const FORMATS: readonly {
  readonly format: ImageFormat;
  readonly matches: (head: Buffer) => boolean;
  readonly inspect: Inspect;
}[] = [
  {
    format: 'jpeg',
    matches: (head) => head.toString('latin1', 0, 3) === '\xff\xd8\xff',
    inspect: inspectJpeg,
  },
  {
    format: 'png',
    matches: (head) => head.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n',
    inspect: inspectPng,
  },
  {
    format: 'gif',
    matches: (head) => /^GIF8[79]a/.test(head.toString('latin1', 0, 6)),
    inspect: inspectGif,
  },
  {
    format: 'webp',
    matches: (head) =>
      head.toString('latin1', 0, 4) === 'RIFF' && head.toString('latin1', 8, 12) === 'WEBP',
    inspect: inspectWebp,
  },
  {
    format: 'avif',
    matches: (head) => head.toString('latin1', 4, 8) === 'ftyp',
    inspect: inspectHeif,
  },
];

/** Enough bytes to recognise every format. */
const HEAD_BYTES = 12;

/**
 * Recognises the format of a file by its content and walks its structure. Truncated files, files
 * that claim to be too large, and polyglots are refused before a decoder reads them. Reads the file
 * once, in constant memory.
 *
 * @throws {ImageRefusal}
 */
export async function inspectImage(
  path: string,
  bounds: ImageBounds,
): Promise<Inspection & { format: ImageFormat }> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const reader = new ByteReader(file, size);
    const head = await reader.peek(Math.min(size, HEAD_BYTES));
    const known = FORMATS.find(({ matches }) => matches(head));
    if (known === undefined) {
      throw new ImageRefusal(
        'ImageTypeRefused',
        'The file is no JPEG, PNG, GIF, WebP, AVIF or HEIC.',
      );
    }
    const inspection = await known.inspect(reader, bounds.frames);
    assertWithin(inspection, bounds);
    assertDecodable(inspection, bounds);
    await reader.skipRest();
    return { format: known.format, ...inspection };
  } finally {
    await file.close();
  }
}

/** @throws {ImageRefusal} */
function assertWithin({ width, height, frames }: Inspection, bounds: ImageBounds): void {
  if (width < 1 || height < 1 || frames < 1) throw unreadable('The image has no pixels.');
  if (width * height * frames > bounds.pixels) {
    throw tooLarge(
      `${width} x ${height} pixels in ${frames} frames`,
      `${bounds.pixels} pixels in all frames together`,
    );
  }
}

/** @throws {ImageRefusal} */
function assertDecodable({ width, height, decodeBytes }: Inspection, bounds: ImageBounds): void {
  if (decodeBytes <= bounds.decodeBytes) return;
  const found = `${width} x ${height} pixels that take about ${mebibytes(decodeBytes)} MiB to decode`;
  throw tooLarge(found, `${mebibytes(bounds.decodeBytes)} MiB of memory`);
}
