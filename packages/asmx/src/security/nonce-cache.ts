import { randomBytes } from 'node:crypto';

/** A nonce that a call with the right password was sent with. */
export interface UsedNonce {
  /**
   * Which nonce of which password: 44 characters, from which nobody without the store's secret
   * learns either.
   */
  readonly key: string;
  /** Whose it is: the same 44 characters for every nonce of one password. */
  readonly owner: string;
  /** When it is used; ms since 1970. */
  readonly now: number;
  /** Until when it must be remembered; ms since 1970. */
  readonly until: number;
}

/**
 * What became of a nonce: `new`, it is remembered from now on and the call is let in; `used`, it
 * was remembered already and the call is refused; `full`, it cannot be remembered and the call is
 * answered Busy.
 */
export type NonceAnswer = 'new' | 'used' | 'full';

/**
 * Remembers used nonces. Processes that serve one address share one, so that each nonce is accepted
 * once by all of them.
 */
export interface NonceStore {
  /**
   * What the keys are made with: the same 16 bytes or more for all that share the nonces, and a
   * secret. Without it, short passwords could be guessed from the keys.
   */
  readonly secret: Uint8Array;
  /**
   * Looks for a nonce and remembers it, in one step: of two calls at the same time, one gets `new`.
   * The store itself forgets it, at any time after `until`. If this throws, the call is answered
   * Internal and not let in.
   */
  use(nonce: UsedNonce): NonceAnswer | Promise<NonceAnswer>;
}

/** The nonces of one process. */
export class NonceCache implements NonceStore {
  readonly secret = randomBytes(32);
  readonly #most: number;
  /** In the order in which they were used, which is that of their ends. */
  readonly #used = new Map<string, Pick<UsedNonce, 'owner' | 'until'>>();
  readonly #byOwner = new Map<string, number>();

  /** @param most how many are kept at once; of one password at most half of them. */
  constructor(most: number) {
    this.#most = most;
  }

  use({ key, owner, now, until }: UsedNonce): NonceAnswer {
    this.#forget(now);
    if (this.#used.has(key)) return 'used';
    const kept = this.#byOwner.get(owner) ?? 0;
    if (this.#used.size >= this.#most || kept >= Math.ceil(this.#most / 2)) return 'full';
    this.#used.set(key, { owner, until });
    this.#byOwner.set(owner, kept + 1);
    return 'new';
  }

  #forget(now: number): void {
    for (const [key, { owner, until }] of this.#used) {
      if (until >= now) break;
      this.#used.delete(key);
      const left = this.#byOwner.get(owner)! - 1;
      if (left === 0) this.#byOwner.delete(owner);
      else this.#byOwner.set(owner, left);
    }
  }
}
