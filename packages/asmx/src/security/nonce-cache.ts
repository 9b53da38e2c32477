import { createHash } from 'node:crypto';
import { ServiceError } from '../engine/errors.ts';

/** What is kept of a nonce. */
interface Used {
  readonly user: string;
  /** When it is forgotten, ms. */
  readonly end: number;
}

/**
 * Remembers used nonces until they expire. A nonce is its user's: nobody can use up that of another. Hashes are kept, so that
 * the length of nonces and names costs no memory.
 */
export class NonceCache {
  readonly #most: number;
  /** In the order in which they were used, which is that of their ends. */
  readonly #used = new Map<string, Used>();
  readonly #byUser = new Map<string, number>();

  /** @param most how many are kept at once; of one user at most half of them. */
  constructor(most: number) {
    this.#most = most;
  }

  /** How many are kept. */
  get size(): number {
    return this.#used.size;
  }

  /** @throws {ServiceError} Unauthorized for one that was used before; Busy when too many are kept. */
  use(name: string, nonce: Uint8Array, now: number, until: number): void {
    this.#forget(now);
    const user = createHash('sha256').update(name, 'utf8').digest('base64');
    const key = createHash('sha256').update(user).update(nonce).digest('base64');
    if (this.#used.has(key))
      throw new ServiceError('Unauthorized', 'The call is not authorized: its nonce was used before.');
    const own = this.#byUser.get(user) ?? 0;
    if (this.#used.size >= this.#most || own >= Math.ceil(this.#most / 2))
      throw new ServiceError('Busy', 'Too many calls were made in the last minutes; try again later.');
    this.#used.set(key, { user, end: until });
    this.#byUser.set(user, own + 1);
  }

  #forget(now: number): void {
    for (const [key, { user, end }] of this.#used) {
      if (end >= now) break;
      this.#used.delete(key);
      const left = this.#byUser.get(user)! - 1;
      if (left === 0) this.#byUser.delete(user);
      else this.#byUser.set(user, left);
    }
  }
}
