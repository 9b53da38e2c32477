/** Placeholders in a request; digits of the same width take their place, so that its length stays. */
export const SERIAL = '__serial____';
/** Goes round from 0 to {@link ITEMS} - 1: one of the records that were there from the start. */
export const ITEM = '_item_';
/** How often all items have had their turn, up to 999: a value that is new for an item. */
export const TURN = '_t_';

/** A prime, so that every request of a mix comes to all of them. */
export const ITEMS = 211;

const NUMBERS: Readonly<Record<string, (serial: number) => number>> = {
  [SERIAL]: (serial) => serial,
  [ITEM]: (serial) => serial % ITEMS,
  [TURN]: (serial) => Math.floor(serial / ITEMS) % 1_000,
};

interface Target {
  readonly offset: number;
  readonly width: number;
  readonly number: (serial: number) => number;
}

const DIGIT_ZERO = 0x30;

/**
 * A request's bytes, written over for every sending. Each connection has its own: the last one's
 * may still be on their way.
 */
export class OutgoingRequest {
  /** Where the body begins that is sent when it is asked for (`Expect: 100-continue`); 0 where all is sent at once. */
  readonly expectedFrom: number;
  readonly #bytes: Buffer;
  readonly #places: readonly Target[];

  constructor(text: string) {
    this.#bytes = Buffer.from(text);
    const headEnd = this.#bytes.indexOf('\r\n\r\n') + 4;
    this.expectedFrom = /\r\nexpect: 100-continue\r\n/i.test(
      this.#bytes.toString('latin1', 0, headEnd),
    )
      ? headEnd
      : 0;
    this.#places = Object.entries(NUMBERS).flatMap(([placeholder, number]) =>
      offsetsOf(this.#bytes, placeholder).map((offset) => ({
        offset,
        width: placeholder.length,
        number,
      })),
    );
  }

  /** @returns the bytes with the numbers in their places. */
  fill(serial: number): Buffer {
    for (const { offset, width, number } of this.#places) {
      let rest = number(serial);
      for (let at = offset + width - 1; at >= offset; at--) {
        this.#bytes[at] = DIGIT_ZERO + (rest % 10);
        rest = Math.floor(rest / 10);
      }
    }
    return this.#bytes;
  }
}

/** A text with the numbers in their places. */
export function fillIn(text: string, serial: number): string {
  return new OutgoingRequest(text).fill(serial).toString();
}

function offsetsOf(bytes: Buffer, text: string): number[] {
  const offsets: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length))
    offsets.push(at);
  return offsets;
}
