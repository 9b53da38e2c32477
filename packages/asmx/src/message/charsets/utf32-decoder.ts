import { UnitBuffer } from '../unit-buffer.ts';
import { JudgingDecoder } from './decoder.ts';

/** Parts that are joined within one call. */
const units = new UnitBuffer();

/**
 * UTF-32, four bytes a character (Unicode 3.10, D90); what is no character is replaced by U+FFFD.
 */
export class Utf32Decoder extends JudgingDecoder {
  readonly encoding: 'utf-32le' | 'utf-32be';
  #held: Uint8Array = new Uint8Array(0);

  constructor(strict: boolean, encoding: 'utf-32le' | 'utf-32be') {
    super(strict);
    this.encoding = encoding;
  }

  decode(bytes: Uint8Array, last: boolean): string {
    const joined = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const view = new DataView(joined.buffer, joined.byteOffset, joined.length);
    const whole = joined.length - (joined.length % 4);
    units.clear();
    for (let at = 0; at < whole; at += 4) {
      const point = view.getUint32(at, this.encoding === 'utf-32le');
      if (point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)) units.addPoint(point);
      else if (this.refuse()) return units.take();
      else units.add(0xfffd);
    }
    const text = units.take();
    this.#held = last ? new Uint8Array(0) : Uint8Array.from(joined.subarray(whole));
    return last && whole < joined.length && !this.refuse() ? `${text}\ufffd` : text;
  }
}
