/** Memory of an idle process with the decoder loaded; bytes. */
const IDLE_BYTES = 64 * 1024 ** 2;

/** Returns the memory for pixels in a process that may use `memory` bytes. */
export function pixelWorkBytes(memory: number): number {
  return memory - IDLE_BYTES;
}

/**
 * Returns the memory at which a process is killed; bytes. Images are normally refused by an estimate; this bound is for
 * those whose header lies.
 */
export function killBytes(memory: number): number {
  return memory * 1.125;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The longer side of an icon; pixels. */
const ICON_SIDE = 256;

/**
 * Returns what making the icon takes of a picture that is read row by row: measured with libvips 8.18 on pictures of up to
 * 1,000,000 x 20, 100,000 x 400 and 7,000 x 7,000 pixels, and rounded up. Each row of a flat icon is made of many rows of
 * the picture, and of copies of its first and last one.
 */
export function iconWorkBytes({ width, height }: Size, hasAlpha: boolean): number {
  const iconRows = Math.min(ICON_SIDE, (ICON_SIDE * height) / width);
  const rows = Math.min(height, 740 + 3.5 * iconRows) + (hasAlpha ? 368 : 208);
  return width * rows * (hasAlpha ? 4 : 3) * 1.05;
}

/** Width ÷ height of the widest photographs of phones, whose rows are in the bytes a pixel of each format. */
const PHOTOGRAPH = 16 / 9;

/**
 * Returns what the rows take that are held of a wide picture, beyond those of a photograph with as many pixels, which
 * are in the bytes a pixel of formats that are decoded as a whole.
 */
export function wideRowBytes({ width, height }: Size): number {
  const usual = Math.sqrt(width * height * PHOTOGRAPH);
  return Math.max(0, heldRowBytes(width, height) - heldRowBytes(usual, usual / PHOTOGRAPH));
}

function heldRowBytes(width: number, height: number): number {
  return width * Math.min(2 * height + 216, 704) * 4.2;
}
