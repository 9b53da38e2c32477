import { isAscii } from 'node:buffer';
import type { CharsetDecoder } from './decoder.ts';

/**
 * How many bytes behind the first that is not ASCII decide; independent of the pieces in which they
 * come.
 */
const WINDOW_BYTES = 64 * 1024;

/** Makes a decoder of a charset. */
export type MakeDecoder = (strict: boolean) => CharsetDecoder;

/**
 * Bytes of a charset that nobody names for certain: ASCII as it is; from the first other byte on
 * the first candidate in which all that follows, as far as it is looked at, is text.
 */
export class GuessingDecoder implements CharsetDecoder {
  readonly invalid = false;
  bytewise = true;
  readonly #candidates: readonly MakeDecoder[];
  readonly #otherwise: MakeDecoder;
  #decoder: CharsetDecoder | undefined;
  /** What came since a byte that is not ASCII, and how much of it decides. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #deciding = 0;

  /**
   * @param candidates supersets of ASCII without shifts.
   * @param otherwise the one that replaces what it cannot read.
   */
  constructor(candidates: readonly MakeDecoder[], otherwise: MakeDecoder) {
    this.#candidates = candidates;
    this.#otherwise = otherwise;
  }

  get encoding(): string {
    return this.#decoder?.encoding ?? 'us-ascii';
  }

  get replaced(): boolean {
    return this.#decoder?.replaced ?? false;
  }

  decode(bytes: Uint8Array, last: boolean): string {
    if (this.#decoder !== undefined) {
      const text = this.#decoder.decode(bytes, last);
      this.bytewise = this.#decoder.bytewise;
      return text;
    }
    this.bytewise = this.#heldBytes === 0 && isAscii(bytes);
    if (this.bytewise)
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    if (this.#heldBytes === 0)
      this.#deciding = bytes.findIndex((byte) => byte > 0x7f) + WINDOW_BYTES;
    this.#held.push(Uint8Array.from(bytes));
    this.#heldBytes += bytes.length;
    if (!last && this.#heldBytes < this.#deciding) return '';
    const held = Buffer.concat(this.#held);
    this.#held = [];
    this.#decoder = this.#choose(
      held.subarray(0, this.#deciding),
      last && held.length <= this.#deciding,
    );
    return this.#decoder.decode(held, last);
  }

  #choose(bytes: Uint8Array, whole: boolean): CharsetDecoder {
    for (const make of this.#candidates) {
      const strict = make(true);
      strict.decode(bytes, whole);
      if (!strict.invalid) return make(false);
    }
    return this.#otherwise(false);
  }
}
