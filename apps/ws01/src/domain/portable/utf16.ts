import { StringDecoder } from 'node:string_decoder';

/** UTF-16 in one of its two orders of bytes, by its name in the Encoding Standard. */
export type Utf16 = 'utf-16le' | 'utf-16be';

/** Bytes that {@link utf16In} looks at. */
export const HEAD_BYTES = 4;

/** Is in no UTF-8 text: it stands for half of a surrogate pair, so that its row alone cannot be read. */
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
 * Turns the bytes of a UTF-16 file into UTF-8. A code unit that is no character becomes a byte that no UTF-8
 * text has.
 */
export async function* inUtf8(chunks: AsyncIterable<Buffer>, order: Utf16): AsyncGenerator<Buffer> {
  const decoder = new StringDecoder('utf16le');
  let odd: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([odd, chunk]);
    const whole = bytes.length - (bytes.length % 2);
    odd = bytes.subarray(whole);
    const units = bytes.subarray(0, whole);
    yield utf8Of(decoder.write(order === 'utf-16be' ? units.swap16() : units));
  }
  yield utf8Of(decoder.end());
  if (odd.length > 0) yield NO_CHARACTER;
}

function utf8Of(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const pieces = text.split(/(\p{Surrogate})/u);
  return Buffer.concat(
    pieces.map((piece) => (piece.isWellFormed() ? Buffer.from(piece) : NO_CHARACTER)),
  );
}

/** Returns how many bytes of the UTF-16 file the bytes that {@link inUtf8} made of them stand for. */
export function bytesInUtf16(utf8: Buffer): number {
  return 2 * utf8.toString().length;
}
