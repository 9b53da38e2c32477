import type { DiskTurns, DiskUse } from '../../../adapters/files/disk-turns.ts';
import { filesUnavailable } from '../../../adapters/files/errors.ts';
import type { ImageDecoders } from '../../../adapters/images/decoders.ts';
import type { AcceptedPicture, SourceImage } from '../../../adapters/images/jobs.ts';
import { pixelWorkBytes } from '../../../adapters/images/memory.ts';
import { DependencyError, isFailureOf } from '../../../failure/dependency-error.ts';
import type { ImageFormat } from '../../../store/tables/tables.ts';
import { ICON_SIDE, type ImageFormats, renditionFormat } from '../../values/image-url.ts';
import { type ImageBounds, inspectImage } from './inspect.ts';
import { ImageRefusal } from './refusal.ts';

/** Maximum number of frames in an animation. */
export const MAX_FRAMES = 1_000;

/** Maximum side length that the encoders of WebP and AVIF support; pixels. */
export const MAX_SIDE: Readonly<Partial<Record<ImageFormat, number>>> = {
  webp: 16_383,
  avif: 16_383,
};

/** An accepted image. */
export interface ValidatedImage extends ImageFormats {
  /** The size of one frame as shown, orientation applied; pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

export interface ImageValidationDeps {
  readonly files: { readonly turns: DiskTurns };
  readonly decoders: ImageDecoders;
  /** Maximum width × height × frames. */
  readonly maxImagePixels: number;
}

/** A file to validate. */
export interface ImageToValidate {
  readonly path: string;
  /** The uploading user; users take turns. */
  readonly owner: string;
}

/** Paths of the two renditions, which must not exist yet. */
export interface PicturePaths {
  readonly full: string;
  readonly icon: string;
}

/**
 * Decides by its content whether a file is an acceptable image (semantics 5.5): first by its
 * structure, which also shows what decoding will take, then by decoding all pixels into the
 * renditions.
 *
 * @throws {ImageRefusal} when it is not acceptable.
 * @throws {DependencyError} of the files or the decoders.
 */
export async function validateImage(
  image: ImageToValidate,
  { full, icon }: PicturePaths,
  deps: ImageValidationDeps,
): Promise<ValidatedImage> {
  const source = await sourceOf(image, deps);
  const format = renditionFormat({ format: source.format, served_format: null }, 'icon');
  const pictures = { full: { target: full }, icon: { target: icon, format, side: ICON_SIDE } };
  return resultOf(source, deps.decoders.accept({ ...source, ...pictures }, image.owner));
}

/**
 * As {@link validateImage} without decoding: by the structure of the file and the header as the
 * decoder reads it. Gives the same result for every image that {@link validateImage} accepts.
 *
 * @throws as {@link validateImage}.
 */
export async function describeImage(
  image: ImageToValidate,
  deps: ImageValidationDeps,
): Promise<ValidatedImage> {
  const source = await sourceOf(image, deps);
  return resultOf(source, deps.decoders.describe(source, image.owner));
}

/**
 * Inspects the structure of a file.
 * @throws {ImageRefusal}
 * @throws {DependencyError}
 */
async function sourceOf(
  { path }: ImageToValidate,
  { files, decoders, maxImagePixels: pixels }: ImageValidationDeps,
): Promise<SourceImage> {
  const bounds: ImageBounds = {
    pixels,
    frames: MAX_FRAMES,
    decodeBytes: pixelWorkBytes(decoders.bounds.memory),
  };
  const { format, width, height, ...found } = await inspectInTurn(
    files.turns,
    'write',
    path,
    bounds,
  );
  const longest = Math.max(width, height);
  if (longest > (MAX_SIDE[format] ?? Number.POSITIVE_INFINITY)) {
    throw new ImageRefusal('ImageTooLarge', `A side of the image has ${longest} pixels.`);
  }
  const { decodeBytes, ending, profile } = found;
  return { source: path, format, pixels, frames: MAX_FRAMES, decodeBytes, ending, profile };
}

/**
 * Awaits the decoder's result.
 * @throws {ImageRefusal} when it refuses the image.
 * @throws {DependencyError}
 */
async function resultOf(
  { format }: SourceImage,
  deciding: Promise<AcceptedPicture>,
): Promise<ValidatedImage> {
  try {
    const { served, ...size } = await deciding;
    return { format, ...size, served_format: served === format ? null : served };
  } catch (error) {
    if (!isFailureOf('decoders', error, 'refused')) throw error;
    throw new ImageRefusal(
      error.reason === 'tooLarge' ? 'ImageTooLarge' : 'ImageUnreadable',
      error.message,
      error,
    );
  }
}

/**
 * Inspects the structure of a file in its turn for the disk. A disk that cannot be read, or a lack
 * of descriptors, is not the image's fault.
 * @throws {ImageRefusal}
 * @throws {DependencyError}
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
    throw error instanceof ImageRefusal || error instanceof DependencyError
      ? error
      : filesUnavailable(error);
  }
}
