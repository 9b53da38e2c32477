import type { Instant } from '../../store/tables/tables.ts';
import { recentlyUsed } from '../../turns/memory.ts';
import type { Rate } from '../values/rate.ts';

/** Largest number of domains, and of mails, that are remembered. */
const REMEMBERED = 100_000;

/** Rate-limits mails to a domain, evenly spaced, on this node: receivers defer or block senders of bursts. */
export class DomainPace {
  /** Shortest interval between two mails to one domain; ms. */
  readonly #interval: number;
  readonly #nextFree = recentlyUsed<Instant>(REMEMBERED);
  /** The reserved instants of postponed mails, by mail id. */
  readonly #reserved = recentlyUsed<Instant>(REMEMBERED);

  /** @param rates largest rates for one domain; empty for no limit. */
  constructor(rates: readonly Rate[]) {
    this.#interval = Math.max(0, ...rates.map(({ limit, window }) => Math.ceil(window / limit)));
  }

  /** Reserves the next free instant of a domain. @returns when the mail may be sent; `now` or earlier means at once. */
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
