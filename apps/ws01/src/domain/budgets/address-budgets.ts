import type { Instant } from '../../store/tables/tables.ts';
import { recentlyUsed } from '../../turns/memory.ts';
import { networkOf } from '../values/internet-address.ts';
import type { Rate } from '../values/rate.ts';
import { type BudgetName, rateLimited, windowName } from './rates.ts';

/**
 * Largest number of windows, about 10 MB; beyond it the least recently used addresses are dropped.
 */
const WINDOWS_KEPT = 50_000;

/** The uses of one network in the window of one rate. */
export interface AddressWindow {
  readonly name: string;
  /** The network. */
  readonly key: string;
  /** Uses by this node and, as far as known, by the others. */
  used: number;
  resetsAt: Instant;
  /** Uses minus refunds that are not shared with the other nodes yet. */
  unshared: number;
}

/** What a call spends of a budget. */
export interface Spent {
  readonly name: BudgetName;
  readonly rates: readonly Rate[];
  readonly uses: number;
}

/** What a call has spent, which can be refunded. */
export interface Charge {
  /** Refunds it, because the call was refused, failed or was a repeat. Idempotent. */
  refund(): void;
}

/**
 * The budgets of addresses. They are counted in memory, since operations without a credential are
 * called often, and a restart loses the counts of only a minute. IPv6 addresses count by /64, the
 * network of one customer.
 */
export class AddressBudgets {
  /** Windows with unshared uses; `undefined` when there is no other node. */
  readonly #unshared: Set<AddressWindow> | undefined;
  readonly #windows = recentlyUsed<AddressWindow>(
    WINDOWS_KEPT,
    undefined,
    // A window that is dropped or replaced is not shared, so that a name and key has only one
    // shared window.
    (window) => this.#unshared?.delete(window),
  );

  /** When the last window ends. */
  #lastEnd: Instant = 0;

  /** @param shared whether uses are shared with other nodes, through {@link takeUnshared}. */
  constructor(shared: boolean) {
    this.#unshared = shared ? new Set() : undefined;
  }

  /**
   * Spends uses of each rate of several budgets.
   * @param address canonical.
   * @throws {Ws01Error} `RateLimited` when one of the rates is used up; then nothing is spent.
   */
  charge(spent: readonly Spent[], address: string, now: Instant): Charge {
    const key = networkOf(address);
    const charged = spent.flatMap(({ name, rates, uses }) =>
      rates.map((rate) => {
        const window = this.#window(windowName(name, rate), key, rate, now);
        if (window.used >= rate.limit) throw rateLimited(name, rate, window.resetsAt, now);
        return { window, uses };
      }),
    );
    for (const { window, uses } of charged) this.#add(window, uses);
    let refunded = false;
    return {
      refund: () => {
        if (refunded) return;
        refunded = true;
        for (const { window, uses } of charged) this.#add(window, -uses);
      },
    };
  }

  /**
   * Counts a use without a limit and without a refund.
   * @param key the address or network.
   * @returns the present window, including this use.
   */
  count(
    name: string,
    key: string,
    rate: Rate,
    now: Instant,
  ): Pick<AddressWindow, 'used' | 'resetsAt'> {
    const window = this.#window(name, key, rate, now);
    this.#add(window, 1);
    return window;
  }

  /** Whether any window has not ended yet. */
  isCounting(now: Instant): boolean {
    return now < this.#lastEnd;
  }

  /** The number of uses in the present window. */
  used(name: string, key: string, now: Instant): number {
    const window = this.#windows.get(idOf({ name, key }));
    return window === undefined || window.resetsAt <= now ? 0 : window.used;
  }

  /** Returns the windows with unshared uses, and marks the uses as shared. */
  takeUnshared(): readonly { readonly window: AddressWindow; readonly uses: number }[] {
    const taken = [...(this.#unshared ?? [])].map((window) => ({ window, uses: window.unshared }));
    for (const { window } of taken) window.unshared = 0;
    this.#unshared?.clear();
    return taken.filter(({ uses }) => uses !== 0);
  }

  /** Sets the uses of all nodes in a window; unshared uses are added to them. */
  learn(window: AddressWindow, used: number, resetsAt: Instant): void {
    window.used = used + window.unshared;
    window.resetsAt = resetsAt;
    this.#lastEnd = Math.max(this.#lastEnd, resetsAt);
  }

  /** Marks uses as unshared again, because sharing them failed. */
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
      this.#lastEnd = Math.max(this.#lastEnd, window.resetsAt);
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

/** The unique id of a window. */
export function idOf({ name, key }: { readonly name: string; readonly key: string }): string {
  return `${name} ${key}`;
}
