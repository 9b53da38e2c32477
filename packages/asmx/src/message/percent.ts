import { type CharsetDecoder, charsetDecoder, isLegacyCharset, Utf8Decoder } from './charset.ts';
import { UnitBuffer } from './unit-buffer.ts';

const PERCENT = 0x25;
const PLUS = 0x2b;
const BLANK = 0x20;
const LOWER_U = 0x75;
/** Length of `%uXXXX`. */
const LONGEST_ESCAPE = 6;
/** Bytes of UTF-8. */
const LONGEST_POINT = 4;
const REPLACEMENT = 0xfffd;
/** Whatever has to be decoded at all. */
const SPECIAL = /[%+\u0080-\u00ff]/;

/**
 * What stands for a `+` of a form where the reader is to say what it means; no text that XML can
 * carry has it.
 */
export const LOST_PLUS = '\u0001';

/** By what `+` means. */
const PLUSES = { blank: BLANK, plus: PLUS, lost: LOST_PLUS.charCodeAt(0) };

export interface PercentOptions {
  /** Of the bytes behind the escapes; an unknown one is UTF-8. */
  readonly charset?: string | undefined;
  /**
   * What `+` means: a blank, as in forms (the default), itself, as in paths, or {@link LOST_PLUS}.
   */
  readonly plus?: 'blank' | 'plus' | 'lost';
}

/**
 * Percent-decodes text that arrives in pieces, split anywhere, as ASP.NET does (wire 7): `%XX` is a
 * byte in the charset, `%uXXXX` a UTF-16 code unit, a bad escape stays as it is, invalid bytes and
 * half pairs of surrogates become U+FFFD. Never fails; the time is linear and nothing but an
 * unfinished escape or character is held.
 */
export class PercentDecoder {
  readonly #decoder: CharsetDecoder;
  readonly #output: Output;
  readonly #plus: number;
  /** An escape that the next piece may finish. */
  #held = '';
  /**
   * A `%u` escape of the first half of a surrogate pair, which the next one may complete; 0 for
   * none.
   */
  #high = 0;
  /** The decoder may hold a part of a character, or this one something. */
  #open = false;
  /** The decoder surely holds nothing, and no half of a pair is held. */
  #isClean = true;
  /**
   * Whether {@link decodeWhole} is worth a try: not in another charset, nor behind what it cannot
   * decode.
   */
  #isStrict: boolean;

  constructor({ charset, plus = 'blank' }: PercentOptions = {}) {
    this.#decoder = charsetDecoder(charset ?? 'utf-8', false) ?? new Utf8Decoder(false);
    this.#output =
      this.#decoder.encoding === 'utf-8'
        ? new Utf8Output(this.#decoder)
        : new CharsetOutput(this.#decoder, isLegacyCharset(charset!));
    this.#isStrict = this.#decoder.encoding === 'utf-8';
    this.#plus = PLUSES[plus];
  }

  /** The charset in which invalid bytes were replaced; `undefined` for none so far. */
  get replacedIn(): string | undefined {
    return this.#decoder.replaced ? this.#decoder.encoding : undefined;
  }

  /**
   * How often bytes of a charset other than UTF-8 stood before a `%u` escape, and were no ASCII.
   */
  get switches(): number {
    return this.#output.switches;
  }

  /** Decodes a piece. @param piece each code unit is one byte, 0 to 255. */
  push(piece: string): string {
    if (!this.#open && !SPECIAL.test(piece)) return piece;
    const text = this.#held + piece;
    return (
      (this.#isClean && text.length >= LONG ? this.#decodeLong(text) : undefined) ??
      this.#decode(text, false)
    );
  }

  /**
   * Decodes a long text with what engines have built in, if it is valid; keeps an unfinished end.
   */
  #decodeLong(text: string): string | undefined {
    if (!this.#isStrict) return undefined;
    const end = endOfWhole(text);
    const decoded = decodeWhole(text.slice(0, end), this.#plus);
    if (decoded === undefined) this.#isStrict = false;
    else {
      this.#held = text.slice(end);
      this.#open = this.#held !== '';
    }
    return decoded;
  }

  /** Decodes what was held; the decoder is as new then. */
  end(): string {
    this.#isStrict = this.#decoder.encoding === 'utf-8';
    if (!this.#open) return '';
    const rest = this.#decode(this.#held, true);
    this.#open = false;
    this.#isClean = true;
    return rest;
  }

  #decode(text: string, last: boolean): string {
    const output = this.#output;
    const plus = this.#plus;
    const { length } = text;
    output.begin(length);
    let at = 0;
    while (at < length) {
      const byte = text.charCodeAt(at);
      if (byte !== PERCENT) {
        if (this.#high !== 0) this.#closePair();
        output.byte(byte === PLUS ? plus : byte);
        at++;
        continue;
      }
      if (at > length - LONGEST_ESCAPE && !last && mayGoOn(text, at)) break;
      const unit = text.charCodeAt(at + 1) === LOWER_U ? hex(text, at + 2, 4) : -1;
      if (unit >= 0) {
        this.#unit(unit);
        at += LONGEST_ESCAPE;
        continue;
      }
      const value = hex(text, at + 1, 2);
      if (this.#high !== 0) this.#closePair();
      output.byte(value < 0 ? PERCENT : value);
      at += value < 0 ? 1 : 3;
    }
    this.#held = text.slice(at);
    if (last) this.#closePair();
    const decoded = output.end(last);
    this.#isClean = this.#high === 0 && output.endsWhole;
    this.#open = this.#held !== '' || !this.#isClean;
    return decoded;
  }

  #unit(unit: number): void {
    const output = this.#output;
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (this.#high !== 0 && isLow) {
      output.point(0x10000 + ((this.#high - 0xd800) << 10) + (unit - 0xdc00));
      this.#high = 0;
      return;
    }
    this.#closePair();
    if (unit >= 0xd800 && unit <= 0xdbff) this.#high = unit;
    else output.point(isLow ? REPLACEMENT : unit);
  }

  /** A first half that nothing completed. */
  #closePair(): void {
    if (this.#high === 0) return;
    this.#high = 0;
    this.#output.point(REPLACEMENT);
  }
}

/**
 * From so many characters on, {@link decodeWhole} is tried: what it cannot decode costs an
 * exception, as much as a thousand bytes.
 */
const LONG = 1024;
const NO_ASCII = /[\u0080-\u00ff]/;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Decodes a text that is valid, several times as fast as {@link PercentDecoder} does.
 * @returns `undefined` if it is not: bytes that are no ASCII, bad escapes, `%uXXXX`, invalid UTF-8.
 */
function decodeWhole(text: string, plus: number): string | undefined {
  if (NO_ASCII.test(text)) return undefined;
  const decoded = decodePercentStrictly(
    plus === PLUS ? text : text.replaceAll('+', String.fromCharCode(plus)),
  );
  return decoded?.includes(BYTE_ORDER_MARK) ? undefined : decoded;
}

/**
 * Where an escape, or a character of several, begins that the end of a text cuts off; the end if
 * none does.
 */
function endOfWhole(text: string): number {
  const last = text.lastIndexOf('%');
  const end = last > text.length - 3 ? last : text.length;
  for (
    let at = end - 3, count = 1;
    count < LONGEST_POINT && at >= 0 && text.charCodeAt(at) === PERCENT;
    at -= 3
  ) {
    const byte = hex(text, at + 1, 2);
    if (byte < 0x80) break;
    // The first byte of a character tells how many it has.
    const length = [0xc0, 0xe0, 0xf0].filter((least) => byte >= least).length + 1;
    if (byte >= 0xc0) return length > count ? at : end;
    count++;
  }
  return end;
}

/**
 * Percent-decodes a text in UTF-8; `undefined` if it has a bad escape or invalid bytes. `+` is
 * itself.
 */
export function decodePercentStrictly(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Percent-decodes a whole text, for example a path segment.
 * @param text each code unit is one byte.
 */
export function decodePercent(text: string, options?: PercentOptions): string {
  const decoder = new PercentDecoder(options);
  return decoder.push(text) + decoder.end();
}

/** Collects bytes of a charset and characters in their order. */
interface Output {
  /**
   * How often bytes had to be decoded for a character behind them, which costs as much as a hundred
   * bytes.
   */
  readonly switches: number;
  /** Whether the decoder surely holds no part of a character. */
  readonly endsWhole: boolean;
  /** @param length of the input, which the output never exceeds by more than one character. */
  begin(length: number): void;
  byte(byte: number): void;
  /** A character that did not come as bytes of the charset: a code point, no half of a pair. */
  point(point: number): void;
  /** The text; `last` when nothing follows. */
  end(last: boolean): string;
}

/** In UTF-8: characters are written as the bytes that they would have come as. */
class Utf8Output implements Output {
  readonly switches = 0;
  readonly #decoder: CharsetDecoder;
  #bytes = NO_BYTES;
  #length = 0;

  constructor(decoder: CharsetDecoder) {
    this.#decoder = decoder;
  }

  /** Nothing of a character can be held behind an ASCII byte. */
  get endsWhole(): boolean {
    return this.#length > 0 && this.#bytes[this.#length - 1]! < 0x80;
  }

  begin(length: number): void {
    this.#bytes = Buffer.allocUnsafe(length + LONGEST_POINT);
    this.#length = 0;
  }

  byte(byte: number): void {
    this.#bytes[this.#length++] = byte;
  }

  /** Its lead byte ends an unfinished sequence, as decoding those bytes apart would. */
  point(point: number): void {
    const bytes = this.#bytes;
    let length = this.#length;
    if (point < 0x80) bytes[length++] = point;
    else {
      if (point < 0x800) bytes[length++] = 0xc0 | (point >> 6);
      else {
        if (point < 0x10000) bytes[length++] = 0xe0 | (point >> 12);
        else {
          bytes[length++] = 0xf0 | (point >> 18);
          bytes[length++] = 0x80 | ((point >> 12) & 0x3f);
        }
        bytes[length++] = 0x80 | ((point >> 6) & 0x3f);
      }
      bytes[length++] = 0x80 | (point & 0x3f);
    }
    this.#length = length;
  }

  end(last: boolean): string {
    const text = this.#decoder.decode(this.#bytes.subarray(0, this.#length), last);
    // One byte of it is enough for `endsWhole`, and a stalled request need not keep more.
    this.#bytes = this.#bytes.subarray(Math.max(0, this.#length - 1), this.#length);
    this.#length = this.#bytes.length;
    return text;
  }
}

/** In another charset: bytes are decoded as soon as a character follows that is none of theirs. */
class CharsetOutput implements Output {
  switches = 0;
  readonly endsWhole = false;
  readonly #decoder: CharsetDecoder;
  /** Whether an ASCII byte at the start of a character is itself. */
  readonly #ascii: boolean;
  #bytes = NO_BYTES;
  #length = 0;
  /** The decoder may hold a part of a character, so that it must see what follows. */
  #begun = false;

  constructor(decoder: CharsetDecoder, ascii: boolean) {
    this.#decoder = decoder;
    this.#ascii = ascii;
  }

  begin(length: number): void {
    units.clear();
    this.#bytes = Buffer.allocUnsafe(length);
    this.#length = 0;
  }

  byte(byte: number): void {
    if (this.#ascii && byte < 0x80 && this.#length === 0 && !this.#begun) units.add(byte);
    else this.#bytes[this.#length++] = byte;
  }

  point(point: number): void {
    if (this.#length > 0 || this.#begun) {
      this.switches++;
      this.#decode(true);
    }
    units.addPoint(point);
  }

  end(last: boolean): string {
    if (this.#length > 0 || this.#begun) this.#decode(last);
    this.#bytes = NO_BYTES;
    return units.take();
  }

  #decode(last: boolean): void {
    units.addText(this.#decoder.decode(this.#bytes.subarray(0, this.#length), last));
    this.#length = 0;
    this.#begun = !last;
  }
}

/** Parts that are joined within one call. */
const units = new UnitBuffer();
const NO_BYTES = Buffer.alloc(0);

/** Whether the `%` at `at` begins an escape that the text's end cuts off. */
function mayGoOn(text: string, at: number): boolean {
  if (text.length - at === 1) return true;
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
