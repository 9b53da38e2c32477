import { createHmac, randomBytes } from 'node:crypto';
import { ServiceError } from '../engine/errors.ts';

/** What is kept of a nonce. */
interface Used {
  readonly owner: string;
  /** When it is forgotten, ms. */
  readonly end: number;
}

/**
 * Remembers used nonces until they expire. A nonce belongs to a password, so that users with other passwords cannot use it
 * up. It does not belong to a name: no digest covers the name, and a service may take another spelling for the same user.
 * Hashes are kept, so that the length of nonces costs no memory.
 */
export class NonceCache {
  readonly #most: number;
  /** Without it, the hashes of short passwords could be guessed in a copy of the memory. */
  readonly #secret = randomBytes(32);
  /** In the order in which they were used, which is that of their ends. */
  readonly #used = new Map<string, Used>();
  readonly #byOwner = new Map<string, number>();

  /** @param most how many are kept at once; of one password at most half of them. */
  constructor(most: number) {
    this.#most = most;
  }

  /** How many are kept. */
  get size(): number {
    return this.#used.size;
  }

  /** @throws {ServiceError} Unauthorized for one that was used before; Busy when too many are kept. */
  use(password: string, nonce: Uint8Array, now: number, until: number): void {
    this.#forget(now);
    const owner = this.#hash(password);
    const key = this.#hash(owner, nonce);
    if (this.#used.has(key))
      throw new ServiceError('Unauthorized', 'The call is not authorized: its nonce was used before.');
    const kept = this.#byOwner.get(owner) ?? 0;
    if (this.#used.size >= this.#most || kept >= Math.ceil(this.#most / 2))
      throw new ServiceError('Busy', 'Too many calls were made in the last minutes; try again later.');
    this.#used.set(key, { owner, end: until });
    this.#byOwner.set(owner, kept + 1);
  }

  #hash(...parts: readonly (string | Uint8Array)[]): string {
    const hash = createHmac('sha256', this.#secret);
    for (const part of parts) hash.update(part);
    return hash.digest('base64');
  }

  #forget(now: number): void {
    for (const [key, { owner, end }] of this.#used) {
      if (end >= now) break;
      this.#used.delete(key);
      const left = this.#byOwner.get(owner)! - 1;
      if (left === 0) this.#byOwner.delete(owner);
      else this.#byOwner.set(owner, left);
    }
  }
}
