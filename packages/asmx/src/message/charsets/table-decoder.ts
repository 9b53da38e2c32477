import { UnitBuffer } from '../unit-buffer.ts';
import type { CharsetDecoder } from './decoder.ts';

/** Parts that are joined within one call. */
const units = new UnitBuffer();

/** A charset in which every byte is a character. */
export class TableDecoder implements CharsetDecoder {
  readonly encoding: string;
  readonly invalid = false;
  readonly replaced = false;
  readonly bytewise = false;
  /** By byte. */
  readonly #units: Uint16Array;

  /** @param chars those of the bytes from `from` on; below that ASCII. */
  constructor(encoding: string, from: number, chars: string) {
    this.encoding = encoding;
    this.#units = Uint16Array.from({ length: 256 }, (_, byte) => (byte < from ? byte : chars.charCodeAt(byte - from)));
  }

  decode(bytes: Uint8Array): string {
    units.clear();
    for (let at = 0; at < bytes.length; at++) units.add(this.#units[bytes[at]!]!);
    return units.take();
  }
}
