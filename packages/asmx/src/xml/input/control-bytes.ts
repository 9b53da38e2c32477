/**
 * Counts the line feeds in bytes of an ASCII-compatible encoding, and looks for control characters
 * that XML 1.0 forbids, four bytes at a time. Nothing else that is done to a large text costs as
 * much, and a look at each code unit takes four times as long.
 * @returns the number of line feeds; -1 when there is a forbidden character.
 */
export function countLineFeeds(bytes: Uint8Array): number {
  const aligned = Math.min(bytes.length, -bytes.byteOffset & 3);
  const count = (bytes.length - aligned) >> 2;
  let sum = sumOf(bytes, 0, aligned) + sumOf(bytes, aligned + count * 4, bytes.length);
  if (count > 0) {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset + aligned, count);
    for (let w = 0; w < count; w++) {
      const word = words[w]!;
      // Non-zero when one of the four bytes is under 0x20: the subtraction borrows into that byte's
      // top bit.
      if (((word - 0x20202020) & ~word & 0x80808080) === 0) continue;
      sum +=
        VALUES[word & 0xff]! +
        VALUES[(word >>> 8) & 0xff]! +
        VALUES[(word >>> 16) & 0xff]! +
        VALUES[word >>> 24]!;
    }
  }
  return sum >= FORBIDDEN ? -1 : sum;
}

function sumOf(bytes: Uint8Array, from: number, to: number): number {
  let sum = 0;
  for (let i = from; i < to; i++) sum += VALUES[bytes[i]!]!;
  return sum;
}

/** Marks a forbidden character; larger than any number of line feeds. */
const FORBIDDEN = 2 ** 32;
const LINE_FEED = 0x0a;
/** The value that each byte adds to the sum. */
const VALUES = new Float64Array(256).fill(FORBIDDEN, 0, 0x20);
for (const allowed of [0x09, 0x0a, 0x0d]) VALUES[allowed] = 0;
VALUES[LINE_FEED] = 1;
