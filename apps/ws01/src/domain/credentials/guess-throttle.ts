import { setTimeout as pause } from 'node:timers/promises';
import { Ws01Error } from '../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { AddressBudgets } from '../budgets/address-budgets.ts';
import { shareBudgets } from '../budgets/sharing.ts';
import type { Clock } from '../context.ts';
import { periodically } from '../shared/periodic.ts';
import type { Rate } from '../values/rate.ts';

/** Failed attempts of a network before it is delayed (semantics 3). */
const FAILURES: Rate = { limit: 20, window: 60_000 };

/** The first delay and the longest; each is twice the previous one; ms. */
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;

/** Maximum number of waiting calls: for one name of a network, per network, and in total. */
export const WAITING = { ofName: 20, ofNetwork: 200, ofAll: 1_000 };

/** The name of the failures in the table of budgets. */
const NAME = `failedCredentials ${FAILURES.window}`;

export interface GuessThrottleOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Interval at which nodes exchange failures; ms. `undefined` with a single node. */
  readonly shareEvery: number | undefined;
  /** Waits for a number of ms. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/**
 * Slows down guessing: all nodes together count the failures of each network, and after twenty a
 * minute they delay its calls more and more. No network is locked out, because a whole site may
 * share one.
 */
export class GuessThrottle {
  readonly #deps: GuessThrottleOptions;
  readonly #counts: AddressBudgets;
  readonly #sharing: ReturnType<typeof periodically> | undefined;
  readonly #waiting = new Map<string, number>();
  #allWaiting = 0;

  constructor(deps: GuessThrottleOptions) {
    this.#deps = deps;
    const { shareEvery } = deps;
    this.#counts = new AddressBudgets(shareEvery !== undefined);
    if (shareEvery !== undefined) this.#sharing = periodically(shareEvery, () => this.#share());
  }

  /** Whether any network has failed within the last minute; if none has, none is delayed. */
  isCounting(now: Instant): boolean {
    return this.#counts.isCounting(now);
  }

  /** Whether calls of a network are delayed. */
  slows(network: string): boolean {
    return this.#counts.used(NAME, network, this.#deps.clock()) > FAILURES.limit;
  }

  /**
   * Counts an invalid credential. Resolves if the call gets the usual answer.
   * @throws {Ws01Error} `RateLimited`, after a delay, when its network has too many.
   */
  async fail(network: string): Promise<void> {
    const now = this.#deps.clock();
    const { used, resetsAt } = this.#counts.count(NAME, network, FAILURES, now);
    if (used <= FAILURES.limit) return;
    await this.delay(network);
    throw rateLimited(Math.ceil((resetsAt - now) / 1000));
  }

  /**
   * Delays a call; the more failures, the longer.
   * @param name whose credential is tried, where the call says so: who guesses one name takes no
   *   place of another.
   * @throws {Ws01Error} `RateLimited` at once when too many calls wait.
   */
  async delay(network: string, name = ''): Promise<void> {
    const places = [network, `${network} ${name}`];
    const isFull =
      this.#allWaiting >= WAITING.ofAll ||
      this.#waitingAt(places[0]!) >= WAITING.ofNetwork ||
      this.#waitingAt(places[1]!) >= WAITING.ofName;
    if (isFull) throw rateLimited(LONGEST_DELAY_MS / 1000);
    const beyond = this.#counts.used(NAME, network, this.#deps.clock()) - FAILURES.limit;
    for (const place of places) this.#waiting.set(place, this.#waitingAt(place) + 1);
    this.#allWaiting++;
    try {
      await (this.#deps.wait ?? pause)(
        Math.min(FIRST_DELAY_MS * 2 ** (beyond - 1), LONGEST_DELAY_MS),
      );
    } finally {
      this.#allWaiting--;
      for (const place of places) {
        const left = this.#waitingAt(place) - 1;
        if (left > 0) this.#waiting.set(place, left);
        else this.#waiting.delete(place);
      }
    }
  }

  #waitingAt(place: string): number {
    return this.#waiting.get(place) ?? 0;
  }

  /** Stops the exchange with other nodes. At most one second of failures is not shared. */
  async close(): Promise<void> {
    await this.#sharing?.stop();
  }

  #share(): Promise<void> {
    return shareBudgets(this.#deps.store, this.#counts, this.#deps.clock());
  }
}

function rateLimited(retryAfter: number): Ws01Error {
  return new Ws01Error(
    'RateLimited',
    'Too many unusable credentials came from this network; wait, and send a valid one.',
    { retryAfter },
  );
}
