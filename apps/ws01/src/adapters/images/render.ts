import { appendFile, copyFile, rm, stat, truncate } from 'node:fs/promises';
import type sharp from 'sharp';
import type { PngOptions, Sharp, SharpOptions } from 'sharp';
import { sizeOfHeic, writeHeicAsPng } from './heic.ts';
import type {
  AcceptedPicture,
  AcceptJob,
  JobFailure,
  PictureFormat,
  PictureOrder,
  ResizeJob,
  SourceImage,
} from './jobs.ts';
import { pixelWorkBytes, wideRowBytes } from './memory.ts';
import { pngLike } from './png-options.ts';
import { servedFormat } from './served-format.ts';
import { orWithWholePng } from './whole-png.ts';

type Decoder = typeof sharp;

/** A failed job and its reason. */
export class JobError extends Error {
  readonly failure: JobFailure;

  constructor(failure: JobFailure, reason: string, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.name = 'JobError';
    this.failure = failure;
  }
}

/**
 * Loads the native library. Only the decoders of the accepted formats are enabled, caching is off,
 * and each image uses one thread.
 * @throws {JobError} `broken`
 */
export async function loadDecoder(): Promise<Decoder> {
  const { default: decoder } = await import('sharp').catch((cause: unknown) => {
    throw new JobError('broken', 'The library that decodes images cannot be loaded.', cause);
  });
  decoder.concurrency(1);
  decoder.cache(false);
  decoder.block({ operation: ['VipsForeignLoad'] });
  decoder.unblock({
    operation: [
      'VipsForeignLoadJpegFile',
      'VipsForeignLoadPngFile',
      'VipsForeignLoadNsgifFile',
      'VipsForeignLoadWebpFile',
      'VipsForeignLoadHeifFile',
    ],
  });
  return decoder;
}

/** The decoder's names of the formats. */
const DECODER_FORMATS: Readonly<Record<string, PictureFormat>> = {
  jpeg: 'jpeg',
  png: 'png',
  gif: 'gif',
  webp: 'webp',
  heif: 'avif',
};

/**
 * Checks an image and writes its renditions. The header as the decoder reads it must agree with our
 * parser's findings, and all pixels must be readable, which writing the full rendition shows. The
 * icon is made from the full rendition, so that the source is decoded once.
 *
 * @param memory bound of the process; bytes.
 * @throws {JobError}; the decoder's errors.
 */
export function accept(decoder: Decoder, job: AcceptJob, memory: number): Promise<AcceptedPicture> {
  return withDecodable(job, (decodable) => render(decoder, job, decodable, memory));
}

/** A file that the decoder can read. */
interface Decodable {
  readonly path: string;
  readonly format: PictureFormat;
  readonly failOn: SharpOptions['failOn'];
}

async function render(
  decoder: Decoder,
  job: AcceptJob,
  { path, format, failOn }: Decodable,
  memory: number,
): Promise<AcceptedPicture> {
  const readable = { ...job, source: path, format };
  const { isPalette, ...header } = await readHeader(decoder, readable, memory);
  const { width, height, frames } = header;
  const pixels = width * height * frames;
  const served = job.full.format ?? (job.format === 'heic' ? 'jpeg' : header.served);
  const { size: bytes } = await stat(job.source);
  const png = pngLike({ isPalette, pixels, bytes }, pixelWorkBytes(memory) - job.decodeBytes);
  const writeFrom = (from: string) => {
    const source = openSource(decoder, from, {
      limitInputPixels: job.pixels,
      animated: frames > 1,
      failOn,
    });
    return write(source, { target: job.full.target, format: served }, frames > 1, png);
  };
  await (format === 'png'
    ? orWithWholePng(path, `${job.full.target}.again`, writeFrom)
    : writeFrom(path));
  const full = openSource(decoder, job.full.target, {
    limitInputPixels: pixels + 1,
    animated: false,
  });
  await write(full, job.icon, false);
  return { ...header, served };
}

/**
 * Gives the work a file that the decoder can read: mostly the image itself, and then what the
 * decoder only warns of is shown, as browsers do. Of a HEIC it is a PNG. Of an image without the
 * mark of its end it is a copy that has one; there the decoder's warnings tell whether it is cut
 * off in its pixels.
 */
async function withDecodable<T>(
  job: AcceptJob,
  work: (decodable: Decodable) => Promise<T>,
): Promise<T> {
  const { source, format, ending } = job;
  if (format !== 'heic' && ending === undefined)
    return work({ path: source, format, failOn: 'truncated' });
  const path = `${job.full.target}.whole`;
  try {
    if (format === 'heic') {
      await writeHeicAsPng(job, path);
      return await work({ path, format: 'png', failOn: 'truncated' });
    }
    await copyFile(source, path);
    if (ending !== undefined) {
      await truncate(path, ending.at);
      await appendFile(path, ending.mark, 'latin1');
    }
    return await work({ path, format, failOn: 'warning' });
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * Checks the header as the decoder reads it against our parser's findings, and chooses the format
 * to serve. Decodes no pixels.
 *
 * @param memory bound of the process; bytes.
 * @throws {JobError}; the decoder's errors.
 */
export async function describe(
  decoder: Decoder,
  job: SourceImage,
  memory: number,
): Promise<AcceptedPicture> {
  if (job.format === 'heic')
    return { ...(await sizeOfHeic(job.source)), frames: 1, served: 'jpeg' };
  const { isPalette, ...found } = await readHeader(decoder, job, memory);
  return found;
}

/**
 * What a narrower rendition may take before it is written again with less quality; bytes, and bytes
 * a pixel.
 */
const ENOUGH_BYTES = 100_000;
const ENOUGH_PIXEL_BYTES = 0.16;

/**
 * Writes a rendition narrower, with less quality than a full one: for a page, not to be looked at
 * closely.
 *
 * @param memory bound of the process; bytes.
 * @throws {JobError}; the decoder's errors.
 */
export async function resize(
  decoder: Decoder,
  job: ResizeJob,
  memory: number,
): Promise<AcceptedPicture> {
  const { isPalette: _, ...found } = await readHeader(decoder, job, memory);
  const { target, format, width } = job.sized;
  for (const quality of SMALL_QUALITIES) {
    const source = openSource(decoder, job.source, { limitInputPixels: job.pixels });
    const sized = source.resize({ width, withoutEnlargement: true });
    const written = await encodeSmall(sized, format, quality).toFile(target);
    const enough = Math.max(ENOUGH_BYTES, written.width * written.height * ENOUGH_PIXEL_BYTES);
    if (written.size <= enough || format === 'png') break;
  }
  return found;
}

/** The second is for night and leaves: what has noise or fine detail everywhere. */
const SMALL_QUALITIES = [
  { jpeg: 72, webp: 72, avif: 50 },
  { jpeg: 50, webp: 50, avif: 38 },
] as const;

function encodeSmall(
  image: Sharp,
  format: PictureFormat,
  quality: (typeof SMALL_QUALITIES)[number],
): Sharp {
  switch (format) {
    case 'jpeg':
      return image.jpeg({ quality: quality.jpeg, optimiseCoding: true });
    case 'webp':
      return image.webp({ quality: quality.webp, effort: 2 });
    case 'avif':
      return image.avif({ quality: quality.avif, effort: 0 });
    default:
      return encode(image, format, { adaptiveFiltering: true });
  }
}

async function readHeader(
  decoder: Decoder,
  job: SourceImage,
  memory: number,
): Promise<AcceptedPicture & { readonly isPalette: boolean }> {
  const source = openSource(decoder, job.source, { limitInputPixels: job.pixels, animated: true });
  const metadata = await source.metadata();
  const {
    format,
    width,
    height,
    pages = 1,
    pageHeight = height,
    autoOrient,
    hasAlpha,
    isPalette,
  } = metadata;
  if (DECODER_FORMATS[format] !== job.format) {
    throw new JobError('unreadable', `The decoder takes the file for ${format}.`);
  }
  // Other frames of an AVIF are ignored.
  const frames = job.format === 'avif' ? 1 : pages;
  const pixels = width * pageHeight * frames;
  if (frames > job.frames || pixels > job.pixels) {
    throw new JobError(
      'tooLarge',
      `The decoder finds ${width} x ${pageHeight} pixels in ${frames} frames.`,
    );
  }
  const size =
    frames === 1
      ? { width: autoOrient.width, height: autoOrient.height }
      : { width, height: pageHeight };
  const room = pixelWorkBytes(memory) - wideRowBytes({ width, height: pageHeight });
  const served = servedFormat({ format: job.format, frames, hasAlpha, pixels }, room);
  return { ...size, frames, served, isPalette };
}

/** Opens an image to be read row by row, so that it is never in memory as a whole. */
function openSource(decoder: Decoder, path: string, options: SharpOptions): Sharp {
  return decoder(path, { failOn: 'truncated', sequentialRead: true, ...options });
}

async function write(
  source: Sharp,
  { target, format, side }: PictureOrder,
  animated: boolean,
  png?: PngOptions,
): Promise<void> {
  const upright = animated ? source : source.autoOrient();
  const sized =
    side === undefined
      ? upright
      : upright.resize(side, side, { fit: 'inside', withoutEnlargement: true });
  await encode(sized, format, png).toFile(target);
}

function encode(image: Sharp, format: PictureFormat, png?: PngOptions): Sharp {
  switch (format) {
    case 'jpeg':
      // Codes made for the picture would hold it in memory as a whole and double the CPU time of an
      // upload. One step of quality saves about as many bytes.
      return image.jpeg({ quality: 87, optimiseCoding: false });
    case 'png':
      return image.png(png);
    case 'gif':
      return image.gif({ effort: 3 });
    case 'webp':
      return image.webp({ quality: 88, effort: 2 });
    case 'heic':
      throw new JobError('broken', 'Nothing is written as HEIC.');
    case 'avif':
      return image.avif({ quality: 65, effort: 0 });
  }
}
