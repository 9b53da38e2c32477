/** The load factor at which the table grows. */
const MAX_LOAD_FACTOR = 0.7;

/** A set of evenly distributed 64-bit numbers, such as digests: 12 to 24 bytes each. */
export class KeySet {
  #slots = new BigUint64Array(1024);
  #size = 0;

  /**
   * Adds a number.
   * @returns whether it is new.
   */
  add(digest: bigint): boolean {
    const value = digest === 0n ? 1n : digest;
    if (this.#size >= this.#slots.length * MAX_LOAD_FACTOR) this.#grow();
    const at = find(this.#slots, value);
    if (this.#slots[at] === value) return false;
    this.#slots[at] = value;
    this.#size++;
    return true;
  }

  has(digest: bigint): boolean {
    const value = digest === 0n ? 1n : digest;
    return this.#slots[find(this.#slots, value)] === value;
  }

  #grow(): void {
    const grown = new BigUint64Array(this.#slots.length * 2);
    for (const value of this.#slots) if (value !== 0n) grown[find(grown, value)] = value;
    this.#slots = grown;
  }
}

/** Returns the slot of a number, or the free one for it. */
function find(slots: BigUint64Array, value: bigint): number {
  const mask = slots.length - 1;
  let at = Number(value & BigInt(mask));
  while (slots[at] !== 0n && slots[at] !== value) at = (at + 1) & mask;
  return at;
}
