import { LRUCache } from 'lru-cache';
import type { Instant } from '../../store/tables/tables.ts';
import { networkOf } from '../values/internet-address.ts';
import type { Rate } from '../values/rate.ts';
import { type BudgetName, rateLimited, windowName } from './rates.ts';

/** Largest number of windows, about 10 MB; beyond it the least recently used addresses are dropped. */
const WINDOWS_KEPT = 50_000;

/** What one network has used up of one rate. */
export interface AddressWindow {
  readonly name: string;
  /** Whose it is: a network. */
  readonly key: string;
  /** By this node and, as far as it has heard, by the others. */
  used: number;
  resetsAt: Instant;
  /** Uses, less refunds, that the other nodes have not been told of. */
  unshared: number;
}

/** One use of a budget, which can be given back. */
export interface Charge {
  /** Gives the use back: the call was refused, failed or was a repeat. Harmless when repeated. */
  refund(): void;
}

/**
 * The budgets of addresses, counted in memory: operations without a credential are called often, and a restart loses
 * only a minute's counts. IPv6 addresses count by /64, the network of one customer.
 */
export class AddressBudgets {
  /** Windows with something unshared; only kept where there is somebody to share with. */
  readonly #unshared: Set<AddressWindow> | undefined;
  readonly #windows = new LRUCache<string, AddressWindow>({
    // By size, so that it grows with its content: `max` would take the memory and the time for all of them at start.
    maxSize: WINDOWS_KEPT,
    sizeCalculation: () => 1,
    // Forgotten or followed by the next: two windows of one name and key are never shared at once.
    dispose: (window) => this.#unshared?.delete(window),
  });

  /** @param shared whether what is used is told to others, by {@link takeUnshared}. */
  constructor(shared: boolean) {
    this.#unshared = shared ? new Set() : undefined;
  }

  /**
   * Uses up one of each rate.
   * @param address canonical.
   * @throws {Ws01Error} `RateLimited` when one of the rates is used up; nothing is used up then.
   */
  charge(name: BudgetName, rates: readonly Rate[], address: string, now: Instant): Charge {
    const key = networkOf(address);
    const windows = rates.map((rate) => {
      const window = this.#window(windowName(name, rate), key, rate, now);
      if (window.used >= rate.limit) throw rateLimited(name, rate, window.resetsAt, now);
      return window;
    });
    for (const window of windows) this.#add(window, 1);
    let refunded = false;
    return {
      refund: () => {
        if (refunded) return;
        refunded = true;
        for (const window of windows) this.#add(window, -1);
      },
    };
  }

  /**
   * Counts a use that nothing refuses, and that is not given back.
   * @param key the address or network that is counted.
   * @returns the present window, with it.
   */
  count(name: string, key: string, rate: Rate, now: Instant): Pick<AddressWindow, 'used' | 'resetsAt'> {
    const window = this.#window(name, key, rate, now);
    this.#add(window, 1);
    return window;
  }

  /** How much is used up in the present window. */
  used(name: string, key: string, now: Instant): number {
    const window = this.#windows.get(idOf({ name, key }));
    return window === undefined || window.resetsAt <= now ? 0 : window.used;
  }

  /** The windows with unshared uses, which count as shared from now on. */
  takeUnshared(): readonly { readonly window: AddressWindow; readonly uses: number }[] {
    const taken = [...(this.#unshared ?? [])].map((window) => ({ window, uses: window.unshared }));
    for (const { window } of taken) window.unshared = 0;
    this.#unshared?.clear();
    return taken.filter(({ uses }) => uses !== 0);
  }

  /** Takes over what all nodes together have used up in a window; what is not shared yet comes on top. */
  learn(window: AddressWindow, used: number, resetsAt: Instant): void {
    window.used = used + window.unshared;
    window.resetsAt = resetsAt;
  }

  /** Makes uses unshared again that could not be told. */
  returnUnshared(window: AddressWindow, uses: number): void {
    if (this.#windows.peek(idOf(window)) !== window) return;
    window.unshared += uses;
    this.#unshared?.add(window);
  }

  #window(name: string, key: string, rate: Rate, now: Instant): AddressWindow {
    const id = idOf({ name, key });
    let window = this.#windows.get(id);
    if (window === undefined || window.resetsAt <= now) {
      window = { name, key, used: 0, resetsAt: now + rate.window, unshared: 0 };
      this.#windows.set(id, window);
    }
    return window;
  }

  #add(window: AddressWindow, uses: number): void {
    window.used += uses;
    if (this.#unshared !== undefined) {
      window.unshared += uses;
      this.#unshared.add(window);
    }
  }
}

/** Tells windows apart. */
export function idOf({ name, key }: { readonly name: string; readonly key: string }): string {
  return `${name} ${key}`;
}
