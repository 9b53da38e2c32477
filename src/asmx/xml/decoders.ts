import { isAscii, isUtf8 } from 'node:buffer';
import { findForbiddenUnit, nameOfChar } from './chars.ts';
import { Refusal } from './errors.ts';

/**
 * Bytes of one encoding to text, incrementally and without loss at chunk borders. What comes out holds only
 * characters that XML 1.0 allows: at the first other one, or at the first bytes that are none (when `strict`;
 * else they are U+FFFD), the text ends and `fault` says why.
 */
export abstract class Decoder {
  /** Lower-case name of the encoding. */
  abstract readonly encoding: string;
  /** Why the text ended early. Nothing may be decoded after it. */
  fault: Refusal | undefined = undefined;
  protected readonly strict: boolean;

  constructor(strict: boolean) {
    this.strict = strict;
  }

  /** The text of the next bytes; with `last`, of what was held back too. The bytes are not kept. */
  abstract decode(bytes: Uint8Array, last: boolean): string;

  /** Cuts off a text before its first forbidden character. */
  protected allowed(text: string): string {
    const at = findForbiddenUnit(text);
    return at < 0 ? text : this.cut(text, at);
  }

  protected cut(text: string, at: number): string {
    const name = nameOfChar(text.charCodeAt(at));
    this.fault = new Refusal('malformed', `The character ${name} is not allowed in an XML document.`);
    return text.slice(0, at);
  }

  protected undecodable(): void {
    this.fault ??= new Refusal('encoding', `Here the document is not valid in its encoding, ${this.encoding}.`);
  }
}

export class Utf8Decoder extends Decoder {
  readonly encoding = 'utf-8';
  #held: Uint8Array = NO_BYTES;

  decode(bytes: Uint8Array, last: boolean): string {
    const joined = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const complete = last ? joined.length : completeUtf8Length(joined);
    this.#held = complete === joined.length ? NO_BYTES : joined.slice(complete);
    const buffer = asBuffer(joined, complete);
    const control = findControlByte(buffer);
    if (control < 0) return this.#text(buffer);
    const before = this.#text(buffer.subarray(0, control));
    return this.fault === undefined ? this.cut(before + String.fromCharCode(buffer[control]!), before.length) : before;
  }

  #text(bytes: Buffer): string {
    if (isAscii(bytes)) return bytes.toString('latin1');
    let valid = bytes;
    if (this.strict && !isUtf8(bytes)) {
      valid = bytes.subarray(0, validUtf8Length(bytes));
      this.undecodable();
    }
    return this.#withoutNonCharacters(valid.toString('utf8'));
  }

  #withoutNonCharacters(text: string): string {
    const first = text.indexOf('\ufffe');
    const shorter = first < 0 ? text : this.cut(text, first);
    const second = shorter.indexOf('\uffff');
    return second < 0 ? shorter : this.cut(shorter, second);
  }
}

export class Utf16Decoder extends Decoder {
  readonly encoding: string;
  readonly #bigEndian: boolean;
  #held: Uint8Array = NO_BYTES;

  constructor(strict: boolean, bigEndian: boolean) {
    super(strict);
    this.#bigEndian = bigEndian;
    this.encoding = bigEndian ? 'utf-16be' : 'utf-16le';
  }

  decode(bytes: Uint8Array, last: boolean): string {
    const units = Buffer.concat([this.#held, bytes]);
    let complete = units.length & ~1;
    const odd = complete !== units.length;
    if (!last && complete > 0 && isHighSurrogate(units[complete - (this.#bigEndian ? 2 : 1)]!)) complete -= 2;
    this.#held = last ? NO_BYTES : units.subarray(complete);
    const whole = units.subarray(0, complete);
    const text = (this.#bigEndian ? whole.swap16() : whole).toString('utf16le');
    const read = this.allowed(text.isWellFormed() ? text : this.#withoutLoneSurrogates(text));
    if (!last || !odd) return read;
    if (this.strict) this.undecodable();
    return this.strict ? read : `${read}\ufffd`;
  }

  #withoutLoneSurrogates(text: string): string {
    const replaced = text.toWellFormed();
    if (!this.strict) return replaced;
    this.undecodable();
    let at = 0;
    while (text.charCodeAt(at) === replaced.charCodeAt(at)) at++;
    return text.slice(0, at);
  }
}

/** ISO-8859-1 as IANA registers it (not as browsers read it), and US-ASCII. */
export class SingleByteDecoder extends Decoder {
  readonly encoding: 'iso-8859-1' | 'us-ascii';

  constructor(strict: boolean, encoding: 'iso-8859-1' | 'us-ascii') {
    super(strict);
    this.encoding = encoding;
  }

  decode(bytes: Uint8Array): string {
    const buffer = asBuffer(bytes, bytes.length);
    const text = buffer.toString('latin1');
    if (this.encoding === 'iso-8859-1' || isAscii(buffer)) return this.allowed(text);
    const at = text.search(/[\u0080-\u00ff]/);
    if (!this.strict) return this.allowed(text.replace(/[\u0080-\u00ff]/g, '\ufffd'));
    this.undecodable();
    return this.allowed(text.slice(0, at));
  }
}

/** Whatever else `TextDecoder` knows. */
export class LegacyDecoder extends Decoder {
  readonly encoding: string;
  readonly #exact: TextDecoder;
  /** Fed the same bytes: shows where the exact one stopped, because that one does not say. */
  readonly #replacing: TextDecoder;

  /** @param encoding a label that `TextDecoder` takes. */
  constructor(strict: boolean, encoding: string) {
    super(strict);
    this.#exact = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    this.#replacing = new TextDecoder(encoding, { ignoreBOM: true });
    this.encoding = this.#replacing.encoding;
  }

  decode(bytes: Uint8Array, last: boolean): string {
    const text = this.#replacing.decode(bytes, { stream: !last });
    if (!this.strict) return this.allowed(text);
    try {
      return this.allowed(this.#exact.decode(bytes, { stream: !last }));
    } catch {
      this.undecodable();
      return this.allowed(text.slice(0, Math.max(0, text.indexOf('\ufffd'))));
    }
  }
}

const NO_BYTES: Uint8Array = new Uint8Array(0);

function asBuffer(bytes: Uint8Array, length: number): Buffer {
  if (Buffer.isBuffer(bytes)) return length === bytes.length ? bytes : bytes.subarray(0, length);
  return Buffer.from(bytes.buffer, bytes.byteOffset, length);
}

function isHighSurrogate(highByte: number): boolean {
  return (highByte & 0xfc) === 0xd8;
}

/** The length of the bytes without a sequence at their end that more bytes could complete. */
function completeUtf8Length(bytes: Uint8Array): number {
  const length = bytes.length;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back]!;
    if ((byte & 0xc0) !== 0x80) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
      return needed > back ? length - back : length;
    }
  }
  return length;
}

/** How many bytes of invalid UTF-8 are valid; by halves, each look native. */
function validUtf8Length(bytes: Buffer): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    const cut = valid + completeUtf8Length(bytes.subarray(valid, middle));
    if (cut > valid && isUtf8(bytes.subarray(valid, cut))) valid = cut;
    else if (cut === valid) break;
    else invalid = middle;
  }
  while (valid < invalid) {
    let size = 1;
    while (size <= 4 && !isUtf8(bytes.subarray(valid, valid + size))) size++;
    if (size > 4 || valid + size > bytes.length) return valid;
    valid += size;
  }
  return valid;
}

/** The index of the first byte that is a forbidden control character in every ASCII-compatible encoding, or -1. */
function findControlByte(bytes: Uint8Array): number {
  const aligned = Math.min(bytes.length, -bytes.byteOffset & 3);
  const count = (bytes.length - aligned) >> 2;
  const head = findControlIn(bytes, 0, aligned);
  if (head >= 0 || count === 0) return head >= 0 ? head : findControlIn(bytes, aligned, bytes.length);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + aligned, count);
  for (let w = 0; w < count; w++) {
    const word = words[w]!;
    // Non-zero when one of the four bytes is under 0x20: the subtraction borrows into that byte's top bit.
    if (((word - 0x20202020) & ~word & 0x80808080) === 0) continue;
    const found = findControlIn(bytes, aligned + w * 4, aligned + w * 4 + 4);
    if (found >= 0) return found;
  }
  return findControlIn(bytes, aligned + count * 4, bytes.length);
}

function findControlIn(bytes: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    const byte = bytes[i]!;
    if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return i;
  }
  return -1;
}
