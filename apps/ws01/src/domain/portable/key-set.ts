import { createHash } from 'node:crypto';

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

/** Returns a 64-bit digest of a key; in ten million keys, two rarely collide. */
export function digestOf(key: string): bigint {
  return createHash('sha256').update(key).digest().readBigUInt64LE();
}

/** Finds keys that differ from an earlier one only in letter case. */
export class CaseTwins {
  readonly #exact = new KeySet();
  readonly #folded = new KeySet();

  /**
   * Adds a key.
   * @returns whether it differs so from an earlier one.
   */
  add(key: string): boolean {
    if (!this.#exact.add(digestOf(key))) return false;
    return !this.#folded.add(digestOf(key.toLowerCase()));
  }

  has(key: string): boolean {
    return this.#exact.has(digestOf(key));
  }
}
