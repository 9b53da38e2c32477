import { createHash, type Hash } from 'node:crypto';
import { Base64Error } from '../base64.ts';
import { LOST_PLUS } from '../percent.ts';

/** What the two kinds of blanks in a text of base64 are: `+`, or nothing. */
export interface Reading {
  /** A `+` of the form, which reads it as a blank. */
  readonly raw: '+' | '';
  /** A blank that was written as one, `%20`. */
  readonly blank: '+' | '';
}

/** A client that does not encode `+` writes one where one is meant; a `%20` is seldom one. */
const UNENCODED: readonly Reading[] = [
  { raw: '+', blank: '' },
  { raw: '+', blank: '+' },
  { raw: '', blank: '' },
  { raw: '', blank: '+' },
];

/** A client that encodes `+` writes a blank as `+`. */
const ENCODED: readonly Reading[] = [...UNENCODED.slice(2), ...UNENCODED.slice(0, 2)];

/**
 * The hash by which contents are compared. Processors have instructions for it, which shows with
 * large files.
 */
const DIGEST = 'sha256';

/**
 * Tells of base64 out of a form what its blanks are (semantics 5.5): blanks, which base64 may have
 * anywhere, or `+` that was not percent-encoded. Only the length of the whole says which. What
 * comes before the first of them is sure; from there on the text must wait until the end.
 */
export class LostPlus {
  readonly #wait: (text: string) => void;
  /** Characters of base64 so far, padding included. */
  #digits = 0;
  #padding = 0;
  #raw = 0;
  #blanks = 0;
  /** `%20` behind the last character: inside when another one follows. */
  #pending = 0;
  #sawPlus = false;
  /** Whether such a blank stands behind the padding. */
  #rawBehind = false;
  #blankBehind = false;
  /**
   * Whether every `+` of the form stands between two groups of four, as where lines were joined.
   */
  #betweenGroups = true;
  /** Of what the text is in each reading, as far as readings differ: one while nothing waits. */
  #hashes: readonly { readonly reading: Reading; readonly hash: Hash }[] = [
    { reading: { raw: '', blank: '' }, hash: createHash(DIGEST) },
  ];

  /** @param wait takes the text that is not sure, in order. */
  constructor(wait: (text: string) => void) {
    this.#wait = wait;
  }

  /** Whether anything waits. */
  get waits(): boolean {
    return this.#raw + this.#blanks > 0;
  }

  /** Takes a piece of the text; returns what of it is sure. @throws {Base64Error} */
  take(piece: string): string {
    const text = this.#withoutOuterBlanks(piece.replace(/[\t\n\r\f]+/g, ''));
    const [hadRaw, hadBlanks] = [this.#raw > 0, this.#blanks > 0];
    const sure = this.waits ? '' : text.slice(0, lengthOfSure(text));
    const unsure = text.slice(sure.length);
    this.#check(text);
    this.#count(text);
    // A piece at a time, as bytes: to replace each character of a text costs a hundred times as
    // much.
    if (sure !== '') this.#hashes[0]!.hash.update(canonical(sure));
    if (unsure === '') return sure;
    if (!hadRaw && this.#raw > 0) this.#tellApart('raw');
    if (!hadBlanks && this.#blanks > 0) this.#tellApart('blank');
    const bytes = canonical(unsure);
    for (const { reading, hash } of this.#hashes) hash.update(readAs(bytes, reading));
    this.#wait(unsure);
    return sure;
  }

  /** The first blank of a kind is met: from here on each reading is two. */
  #tellApart(kind: keyof Reading): void {
    this.#hashes = this.#hashes.flatMap(({ reading, hash }) => [
      { reading, hash },
      { reading: { ...reading, [kind]: '+' }, hash: hash.copy() },
    ]);
  }

  /**
   * The text is complete.
   * @returns how its blanks are to be read, how many bytes it stands for, and what tells its
   *   content from another.
   * @throws {Base64Error} when it ends in the middle of a group however it is read.
   */
  end(): { readonly reading: Reading; readonly bytes: number; readonly digest: string } {
    const order = this.#sawPlus || (this.#raw > 0 && this.#betweenGroups) ? ENCODED : UNENCODED;
    const readable = order.filter((one) => this.#canBe(one));
    const reading = readable.find((one) => this.#lengthAs(one) % 4 === 0) ?? readable[0];
    if (reading === undefined)
      throw new Base64Error('It ends in the middle of a base64 group.', this.#digits);
    const raw = this.#raw > 0 ? reading.raw : '';
    const blank = this.#blanks > 0 ? reading.blank : '';
    const { hash } = this.#hashes.find(
      ({ reading: one }) => one.raw === raw && one.blank === blank,
    )!;
    const bytes = Math.floor(((this.#lengthAs(reading) - this.#padding) * 6) / 8);
    return { reading, bytes, digest: hash.digest('base64') };
  }

  /** Whether there is no `+` behind the padding then, and no digit alone. */
  #canBe(reading: Reading): boolean {
    if ((reading.raw === '+' && this.#rawBehind) || (reading.blank === '+' && this.#blankBehind))
      return false;
    return (this.#lengthAs(reading) - this.#padding) % 4 !== 1;
  }

  #lengthAs({ raw, blank }: Reading): number {
    return this.#digits + raw.length * this.#raw + blank.length * this.#blanks;
  }

  /** Blanks before the text are left out; those behind it may prove to be inside. */
  #withoutOuterBlanks(piece: string): string {
    let [begin, end] = [0, piece.length];
    while (end > 0 && piece.charCodeAt(end - 1) === BLANK) end--;
    const behind = piece.length - end;
    if (this.#digits + this.#raw === 0) {
      while (begin < end && piece.charCodeAt(begin) === BLANK) begin++;
      if (begin === end) return '';
    }
    if (begin === end) {
      this.#pending += behind;
      return '';
    }
    const text = ' '.repeat(this.#pending) + piece.slice(begin, end);
    this.#pending = behind;
    return text;
  }

  #count(text: string): void {
    // Most pieces of a file are digits throughout, which is found out many times as fast as they
    // are counted.
    if (
      this.#padding === 0 &&
      !text.includes(' ') &&
      !text.includes(LOST_PLUS) &&
      !text.includes('=')
    ) {
      this.#sawPlus ||= text.includes('+');
      this.#digits += text.length;
      return;
    }
    let [digits, raw, blanks, padding] = [this.#digits, this.#raw, this.#blanks, this.#padding];
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === BLANK) {
        if (padding > 0) this.#blankBehind = true;
        blanks++;
      } else if (unit === RAW_PLUS) {
        if (padding > 0) this.#rawBehind = true;
        if (digits % 4 !== 0) this.#betweenGroups = false;
        raw++;
      } else {
        if (unit === PADDING) padding++;
        else if (padding > 0)
          throw new Base64Error('Something follows the base64 padding.', digits);
        else if (unit === PLUS) this.#sawPlus = true;
        digits++;
      }
    }
    [this.#digits, this.#raw, this.#blanks, this.#padding] = [digits, raw, blanks, padding];
  }

  #check(text: string): void {
    const at = text.search(FOREIGN);
    if (at < 0) return;
    const shown = JSON.stringify(String.fromCodePoint(text.codePointAt(at)!));
    throw new Base64Error(`The character ${shown} does not belong to base64.`, this.#digits + at);
  }
}

const BLANK = 0x20;
const PLUS = 0x2b;
const MINUS = 0x2d;
const SLASH = 0x2f;
const UNDERSCORE = 0x5f;
const PADDING = 0x3d;
const RAW_PLUS = LOST_PLUS.charCodeAt(0);
const FOREIGN = new RegExp(`[^A-Za-z0-9+/_= ${LOST_PLUS}-]`);
const UNSURE = new RegExp(`[ ${LOST_PLUS}]`);

function lengthOfSure(text: string): number {
  const at = text.search(UNSURE);
  return at < 0 ? text.length : at;
}

/** A text of Latin-1 as one of its readings has it. */
export function readAs(text: Uint8Array, { raw, blank }: Reading): Buffer {
  const read = Buffer.allocUnsafe(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text[at]!;
    if (unit !== RAW_PLUS && unit !== BLANK) read[length++] = unit;
    else if ((unit === BLANK ? blank : raw) !== '') read[length++] = PLUS;
  }
  return read.subarray(0, length);
}

/** The same for both alphabets and with or without padding. */
function canonical(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (!text.includes('=') && !text.includes('-') && !text.includes('_')) return bytes;
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const unit = bytes[at]!;
    if (unit === PADDING) continue;
    const rest = unit === UNDERSCORE ? SLASH : unit;
    bytes[length++] = unit === MINUS ? PLUS : rest;
  }
  return bytes.subarray(0, length);
}
