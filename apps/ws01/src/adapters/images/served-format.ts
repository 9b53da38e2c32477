import type { PictureFormat } from './jobs.ts';

/** Memory of encoders per pixel, measured with libvips 8.18 and rounded up; bytes. */
const ENCODING_BYTES = {
  opaque: { avif: 37, webp: 15.5, gif: 15 },
  alpha: { avif: 39, webp: 23.5, gif: 15 },
} as const;

/**
 * Returns the format of the full rendition: the source's; a JPEG of a HEIC, which browsers do not
 * show; unless its encoder would need too much memory. The encoders of AVIF, WebP and GIF hold the
 * whole picture several times.
 *
 * @param room memory that may be used; bytes.
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
  if (format === 'heic') return 'jpeg';
  if (frames > 1 || format === 'jpeg' || format === 'png') return format;
  const bytes = ENCODING_BYTES[hasAlpha ? 'alpha' : 'opaque'];
  if (pixels * bytes[format] <= room) return format;
  if (format === 'avif' && pixels * bytes.webp <= room) return 'webp';
  return hasAlpha || format === 'gif' ? 'png' : 'jpeg';
}
