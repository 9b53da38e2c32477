import { wideRowBytes } from '../../../../adapters/images/memory.ts';
import type { ByteReader } from '../byte-reader.ts';
import { ImageRefusal, unreadable } from '../refusal.ts';
import type { Inspection } from './inspection.ts';

/** Maximum size of `meta`, which holds the properties and is small in photographs; bytes. */
const MAX_META_BYTES = 64 * 1024;
const MAX_BRANDS_BYTES = 1024;
const BOX_HEAD_BYTES = 8;

/** The brands of the formats that share the container (MIAF, HEIF); the first one found counts. */
const BRANDS: Readonly<Record<string, 'avif' | 'heic'>> = {
  avif: 'avif',
  heic: 'heic',
  heix: 'heic',
  heim: 'heic',
  heis: 'heic',
};

/**
 * Walks the boxes of an AVIF or a HEIC (ISO/IEC 14496-12, 4.2) and reads the sizes in
 * `meta/iprp/ipco/ispe`.
 * @throws {ImageRefusal}
 */
export async function inspectHeif(reader: ByteReader): Promise<Inspection> {
  const format = await readBrands(reader);
  let size: Omit<Inspection, 'frames'> | undefined;
  let pixels = false;
  let isComplete = false;
  while (reader.remaining >= BOX_HEAD_BYTES || !isComplete) {
    const { type, length } = await readBoxHead(reader);
    const isCut = length > reader.remaining;
    // Bytes behind the pixels that are no box are no part of the picture.
    if (isCut && isComplete) break;
    // The decoder tells whether the pixels are there, by where `iloc` says that they are.
    if (isCut && type !== 'mdat') throw unreadable('A box of the HEIF is longer than the file.');
    if (type === 'meta') {
      if (size !== undefined || length > MAX_META_BYTES)
        throw unreadable('The HEIF has more properties than any image.');
      size = propertiesOf(Buffer.from(await reader.take(length)).subarray(4), format);
    } else if (type === 'mdat') {
      pixels = true;
      await reader.skipPixels(Math.min(length, reader.remaining));
    } else await reader.skip(length);
    isComplete = size !== undefined && pixels;
  }
  if (size === undefined || !pixels) throw unreadable('The HEIF has no pixels.');
  return { ...size, format, frames: 1 };
}

/** Other formats share the container: JPEG XL, videos. */
async function readBrands(reader: ByteReader): Promise<'avif' | 'heic'> {
  const { length } = await readBoxHead(reader);
  if (length > MAX_BRANDS_BYTES) throw unreadable('The HEIF has no brands.');
  const brands = (await reader.take(length)).toString('latin1');
  for (let at = 0; at + 4 <= brands.length; at += 4) {
    const format = at === 4 ? undefined : BRANDS[brands.slice(at, at + 4)];
    if (format !== undefined) return format;
  }
  throw new ImageRefusal(
    'ImageTypeRefused',
    'The file is of another kind in the same container as AVIF and HEIC.',
  );
}

/**
 * @returns the type of a box and the length of its content, which may be more than there is; bytes.
 */
async function readBoxHead(reader: ByteReader): Promise<{ type: string; length: number }> {
  const head = await reader.take(BOX_HEAD_BYTES);
  const length = head.readUInt32BE(0);
  const type = head.toString('latin1', 4, 8);
  // A length of 0 means up to the end of the file.
  if (length === 0) return { type, length: reader.remaining };
  const content =
    length === 1 ? Number((await reader.take(8)).readBigUInt64BE(0)) - 16 : length - 8;
  return { type, length: content < 0 ? Number.POSITIVE_INFINITY : content };
}

/** Kinds of ICC profiles in a box `colr`; others are codes of known spaces. */
const PROFILE = /^(?:prof|rICC)$/;

/** Memory of libheif as WebAssembly, and per pixel while it decodes; bytes. */
const HEIC_LIBRARY_BYTES = 32 * 1024 ** 2;
const HEIC_PIXEL_BYTES = 10;

/** Memory of decoder and converter per pixel, by chroma subsampling; bytes. */
const PIXEL_BYTES = { grey: 14, quarter: 16.4, half: 18, whole: 19.5 };
const ALPHA_BYTES = 2;

/** The factor for 10 or 12 bits per channel. */
const DEEP = 1.5;

/** Returns what the properties in `iprp/ipco` say about the image. */
function propertiesOf(
  meta: Buffer,
  format: 'avif' | 'heic',
): Omit<Inspection, 'frames'> | undefined {
  const properties = boxesIn(meta, 'iprp').flatMap((content) => boxesIn(content, 'ipco'));
  const size = largestSize(properties);
  if (size === undefined) return undefined;
  const inAll = (type: string) => properties.flatMap((container) => boxesIn(container, type));
  if (format === 'heic') {
    const profile = inAll('colr').find((colours) => PROFILE.test(colours.toString('latin1', 0, 4)));
    const decodeBytes = size.width * size.height * HEIC_PIXEL_BYTES + HEIC_LIBRARY_BYTES;
    return { ...size, decodeBytes, ...(profile && { profile: profile.toString('latin1', 4) }) };
  }
  const coded = inAll('av1C').map(pixelBytesOf);
  const colours = coded.length === 0 ? PIXEL_BYTES.whole : Math.max(...coded);
  // Transparency is an image of its own.
  const alpha = inAll('auxC').length > 0 ? ALPHA_BYTES : 0;
  return {
    ...size,
    decodeBytes: size.width * size.height * (colours + alpha) + wideRowBytes(size),
  };
}

/**
 * Returns the bytes per pixel by the codec configuration (AV1 Codec ISO Media File Format Binding,
 * 2.3.3).
 */
function pixelBytesOf(configuration: Buffer): number {
  const flags = configuration[2] ?? 0;
  const isDeep = (flags & 0x40) !== 0;
  const bytes = PIXEL_BYTES[samplingOf(flags)];
  return isDeep ? DEEP * bytes : bytes;
}

/** How often the colours of pixels are stored, in the flags of `av1C`. */
function samplingOf(flags: number): keyof typeof PIXEL_BYTES {
  if ((flags & 0x10) !== 0) return 'grey';
  if ((flags & 0x08) === 0) return 'whole';
  return (flags & 0x04) === 0 ? 'half' : 'quarter';
}

/** Returns the largest size, which is the image's; tiles and thumbnails are smaller. */
function largestSize(properties: readonly Buffer[]): { width: number; height: number } | undefined {
  const sizes = properties
    .flatMap((container) => boxesIn(container, 'ispe'))
    .filter((box) => box.length >= 12)
    .map((box) => ({ width: box.readUInt32BE(4), height: box.readUInt32BE(8) }));
  return sizes.sort((one, other) => other.width * other.height - one.width * one.height)[0];
}

/** Returns the contents of the boxes of a type directly within a box. */
function boxesIn(content: Buffer, type: string): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at + 8 <= content.length; ) {
    const length = content.readUInt32BE(at);
    if (length < 8 || at + length > content.length)
      throw unreadable('The properties of the HEIF are cut off.');
    if (content.toString('latin1', at + 4, at + 8) === type)
      found.push(content.subarray(at + 8, at + length));
    at += length;
  }
  return found;
}
