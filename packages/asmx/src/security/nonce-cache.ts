import { ServiceError } from '../engine/errors.ts';

/** Remembers used nonces until they expire. */
export class NonceCache {
  readonly #most: number;
  /** When each is forgotten, ms; in the order in which they were used, which is that of their ends. */
  readonly #used = new Map<string, number>();

  /** @param most how many are kept at once. */
  constructor(most: number) {
    this.#most = most;
  }

  /** How many are kept. */
  get size(): number {
    return this.#used.size;
  }

  /** @throws {ServiceError} Unauthorized for one that was used before; Busy when too many are kept. */
  use(nonce: string, now: number, until: number): void {
    for (const [old, end] of this.#used) {
      if (end > now) break;
      this.#used.delete(old);
    }
    if (this.#used.has(nonce))
      throw new ServiceError('Unauthorized', 'The call is not authorized: its nonce was used before.');
    if (this.#used.size >= this.#most)
      throw new ServiceError('Busy', 'Too many calls were made in the last minutes; try again later.');
    this.#used.set(nonce, until);
  }
}
