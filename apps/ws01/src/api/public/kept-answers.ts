import { LRUCache } from 'lru-cache';
import type { PublicAnswer } from './publish.ts';

/** How long a long answer is given again; ms. Browsers and CDNs keep each for a minute. */
const KEPT_MS = 1_000;

/** Shorter answers cost little, and are made each time. */
const LEAST_BYTES = 64 * 1024;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * The long public answers of the last moment, so that many requests for one have it made once.
 */
export class KeptAnswers {
  readonly #kept = new LRUCache<string, PublicAnswer>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ body }) => body.length,
    ttl: KEPT_MS,
  });
  readonly #underWay = new Map<string, Promise<PublicAnswer>>();

  /** @param key what the answer depends on. */
  answer(key: string, make: () => Promise<PublicAnswer>): PublicAnswer | Promise<PublicAnswer> {
    return this.#kept.get(key) ?? this.#underWay.get(key) ?? this.#make(key, make);
  }

  async #make(key: string, make: () => Promise<PublicAnswer>): Promise<PublicAnswer> {
    const making = make();
    this.#underWay.set(key, making);
    try {
      const answer = await making;
      if (answer.body.length >= LEAST_BYTES) this.#kept.set(key, answer);
      return answer;
    } finally {
      this.#underWay.delete(key);
    }
  }
}
