import { type CharsetDecoder, charsetDecoder, Utf8Decoder } from './charset.ts';

const PERCENT = 0x25;
const PLUS = 0x2b;
const BLANK = 0x20;
const LOWER_U = 0x75;
/** Length of `%uXXXX`. */
const LONGEST_ESCAPE = 6;
/** Whatever has to be decoded at all. */
const SPECIAL = /[%+\u0080-\u00ff]/;

/** What stands for a `+` of a form where the reader is to say what it means; no text that XML can carry has it. */
export const LOST_PLUS = '\u0001';

export interface PercentOptions {
  /** Of the bytes behind the escapes; an unknown one is UTF-8. */
  readonly charset?: string | undefined;
  /** What `+` means: a blank, as in forms (the default), itself, as in paths, or {@link LOST_PLUS}. */
  readonly plus?: 'blank' | 'plus' | 'lost';
}

/**
 * Percent-decodes text that arrives in pieces, split anywhere, as ASP.NET does (wire 7): `%XX` is a byte
 * in the charset, `%uXXXX` a UTF-16 code unit, a bad escape stays as it is, invalid bytes and half pairs of surrogates
 * become U+FFFD. Never fails; the time is linear and nothing but an unfinished escape or character is held.
 */
export class PercentDecoder {
  readonly #decoder: CharsetDecoder;
  readonly #plus: number;
  /** An escape that the next piece may finish. */
  #held = '';
  /** A `%u` escape of the first half of a surrogate pair, which the next one may complete; 0 for none. */
  #high = 0;
  /** The decoder may hold a part of a character, or this one something. */
  #open = false;

  constructor({ charset, plus = 'blank' }: PercentOptions = {}) {
    this.#decoder = charsetDecoder(charset ?? 'utf-8', false) ?? new Utf8Decoder(false);
    this.#plus = plus === 'blank' ? BLANK : plus === 'plus' ? PLUS : LOST_PLUS.charCodeAt(0);
  }

  /** The charset in which some bytes were no text, and were replaced; `undefined` where none were so far. */
  get replacedIn(): string | undefined {
    return this.#decoder.replaced ? this.#decoder.encoding : undefined;
  }

  /** Decodes a piece. @param piece each code unit is one byte, 0 to 255. */
  push(piece: string): string {
    if (!this.#open && !SPECIAL.test(piece)) return piece;
    return this.#decode(this.#held + piece, false);
  }

  /** Decodes what was held; the decoder is as new then. */
  end(): string {
    if (!this.#open) return '';
    const rest = this.#decode(this.#held, true);
    this.#open = false;
    return rest;
  }

  #decode(text: string, last: boolean): string {
    const output = new Output(this.#decoder, text.length);
    let at = 0;
    for (; at < text.length; at++) {
      const byte = text.charCodeAt(at);
      if (byte !== PERCENT) {
        this.#closePair(output);
        output.byte(byte === PLUS ? this.#plus : byte);
        continue;
      }
      if (!last && mayGoOn(text, at)) break;
      const unit = text.charCodeAt(at + 1) === LOWER_U ? hex(text, at + 2, 4) : -1;
      if (unit >= 0) {
        this.#unit(unit, output);
        at += LONGEST_ESCAPE - 1;
        continue;
      }
      const value = hex(text, at + 1, 2);
      this.#closePair(output);
      output.byte(value < 0 ? PERCENT : value);
      if (value >= 0) at += 2;
    }
    this.#held = text.slice(at);
    if (last) this.#closePair(output);
    const decoded = output.end(last);
    this.#open = this.#held !== '' || this.#high !== 0 || !output.endsWhole;
    return decoded;
  }

  #unit(unit: number, output: Output): void {
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (this.#high !== 0 && isLow) {
      output.point(0x10000 + ((this.#high - 0xd800) << 10) + (unit - 0xdc00));
      this.#high = 0;
      return;
    }
    this.#closePair(output);
    if (unit >= 0xd800 && unit <= 0xdbff) this.#high = unit;
    else output.point(isLow ? 0xfffd : unit);
  }

  /** A first half that nothing completed. */
  #closePair(output: Output): void {
    if (this.#high === 0) return;
    this.#high = 0;
    output.point(0xfffd);
  }
}

/** Percent-decodes a whole text, for example a path segment. @param text each code unit is one byte. */
export function decodePercent(text: string, options?: PercentOptions): string {
  const decoder = new PercentDecoder(options);
  return decoder.push(text) + decoder.end();
}

/** Collects bytes and characters in their order. */
class Output {
  readonly #decoder: CharsetDecoder;
  readonly #bytes: Buffer;
  readonly #utf8: boolean;
  #length = 0;
  #text = '';

  /** @param length of the input, which the output never exceeds by more than one character. */
  constructor(decoder: CharsetDecoder, length: number) {
    this.#decoder = decoder;
    this.#utf8 = decoder.encoding === 'utf-8';
    this.#bytes = Buffer.allocUnsafe(length + 4);
  }

  byte(byte: number): void {
    this.#bytes[this.#length++] = byte;
  }

  /** A character that did not come as bytes of the charset. */
  point(point: number): void {
    if (this.#utf8) {
      // Its lead byte ends an unfinished sequence, as decoding those bytes apart would.
      this.#length += this.#bytes.write(String.fromCodePoint(point), this.#length, 'utf8');
      return;
    }
    this.#text += this.#decoder.decode(this.#bytes.subarray(0, this.#length), true) + String.fromCodePoint(point);
    this.#length = 0;
  }

  /** Whether the decoder surely holds no part of a character: nothing can, in UTF-8, behind an ASCII byte. */
  get endsWhole(): boolean {
    return this.#utf8 && this.#length > 0 && this.#bytes[this.#length - 1]! < 0x80;
  }

  end(last: boolean): string {
    return this.#text + this.#decoder.decode(this.#bytes.subarray(0, this.#length), last);
  }
}

/** Whether the `%` at `at` begins an escape that the text's end cuts off. */
function mayGoOn(text: string, at: number): boolean {
  const rest = text.length - at;
  if (rest >= LONGEST_ESCAPE) return false;
  if (rest === 1) return true;
  const isUnit = text.charCodeAt(at + 1) === LOWER_U;
  const from = isUnit ? at + 2 : at + 1;
  const digits = text.length - from;
  return digits < (isUnit ? 4 : 2) && (digits === 0 || hex(text, from, digits) >= 0);
}

/** The value of `count` hexadecimal digits, -1 when there are not as many. */
function hex(text: string, from: number, count: number): number {
  let value = 0;
  for (let i = from; i < from + count; i++) {
    const digit = i < text.length ? HEX_DIGITS[text.charCodeAt(i)]! : -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** The value of each hexadecimal digit, -1 for any other byte. */
const HEX_DIGITS = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16);
  HEX_DIGITS[digit.charCodeAt(0)] = value;
  HEX_DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}
