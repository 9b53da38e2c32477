/** Memory of an idle process with the decoder loaded; bytes. */
const IDLE_BYTES = 64 * 1024 ** 2;

/** Returns the memory for pixels in a process that may use `memory` bytes. */
export function pixelWorkBytes(memory: number): number {
  return memory - IDLE_BYTES;
}

/**
 * Returns the memory at which a process is killed; bytes. Images are normally refused by an
 * estimate; this bound is for those whose header lies.
 */
export function killBytes(memory: number): number {
  return memory * 1.125;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Width ÷ height of the widest photographs of phones, whose rows are in the bytes a pixel of each
 * format.
 */
const PHOTOGRAPH = 16 / 9;

/**
 * Returns the memory of the rows that are held of a wide picture, beyond the rows of a photograph
 * with as many pixels. The latter are part of the bytes a pixel of formats that are decoded as a
 * whole.
 */
export function wideRowBytes({ width, height }: Size): number {
  const usual = Math.sqrt(width * height * PHOTOGRAPH);
  return Math.max(0, heldRowBytes(width, height) - heldRowBytes(usual, usual / PHOTOGRAPH));
}

/** The rows of a picture that are decoded as a whole, at most. */
const HELD_ROWS = 704;

function heldRowBytes(width: number, height: number): number {
  return width * heldRows(height, HELD_ROWS) * 4.2;
}

/**
 * Returns how many rows are in memory during row-by-row work: of a flat picture twice its own, and
 * some more.
 */
export function heldRows(height: number, most: number): number {
  return Math.min(2 * height + 216, most);
}
