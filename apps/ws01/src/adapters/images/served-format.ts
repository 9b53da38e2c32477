import type { PictureFormat } from './jobs.ts';

/** What encoders hold of an image as a whole, as measured with libvips 8.18; bytes a pixel, on the large side. */
const ENCODING_BYTES = { avif: 37, webp: 15.5, jpeg: 6.5 } as const;

/**
 * The format in which an image is served in full: its own, unless the encoder of that would take more memory than there
 * is, as those of AVIF and WebP do for large pictures, which hold all of it several times over.
 *
 * @param room bytes that may be taken.
 */
export function servedFormat(
  image: {
    readonly format: PictureFormat;
    readonly frames: number;
    /** Width × height × frames. */
    readonly pixels: number;
    readonly hasAlpha: boolean;
  },
  room: number,
): PictureFormat {
  const { format, frames, pixels, hasAlpha } = image;
  if (frames > 1 || (format !== 'avif' && format !== 'webp')) return format;
  if (format === 'avif' && pixels * ENCODING_BYTES.avif <= room) return 'avif';
  if (pixels * ENCODING_BYTES.webp <= room) return 'webp';
  return hasAlpha ? 'png' : 'jpeg';
}

/** Whether a JPEG must be written row by row: to choose the best codes its encoder holds all of the picture. */
export function writesLean(pixels: number, room: number): boolean {
  return pixels * ENCODING_BYTES.jpeg > room / 2;
}
