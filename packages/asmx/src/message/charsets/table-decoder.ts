import { UnitBuffer } from '../unit-buffer.ts';
import { JudgingDecoder } from './decoder.ts';

/** Parts that are joined within one call. */
const units = new UnitBuffer();

/** A charset of one byte a character. */
export interface CharTable {
  readonly encoding: string;
  /** The first byte that is not ASCII's. */
  readonly from: number;
  /** The characters of the bytes from there on; U+FFFD for a byte that is none. */
  readonly chars: string;
}

/** Reads a charset of one byte a character. */
export class TableDecoder extends JudgingDecoder {
  readonly encoding: string;
  /** By byte. */
  readonly #units: Uint16Array;

  constructor(strict: boolean, { encoding, from, chars }: CharTable) {
    super(strict);
    this.encoding = encoding;
    this.#units = Uint16Array.from({ length: 256 }, (_, byte) =>
      byte < from ? byte : chars.charCodeAt(byte - from),
    );
  }

  decode(bytes: Uint8Array): string {
    units.clear();
    for (let at = 0; at < bytes.length; at++) {
      const unit = this.#units[bytes[at]!]!;
      if (unit === 0xfffd && this.refuse()) break;
      units.add(unit);
    }
    return units.take();
  }
}
