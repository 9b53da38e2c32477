import { LOST_PLUS } from '../../message/percent.ts';
import type { FileWriter } from './file-writer.ts';

/**
 * Bytes are handed on in pieces of this many; the first is shorter, since most series are empty or
 * not one.
 */
const PIECE_BYTES = 16 * 1024;
const FIRST_PIECE_BYTES = 1024;
const MAX_DIGITS = 3;
/** With a plus, which .NET takes too, and blanks around it; forms write each blank as a plus. */
const MAX_CHARS = 8;
const SIGNED = new RegExp(`^[ +${LOST_PLUS}]*[0-9]{0,3}[ +${LOST_PLUS}]*$`);
const MAX_BYTE = 255;

/**
 * A file as one decimal number a byte, which is how ASP.NET writes and reads `byte[]` over GET and
 * POST.
 */
export class ByteSeries {
  /** The value being read, as far as it has come. */
  value = '';
  /**
   * Every value read before it, once, in the order of their first coming: no more than 366 texts
   * mean a byte.
   */
  readonly texts: string[] = [];
  /** Whether a text is among them, by its length and number. */
  readonly #met = new Uint8Array(4 << 8);
  readonly #writer: FileWriter;
  #piece: Buffer | undefined;
  #length = 0;

  constructor(writer: FileWriter) {
    this.#writer = writer;
  }

  /** Takes a piece of the value, unless it can mean no byte with it. @returns whether it did. */
  text(piece: string): boolean {
    const value = this.value === '' ? piece : this.value + piece;
    const plain = value.length <= MAX_DIGITS && isDigits(value);
    if (!plain && (value.length > MAX_CHARS || !SIGNED.test(value))) return false;
    this.value = value;
    return true;
  }

  /** The value is complete; an empty one is nothing. @returns whether it means a byte. */
  end(): boolean {
    if (this.value === '') return true;
    const value = isDigits(this.value) ? this.value : this.value.replaceAll(/[^0-9]/g, '');
    if (value === '') return false;
    const byte = numberOf(value);
    if (byte > MAX_BYTE) return false;
    this.value = '';
    this.#take((value.length << 8) + byte);
    return true;
  }

  /** Takes whole values. @param numbers as `numberAt` says them. */
  numbers(numbers: Uint16Array): void {
    for (let at = 0; at < numbers.length; at++) this.#take(numbers[at]!);
  }

  #take(number: number): void {
    if (this.#met[number] === 0) {
      this.#met[number] = 1;
      this.texts.push(String(number & MAX_BYTE).padStart(number >> 8, '0'));
    }
    this.#piece ??= Buffer.allocUnsafe(FIRST_PIECE_BYTES);
    this.#piece[this.#length++] = number & MAX_BYTE;
    if (this.#length < this.#piece.length) return;
    this.flush();
    this.#piece = Buffer.allocUnsafe(PIECE_BYTES);
  }

  /** Hands on what was collected. @throws {ProtocolError} TooLarge */
  flush(): void {
    if (this.#piece === undefined) return;
    const piece = this.#piece.subarray(0, this.#length);
    this.#piece = undefined;
    this.#length = 0;
    this.#writer.count(piece.length);
    this.#writer.write(piece);
  }
}

/** @param digits one to three. */
function numberOf(digits: string): number {
  let value = 0;
  for (let at = 0; at < digits.length; at++) value = value * 10 + digits.charCodeAt(at) - 0x30;
  return value;
}

function isDigits(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x30 || unit > 0x39) return false;
  }
  return true;
}
