import { isAscii, isUtf8 } from 'node:buffer';
import { words } from '../contract/words.ts';
import { type CharsetDecoder, JudgingDecoder } from './charsets/decoder.ts';
import { KOREAN_NAMES, KoreanDecoder } from './charsets/korean-decoder.ts';
import { TableDecoder } from './charsets/table-decoder.ts';
import { TABLES } from './charsets/tables.ts';
import { Utf32Decoder } from './charsets/utf32-decoder.ts';

export type { CharsetDecoder } from './charsets/decoder.ts';

/**
 * The decoder of a charset, by any of its names: UTF-8, UTF-16, UTF-32, ISO-8859-1 and US-ASCII as
 * IANA registers them, whatever else `TextDecoder` knows, and some that .NET knows besides.
 * Undefined for an unknown one, and for UTF-7, which nobody should read.
 */
export function charsetDecoder(name: string, strict: boolean): CharsetDecoder | undefined {
  const label = name.trim().toLowerCase();
  if (label === 'utf-8') return new Utf8Decoder(strict);
  const single = SINGLE_BYTE.get(label);
  if (single !== undefined) return new SingleByteDecoder(strict, single);
  if (KOREAN_NAMES.has(label)) return new KoreanDecoder(strict);
  const table = TABLES.get(label);
  if (table !== undefined) return new TableDecoder(strict, table);
  if (label === 'utf-32' || label === 'utf-32le') return new Utf32Decoder(strict, 'utf-32le');
  if (label === 'utf-32be') return new Utf32Decoder(strict, 'utf-32be');
  const encoding = encodingOf(label);
  if (encoding === undefined) return undefined;
  if (encoding === 'utf-8') return new Utf8Decoder(strict);
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return new Utf16Decoder(strict, encoding);
  return new LegacyDecoder(strict, encoding);
}

/** The order of UTF-16 that a text's first bytes say. */
export function utf16MarkOf([first, second]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** Whether a charset is named as UTF-8, in one of the two usual ways. */
export function isUtf8Name(name: string): boolean {
  return name === 'utf-8' || name === 'UTF-8';
}

/** Whether a charset is known, and of the old kind: what is ASCII in it is what it says. */
export function isLegacyCharset(name: string): boolean {
  const decoder = charsetDecoder(name, true);
  if (decoder === undefined || /^(?:utf-|iso-2022)/.test(decoder.encoding)) return false;
  const ascii = Uint8Array.from({ length: 95 }, (_, at) => at + 0x20);
  return decoder.decode(ascii, true) === Buffer.from(ascii).toString('latin1');
}

/** Names of the two encodings that `TextDecoder`, as browsers do, takes for windows-1252. */
const SINGLE_BYTE: ReadonlyMap<string, 'iso-8859-1' | 'us-ascii'> = new Map([
  ...words('iso-8859-1 iso8859-1 iso_8859-1 iso_8859-1:1987 iso-ir-100 latin1 l1 cp819 ibm819').map(
    (name) => [name, 'iso-8859-1'] as const,
  ),
  ...words('us-ascii ascii ansi_x3.4-1968 iso-ir-6 iso646-us cp367 ibm367 csascii').map(
    (name) => [name, 'us-ascii'] as const,
  ),
]);

/** What .NET calls parts of what `TextDecoder` knows. */
const SUPERSETS: ReadonlyMap<string, string> = new Map([
  ['euc-cn', 'gbk'],
  ['x-euc-cn', 'gbk'],
  ['x-cp20936', 'gbk'],
]);

function encodingOf(label: string): string | undefined {
  try {
    return new TextDecoder(SUPERSETS.get(label) ?? label).encoding;
  } catch {
    return undefined;
  }
}

export class Utf8Decoder extends JudgingDecoder {
  readonly encoding = 'utf-8';
  override readonly bytewise = true;
  readonly #questionMarks: boolean;
  #held: Uint8Array = NO_BYTES;

  /**
   * @param questionMarks whether each byte that is not UTF-8 becomes `?`, as in .NET's ASCII,
   *   instead of U+FFFD.
   */
  constructor(strict: boolean, questionMarks = false) {
    super(strict);
    this.#questionMarks = questionMarks;
  }

  decode(bytes: Uint8Array, last: boolean): string {
    const joined = this.#held.length === 0 ? asBuffer(bytes) : Buffer.concat([this.#held, bytes]);
    if (joined.length === 0) return '';
    if (isAscii(joined)) {
      this.#held = NO_BYTES;
      return joined.toString('latin1');
    }
    const end = last ? joined.length : joined.length - incompleteUtf8Length(joined);
    this.#held = end === joined.length ? NO_BYTES : Buffer.from(joined.subarray(end));
    const whole = joined.subarray(0, end);
    if (isUtf8(whole)) return whole.toString('utf8');
    if (this.refuse()) return whole.toString('utf8', 0, validUtf8Length(whole));
    return this.#questionMarks ? withQuestionMarks(whole) : whole.toString('utf8');
  }
}

/** Invalid UTF-8 with `?` for each byte that belongs to no character. */
function withQuestionMarks(bytes: Buffer): string {
  const read = Buffer.from(bytes);
  for (let at = 0; at < read.length; ) {
    const length = validLengthAt(bytes, at);
    if (length === 0) read[at] = QUESTION;
    at += Math.max(1, length);
  }
  return read.toString('utf8');
}

export class Utf16Decoder extends JudgingDecoder {
  readonly encoding: 'utf-16le' | 'utf-16be';
  #held: Uint8Array = NO_BYTES;

  constructor(strict: boolean, encoding: 'utf-16le' | 'utf-16be') {
    super(strict);
    this.encoding = encoding;
  }

  decode(bytes: Uint8Array, last: boolean): string {
    const bigEndian = this.encoding === 'utf-16be';
    const joined = this.#held.length === 0 ? asBuffer(bytes) : Buffer.concat([this.#held, bytes]);
    let end = joined.length & ~1;
    const odd = end !== joined.length;
    if (!last && end > 0 && isHighSurrogateByte(joined[end - (bigEndian ? 2 : 1)]!)) end -= 2;
    this.#held = last || end === joined.length ? NO_BYTES : Buffer.from(joined.subarray(end));
    const whole = joined.subarray(0, end);
    const text = (bigEndian ? Buffer.from(whole).swap16() : whole).toString('utf16le');
    const wellFormed = text.isWellFormed() ? text : this.#withoutLoneSurrogates(text);
    // Half a pair and the half unit after it are one mistake.
    const endsInHalf = (text.charCodeAt(text.length - 1) & 0xfc00) === 0xd800;
    if (!last || !odd || endsInHalf) return wellFormed;
    return this.refuse() ? wellFormed : `${wellFormed}\ufffd`;
  }

  #withoutLoneSurrogates(text: string): string {
    const replaced = text.toWellFormed();
    if (!this.refuse()) return replaced;
    let at = 0;
    while (text.charCodeAt(at) === replaced.charCodeAt(at)) at++;
    return text.slice(0, at);
  }
}

class SingleByteDecoder extends JudgingDecoder {
  readonly encoding: 'iso-8859-1' | 'us-ascii';
  override readonly bytewise = true;

  constructor(strict: boolean, encoding: 'iso-8859-1' | 'us-ascii') {
    super(strict);
    this.encoding = encoding;
  }

  decode(bytes: Uint8Array): string {
    const text = asBuffer(bytes).toString('latin1');
    if (this.encoding === 'iso-8859-1' || isAscii(bytes)) return text;
    // As .NET's ASCII does.
    if (!this.refuse()) return asciiOrQuestions(bytes);
    return text.slice(0, text.search(/[\u0080-\u00ff]/));
  }
}

class LegacyDecoder extends JudgingDecoder {
  readonly encoding: string;
  readonly #replacing: TextDecoder;
  /**
   * Strict only. Says that bytes are invalid, but not which: the other one, fed the same, shows
   * where.
   */
  readonly #exact: TextDecoder | undefined;
  #held: Uint8Array = NO_BYTES;

  constructor(strict: boolean, encoding: string) {
    super(strict);
    this.encoding = encoding;
    this.#replacing = new TextDecoder(encoding, { ignoreBOM: true });
    this.#exact = strict ? new TextDecoder(encoding, { fatal: true, ignoreBOM: true }) : undefined;
  }

  decode(bytes: Uint8Array, last: boolean): string {
    const joined = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    if (!last && joined.length < FEWEST_BYTES) {
      this.#held = Buffer.from(joined);
      return '';
    }
    this.#held = NO_BYTES;
    const text = decodeOr('\ufffd', this.#replacing, joined, last);
    if (this.#exact === undefined) {
      if (text.includes('\ufffd')) this.replaced = true;
      return text;
    }
    if (decodeOr(undefined, this.#exact, joined, last) !== undefined) return text;
    this.invalid = true;
    return text.slice(0, Math.max(0, text.indexOf('\ufffd')));
  }
}

/**
 * Node's `TextDecoder` throws, even when it is to replace, if a few bytes complete an invalid
 * sequence begun before that becomes more characters than there are bytes. So it is given no fewer
 * than this, but at the end.
 */
const FEWEST_BYTES = 16;

function decodeOr<T>(
  otherwise: T,
  decoder: TextDecoder,
  bytes: Uint8Array,
  last: boolean,
): string | T {
  try {
    return decoder.decode(bytes, { stream: !last });
  } catch {
    return otherwise;
  }
}

const NO_BYTES: Uint8Array = new Uint8Array(0);

/** The same bytes with the methods of a Buffer. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function isHighSurrogateByte(highByte: number): boolean {
  return (highByte & 0xfc) === 0xd8;
}

/** The length of a sequence at the end that more bytes could complete. */
function incompleteUtf8Length(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back]!;
    if (!isContinuation(byte)) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/**
 * The length of a sequence by its first byte; 2 for a byte that cannot be first, and so makes it
 * invalid.
 */
function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0x80 ? 2 : 1;
}

/** How many bytes of invalid UTF-8 come before the first invalid one. */
function validUtf8Length(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = validLengthAt(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return at;
}

/** The length of the character at `at`, bytes; 0 when there is none (RFC 3629 section 4). */
function validLengthAt(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = sequenceLength(lead);
  if (at + length > bytes.length) return 0;
  const second = bytes[at + 1]!;
  if (!isContinuation(second)) return 0;
  // Overlong forms, surrogates, and what is beyond U+10FFFF.
  if (lead === 0xe0 && second < 0xa0) return 0;
  if (lead === 0xed && second > 0x9f) return 0;
  if (lead === 0xf0 && second < 0x90) return 0;
  if (lead === 0xf4 && second > 0x8f) return 0;
  for (let behind = 2; behind < length; behind++)
    if (!isContinuation(bytes[at + behind]!)) return 0;
  return length;
}

const QUESTION = 0x3f;

function asciiOrQuestions(bytes: Uint8Array): string {
  const read = Buffer.from(bytes);
  for (let at = 0; at < read.length; at++) if (read[at]! > 0x7f) read[at] = QUESTION;
  return read.toString('latin1');
}
