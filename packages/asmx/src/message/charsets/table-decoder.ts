import { UnitBuffer } from '../unit-buffer.ts';
import type { CharsetDecoder } from './decoder.ts';

/** What is put together within one call. */
const units = new UnitBuffer();

/** A charset in which every byte is a character. */
export class TableDecoder implements CharsetDecoder {
  readonly encoding: string;
  readonly invalid = false;
  readonly replaced = false;
  readonly bytewise = false;
  readonly #chars: string;

  /** @param chars those of the bytes from `from` on; below that ASCII. */
  constructor(encoding: string, from: number, chars: string) {
    this.encoding = encoding;
    this.#chars = Array.from({ length: from }, (_, byte) => String.fromCharCode(byte)).join('') + chars;
  }

  decode(bytes: Uint8Array): string {
    units.clear();
    for (const byte of bytes) units.add(this.#chars.charCodeAt(byte));
    return units.take();
  }
}
