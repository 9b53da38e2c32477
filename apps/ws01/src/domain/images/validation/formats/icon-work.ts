import { ICON_SIDE } from '../../../values/image-url.ts';

/**
 * Returns what making the icon takes of a picture that is read row by row: measured with libvips
 * 8.18 on pictures of up to 1,000,000 x 20, 100,000 x 400 and 7,000 x 7,000 pixels, and rounded up.
 * Each row of a flat icon is made of many rows of the picture, and of copies of its first and last
 * one.
 * @returns bytes.
 */
export function iconWorkBytes(
  { width, height }: { readonly width: number; readonly height: number },
  hasAlpha: boolean,
): number {
  const iconRows = Math.min(ICON_SIDE, (ICON_SIDE * height) / width);
  const rows = Math.min(height, 740 + 3.5 * iconRows) + (hasAlpha ? 368 : 208);
  return width * rows * (hasAlpha ? 4 : 3) * 1.05;
}
