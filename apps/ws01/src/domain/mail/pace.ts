import { LRUCache } from 'lru-cache';
import type { Instant } from '../../store/tables/tables.ts';
import type { Rate } from '../values/rate.ts';

/** Domains and mails that are remembered at most. */
const REMEMBERED = 100_000;

/** By size, so that a cache grows with its content: `max` would take the memory and the time for all of it at start. */
const BOUND = { maxSize: REMEMBERED, sizeCalculation: () => 1 };

/** Rate-limits mails to a domain, evenly spaced, on this node: receivers defer or block senders of bursts. */
export class DomainPace {
  /** Between two mails to one domain; ms. */
  readonly #interval: number;
  readonly #nextFree = new LRUCache<string, Instant>(BOUND);
  /** When a mail may go that was put off. */
  readonly #reserved = new LRUCache<string, Instant>(BOUND);

  /** @param rates none for no bounds. */
  constructor(rates: readonly Rate[]) {
    this.#interval = Math.max(0, ...rates.map(({ limit, window }) => Math.ceil(window / limit)));
  }

  /** @returns when the mail may go; `now` or earlier when at once. */
  slotFor(id: string, domain: string, now: Instant): Instant {
    if (this.#interval === 0) return now;
    const reserved = this.#reserved.get(id);
    if (reserved !== undefined) {
      if (reserved <= now) this.#reserved.delete(id);
      return reserved;
    }
    const slot = Math.max(now, this.#nextFree.get(domain) ?? 0);
    this.#nextFree.set(domain, slot + this.#interval);
    if (slot > now) this.#reserved.set(id, slot);
    return slot;
  }
}
