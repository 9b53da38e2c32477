import { setTimeout as pause } from 'node:timers/promises';
import { Ws01Error } from '../../contract/errors.ts';
import type { Store } from '../../store/store.ts';
import { AddressBudgets } from '../budgets/address-budgets.ts';
import { shareBudgets } from '../budgets/sharing.ts';
import type { Clock } from '../context.ts';
import { periodically } from '../shared/periodic.ts';
import type { Rate } from '../values/rate.ts';

/** Failing attempts that a network has before it is slowed down (semantics 3). */
const FAILURES: Rate = { limit: 20, window: 60_000 };

/** What the attempt after those waits, and what each further one waits at most, twice the one before; ms. */
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;

/** Calls that wait at the same time, of one network and of all; further ones are refused immediately. */
export const WAITING = { ofNetwork: 20, ofAll: 1_000 };

/** What the table of budgets knows the failures by. */
const NAME = `failedCredentials ${FAILURES.window}`;

export interface GuessThrottleOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** How often the nodes tell each other of failures; ms. `undefined` where there is one node. */
  readonly shareEvery: number | undefined;
  /** Waits so many ms. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/**
 * Slows down guessing: all nodes together count the failures of each network, and after twenty a minute they delay its
 * calls more and more. No network is locked out, because a whole site may share one.
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

  /** Whether what a network sends is to wait. */
  slows(network: string): boolean {
    return this.#counts.used(NAME, network, this.#deps.clock()) > FAILURES.limit;
  }

  /**
   * Counts a credential that is not usable. Resolves when it is to be answered as any such.
   * @throws {Ws01Error} `RateLimited`, after a while, when there are too many of that network.
   */
  async fail(network: string): Promise<void> {
    const now = this.#deps.clock();
    const { used, resetsAt } = this.#counts.count(NAME, network, FAILURES, now);
    if (used <= FAILURES.limit) return;
    await this.delay(network);
    throw rateLimited(Math.ceil((resetsAt - now) / 1000));
  }

  /**
   * Has a call wait, the longer the more failures there were.
   * @throws {Ws01Error} `RateLimited` at once, when too many wait.
   */
  async delay(network: string): Promise<void> {
    const waiting = this.#waiting.get(network) ?? 0;
    if (waiting >= WAITING.ofNetwork || this.#allWaiting >= WAITING.ofAll) throw rateLimited(LONGEST_DELAY_MS / 1000);
    const beyond = this.#counts.used(NAME, network, this.#deps.clock()) - FAILURES.limit;
    this.#waiting.set(network, waiting + 1);
    this.#allWaiting++;
    try {
      await (this.#deps.wait ?? pause)(Math.min(FIRST_DELAY_MS * 2 ** (beyond - 1), LONGEST_DELAY_MS));
    } finally {
      this.#allWaiting--;
      const left = this.#waiting.get(network)! - 1;
      if (left > 0) this.#waiting.set(network, left);
      else this.#waiting.delete(network);
    }
  }

  /** Stops telling the other nodes. What they were not told is a second's worth. */
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
