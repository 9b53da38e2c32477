const FIRST_UNITS = 1024;

/**
 * Puts a text together from UTF-16 code units. A string for each of them, joined afterwards, takes
 * ten times as long. Made to be used again and again, each time within one call, from {@link clear}
 * to {@link take}.
 */
export class UnitBuffer {
  #units = new Uint16Array(FIRST_UNITS);
  #length = 0;
  /** All bits of the units. */
  #bits = 0;

  /** A text begins. What an earlier call has left, since it failed, is not part of it. */
  clear(): void {
    this.#length = 0;
    this.#bits = 0;
  }

  add(unit: number): void {
    if (this.#length === this.#units.length) this.#grow(1);
    this.#units[this.#length++] = unit;
    this.#bits |= unit;
  }

  /** @param point a code point. */
  addPoint(point: number): void {
    if (point < 0x10000) {
      this.add(point);
      return;
    }
    this.add(0xd800 + ((point - 0x10000) >> 10));
    this.add(0xdc00 + (point & 0x3ff));
  }

  /** Adds the code units of a text from `from` to before `to`. */
  addText(text: string, from = 0, to = text.length): void {
    if (this.#length + to - from > this.#units.length) this.#grow(to - from);
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at);
      this.#units[this.#length++] = unit;
      this.#bits |= unit;
    }
  }

  /** The text; the buffer is as new then. */
  take(): string {
    const length = this.#length;
    const narrow = this.#bits < 0x100;
    this.clear();
    if (length === 0) return '';
    // A view of the buffer would take ten times as long.
    if (length === 1) return String.fromCharCode(this.#units[0]!);
    if (!narrow) return Buffer.from(this.#units.buffer, 0, 2 * length).toString('utf16le');
    // As one byte a unit it takes half the memory.
    return Buffer.from(this.#units.subarray(0, length)).toString('latin1');
  }

  #grow(more: number): void {
    const grown = new Uint16Array(Math.max(2 * this.#units.length, this.#length + more));
    grown.set(this.#units);
    this.#units = grown;
  }
}
