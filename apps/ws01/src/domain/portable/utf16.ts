/** UTF-16 in one of its two orders of bytes, by its name in the Encoding Standard. */
export type Utf16 = 'utf-16le' | 'utf-16be';

/** Bytes that {@link utf16In} looks at. */
export const HEAD_BYTES = 4;

/**
 * Is in no UTF-8 text: it stands for half of a surrogate pair, so that its row alone cannot be
 * read.
 */
const NO_CHARACTER = Buffer.of(0xff);

/**
 * Says whether a text file is UTF-16, as spreadsheets, PowerShell and `bcp -w` write it.
 * @param head its first {@link HEAD_BYTES} bytes.
 * @returns the order of the bytes: by the mark, or by the zeros beside two ASCII characters.
 */
export function utf16In(head: Uint8Array): Utf16 | undefined {
  const [a, b, c, d] = head;
  if (a === 0xff && b === 0xfe) return 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (isAscii(a) && b === 0 && isAscii(c) && d === 0) return 'utf-16le';
  if (a === 0 && isAscii(b) && c === 0 && isAscii(d)) return 'utf-16be';
  return undefined;
}

function isAscii(byte = 0): boolean {
  return byte === 0x09 || byte === 0x0a || byte === 0x0d || (byte >= 0x20 && byte < 0x7f);
}

/**
 * Turns the bytes of a UTF-16 file into UTF-8. A code unit that is no character becomes a byte that
 * no UTF-8 text has.
 */
export async function* inUtf8(chunks: AsyncIterable<Buffer>, order: Utf16): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([held, chunk]);
    const whole = wholeIn(bytes, order);
    held = bytes.subarray(whole);
    yield utf8Of(bytes.subarray(0, whole), order);
  }
  const isOdd = held.length % 2 === 1;
  yield utf8Of(isOdd ? held.subarray(0, -1) : held, order);
  if (isOdd) yield NO_CHARACTER;
}

/** How many bytes can be read: those after them may be half of a unit, or of a surrogate pair. */
function wholeIn(bytes: Buffer, order: Utf16): number {
  const whole = bytes.length - (bytes.length % 2);
  const high = bytes[order === 'utf-16le' ? whole - 1 : whole - 2] ?? 0;
  const isHighSurrogate = (high & 0xfc) === 0xd8;
  return isHighSurrogate ? whole - 2 : whole;
}

/** @param units nobody else's: their bytes are swapped in place. */
function utf8Of(units: Buffer, order: Utf16): Buffer {
  const text = (order === 'utf-16be' ? units.swap16() : units).toString('utf16le');
  if (text.isWellFormed()) return Buffer.from(text);
  const pieces = text.split(/(\p{Surrogate})/u);
  return Buffer.concat(
    pieces.map((piece) => (piece.isWellFormed() ? Buffer.from(piece) : NO_CHARACTER)),
  );
}

/**
 * Returns how many bytes of the UTF-16 file the bytes that {@link inUtf8} made of them stand for.
 */
export function bytesInUtf16(utf8: Buffer): number {
  return 2 * utf8.toString().length;
}
