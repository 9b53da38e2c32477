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
    const i = aligned + w * 4;
    if (
      (FORBIDDEN[bytes[i]!]! | FORBIDDEN[bytes[i + 1]!]! | FORBIDDEN[bytes[i + 2]!]! | FORBIDDEN[bytes[i + 3]!]!) !==
      0
    ) {
      return true;
    }
  }
  return hasForbiddenIn(bytes, aligned + count * 4, bytes.length);
}

function hasForbiddenIn(bytes: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (FORBIDDEN[bytes[i]!] !== 0) return true;
  return false;
}

/** 1 for each forbidden byte. */
const FORBIDDEN = new Uint8Array(256).fill(1, 0, 0x20);
for (const allowed of [0x09, 0x0a, 0x0d]) FORBIDDEN[allowed] = 0;
