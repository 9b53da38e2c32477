import type { PngOptions } from 'sharp';

/**
 * What writing a palette takes a pixel, beside reading the source; bytes. Without one it is a byte.
 * libimagequant holds the colours of a picture as numbers of four times four bytes, as long as that
 * is no more than 64 MiB.
 */
const PALETTE_BYTES = { small: 24.5, large: 8 };
const MAX_SMALL_PALETTE_PIXELS = (64 * 1024 ** 2) / 16;

/**
 * The largest picture whose palette is kept, for the CPU time: up to 0.4 s a million pixels,
 * without it 0.07.
 */
const MAX_PALETTE_PIXELS = 8_000_000;

/**
 * Returns how to write a PNG so that it is about as small as the uploaded one. With a palette,
 * which has all of its colours, it is half as large. Filters make photographs half as large and
 * drawings larger; more than a quarter of a byte a pixel is taken for a photograph.
 *
 * @param room memory for the palette; bytes.
 */
export function pngLike(
  source: { readonly isPalette: boolean; readonly pixels: number; readonly bytes: number },
  room: number,
): PngOptions {
  const { isPalette, pixels, bytes } = source;
  if (!isPalette) return { adaptiveFiltering: bytes > pixels / 4 };
  const pixelBytes = PALETTE_BYTES[pixels <= MAX_SMALL_PALETTE_PIXELS ? 'small' : 'large'];
  const fits = pixels <= MAX_PALETTE_PIXELS && pixels * pixelBytes <= room;
  return fits ? { palette: true, dither: 0 } : {};
}
