/**
 * Whether bytes of an ASCII-compatible encoding hold a control character that XML 1.0 forbids. Looks at four bytes at
 * a time: of all that is done to a large text this is the costliest, and a look at each unit takes four times as long.
 */
export function hasForbiddenByte(bytes: Uint8Array): boolean {
  const aligned = Math.min(bytes.length, -bytes.byteOffset & 3);
  const count = (bytes.length - aligned) >> 2;
  if (count === 0) return hasForbiddenIn(bytes, 0, bytes.length);
  if (hasForbiddenIn(bytes, 0, aligned)) return true;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + aligned, count);
  for (let w = 0; w < count; w++) {
    const word = words[w]!;
    // Non-zero when one of the four bytes is under 0x20: the subtraction borrows into that byte's top bit.
    if (((word - 0x20202020) & ~word & 0x80808080) === 0) continue;
    if (hasForbiddenIn(bytes, aligned + w * 4, aligned + w * 4 + 4)) return true;
  }
  return hasForbiddenIn(bytes, aligned + count * 4, bytes.length);
}

function hasForbiddenIn(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!;
    if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return true;
  }
  return false;
}
