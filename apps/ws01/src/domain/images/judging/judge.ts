import { Ws01Error } from '../../../contract/errors.ts';
import type { ImageFormat } from '../../../store/tables/tables.ts';
import { decode } from './decoder.ts';
import { assertWithin, type ImageBounds, inspectImage } from './inspect.ts';
import { ImageRefusal, unreadable } from './refusal.ts';

/** Frames of an animation at most. */
const MAX_FRAMES = 1_000;

/** The longest side that the formats of Google and of AVIF can be written with; pixels. */
const MAX_SIDE: Readonly<Partial<Record<ImageFormat, number>>> = { webp: 16_383, avif: 16_383 };

/** An accepted image. */
export interface JudgedImage {
  readonly format: ImageFormat;
  /** Of one frame as it is shown, orientation applied; pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: number;
}

/** What a decoder calls each format. */
const DECODER_FORMATS: Readonly<Record<string, ImageFormat>> = {
  jpeg: 'jpeg',
  png: 'png',
  gif: 'gif',
  webp: 'webp',
  heif: 'avif',
};

/** Side of what is decoded to see that all of it can be; small, so that little memory is needed. */
const PROBE_SIDE = 32;

/**
 * Decides by its content alone whether a file is an image that is accepted (semantics 5.5): its structure first, then
 * what the decoder reads of its header, and only then all of its pixels.
 *
 * @param maxPixels width × height × frames at most.
 * @throws {ImageRefusal} when it is not; {@link Ws01Error} `Busy` when too many are being judged.
 */
export async function judgeImage(path: string, maxPixels: number): Promise<JudgedImage> {
  const bounds: ImageBounds = { pixels: maxPixels, frames: MAX_FRAMES };
  const inspected = await inspectImage(path, bounds);
  const longest = Math.max(inspected.width, inspected.height);
  if (longest > (MAX_SIDE[inspected.format] ?? Number.POSITIVE_INFINITY)) {
    throw new ImageRefusal('ImageTooLarge', `A side of the image has ${longest} pixels.`);
  }
  try {
    return await decode(path, { pixels: maxPixels, animated: true }, async (image) => {
      const { format, width, height, pages = 1, pageHeight = height, autoOrient } = await image.metadata();
      if (DECODER_FORMATS[format] !== inspected.format) throw unreadable(`The decoder takes the file for ${format}.`);
      const frames = inspected.format === 'avif' ? 1 : pages;
      assertWithin({ width, height: pageHeight, frames }, bounds);
      await image
        .resize(PROBE_SIDE, frames === 1 ? PROBE_SIDE : null, { fit: 'fill' })
        .raw()
        .toBuffer();
      return frames === 1
        ? { format: inspected.format, width: autoOrient.width, height: autoOrient.height, frames }
        : { format: inspected.format, width, height: pageHeight, frames };
    });
  } catch (error) {
    if (error instanceof ImageRefusal || error instanceof Ws01Error) throw error;
    throw unreadable('The image cannot be decoded.', error);
  }
}
