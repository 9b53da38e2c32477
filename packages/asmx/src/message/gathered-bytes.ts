/** So many pieces are kept as they came: what each takes besides its bytes, 100 to 400 bytes, is not counted anywhere. */
const MOST = 256;

/**
 * The bytes of a message that is to be used in one piece, as they come. Who sends them one by one would take a hundred
 * times their memory, so many pieces are put together.
 */
export class GatheredBytes {
  #all: Buffer[] = [];

  add(piece: Buffer): void {
    this.#all.push(piece);
    if (this.#all.length >= MOST) this.joined();
  }

  /** Returns them in one piece. */
  joined(): Buffer {
    if (this.#all.length !== 1) this.#all = [Buffer.concat(this.#all)];
    return this.#all[0]!;
  }

  clear(): void {
    this.#all = [];
  }
}
