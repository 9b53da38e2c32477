import type { DiskTurns, DiskUse } from '../../../adapters/files/disk-turns.ts';
import { filesUnavailable } from '../../../adapters/files/errors.ts';
import type { ImageDecoders } from '../../../adapters/images/decoders.ts';
import type { AcceptedPicture, SourceImage } from '../../../adapters/images/jobs.ts';
import { pixelWorkBytes } from '../../../adapters/images/memory.ts';
import { DependencyError, isFailureOf } from '../../../failure/dependency-error.ts';
import type { ImageFormat } from '../../../store/tables/tables.ts';
import { ICON_SIDE, type ImageFormats, renditionFormat } from '../serving/urls.ts';
import { type ImageBounds, inspectImage } from './inspect.ts';
import { ImageRefusal } from './refusal.ts';

/** Frames of an animation at most. */
export const MAX_FRAMES = 1_000;

/** The longest side that the formats of Google and of AVIF can be written with; pixels. */
const MAX_SIDE: Readonly<Partial<Record<ImageFormat, number>>> = { webp: 16_383, avif: 16_383 };

/** An accepted image. */
export interface ValidatedImage extends ImageFormats {
  /** Of one frame as it is shown, orientation applied; pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

export interface ImageValidationDeps {
  readonly files: { readonly turns: DiskTurns };
  readonly decoders: ImageDecoders;
  /** Width × height × frames at most. */
  readonly maxImagePixels: number;
}

/** A file to be judged. */
export interface ImageToValidate {
  readonly path: string;
  /** Who brings it: several take turns. */
  readonly owner: string;
}

/** Where the two pictures of an image that are served go: paths of files that do not exist yet. */
export interface PicturePaths {
  readonly full: string;
  readonly icon: string;
}

/**
 * Decides by its content alone whether a file is an image that is accepted (semantics 5.5): its structure first, which
 * also tells what decoding it will take, and only then all of its pixels, by making of them what will be served.
 *
 * @throws {ImageRefusal} when it is not; {@link DependencyError} of the files or the decoders.
 */
export async function validateImage(
  image: ImageToValidate,
  { full, icon }: PicturePaths,
  deps: ImageValidationDeps,
): Promise<ValidatedImage> {
  const source = await sourceOf(image, deps);
  const format = renditionFormat({ format: source.format, served_format: null }, 'icon');
  const pictures = { full: { target: full }, icon: { target: icon, format, side: ICON_SIDE } };
  return judged(source, deps.decoders.accept({ ...source, ...pictures }, image.owner));
}

/**
 * The same without a look at the pixels: by the structure of the file and what the decoder reads of its header. Says the
 * same of every image that {@link validateImage} accepts.
 *
 * @throws as {@link validateImage}.
 */
export async function describeImage(image: ImageToValidate, deps: ImageValidationDeps): Promise<ValidatedImage> {
  const source = await sourceOf(image, deps);
  return judged(source, deps.decoders.describe(source, image.owner));
}

/** Looks at the structure of a file. @throws {ImageRefusal} {@link DependencyError} */
async function sourceOf(
  { path }: ImageToValidate,
  { files, decoders, maxImagePixels: pixels }: ImageValidationDeps,
): Promise<SourceImage> {
  const bounds: ImageBounds = { pixels, frames: MAX_FRAMES, decodeBytes: pixelWorkBytes(decoders.bounds.memory) };
  const { format, width, height, decodeBytes } = await inspectInTurn(files.turns, 'write', path, bounds);
  const longest = Math.max(width, height);
  if (longest > (MAX_SIDE[format] ?? Number.POSITIVE_INFINITY)) {
    throw new ImageRefusal('ImageTooLarge', `A side of the image has ${longest} pixels.`);
  }
  return { source: path, format, pixels, frames: MAX_FRAMES, decodeBytes };
}

/** What a decoder has found. @throws {ImageRefusal} when it refuses the image; {@link DependencyError} */
async function judged({ format }: SourceImage, deciding: Promise<AcceptedPicture>): Promise<ValidatedImage> {
  try {
    const { served, ...size } = await deciding;
    return { format, ...size, served_format: served === format ? null : served };
  } catch (error) {
    if (!isFailureOf('decoders', error, 'refused')) throw error;
    throw new ImageRefusal(error.reason === 'tooLarge' ? 'ImageTooLarge' : 'ImageUnreadable', error.message, error);
  }
}

/**
 * Looks at the structure of a file when the disk has a turn for it. A disk that cannot be read, and a lack of descriptors,
 * say nothing of the image.
 * @throws {ImageRefusal} {@link DependencyError}
 */
export async function inspectInTurn(
  turns: DiskTurns,
  use: DiskUse,
  path: string,
  bounds: ImageBounds,
): ReturnType<typeof inspectImage> {
  try {
    return await turns.take(use, () => inspectImage(path, bounds));
  } catch (error) {
    throw error instanceof ImageRefusal || error instanceof DependencyError ? error : filesUnavailable(error);
  }
}
