import type { PictureFormat } from './jobs.ts';

/** What encoders hold of an image as a whole, as measured with libvips 8.18; bytes a pixel, on the large side. */
const ENCODING_BYTES = {
  opaque: { avif: 37, webp: 15.5, gif: 15 },
  alpha: { avif: 39, webp: 23.5, gif: 15 },
} as const;
const JPEG_BYTES = 6.5;

/**
 * The format in which an image is served in full: its own, unless the encoder of that would take more memory than there
 * is, as those of AVIF, WebP and GIF do for large pictures, which hold all of it several times over.
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
  if (frames > 1 || format === 'jpeg' || format === 'png') return format;
  const bytes = ENCODING_BYTES[hasAlpha ? 'alpha' : 'opaque'];
  if (pixels * bytes[format] <= room) return format;
  if (format === 'avif' && pixels * bytes.webp <= room) return 'webp';
  return hasAlpha || format === 'gif' ? 'png' : 'jpeg';
}

/**
 * Whether a JPEG must be written row by row: to choose the best codes its encoder holds all of the picture.
 * @param decodeBytes what the decoder of the source holds meanwhile.
 */
export function writesLean(pixels: number, decodeBytes: number, room: number): boolean {
  return pixels * JPEG_BYTES + decodeBytes > room;
}
