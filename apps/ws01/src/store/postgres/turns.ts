import { DependencyError } from '../../failure/dependency-error.ts';

export interface TurnBounds {
  /** How many have a turn at once. */
  readonly atOnce: number;
  /** How many wait at most; one caller alone has half of the places. */
  readonly waiting: number;
  /** How long one waits at most; ms. */
  readonly timeoutMs: number;
}

interface Waiter {
  readonly begin: () => void;
}

/**
 * Gives out connections in turn. Who comes when too many wait is refused immediately: to keep it would make everybody wait
 * longer, and nobody faster. Callers take turns, however much each of them has waiting.
 */
export class Turns {
  readonly #bounds: TurnBounds;
  /** What each caller has waiting, in the order of the callers' turns. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #busy = 0;
  #count = 0;
  /** How many wait elsewhere for the same connections. */
  elsewhere = 0;

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds;
  }

  /** How many wait, here and elsewhere. */
  get waiting(): number {
    return this.#count + this.elsewhere;
  }

  /** How long one waits at most; ms. */
  get timeoutMs(): number {
    return this.#bounds.timeoutMs;
  }

  /**
   * @param own of those who wait, how many are the same caller's.
   * @throws {DependencyError} `busy` when nobody else may wait.
   */
  assertRoom(own: number): void {
    const { waiting } = this.#bounds;
    if (this.waiting < waiting && own < Math.ceil(waiting / 2)) return;
    throw new DependencyError('database', 'busy', 'Too many calls wait for a connection to PostgreSQL.');
  }

  /**
   * Does work when its turn comes.
   * @param admitted whether it has waited elsewhere: then it is not refused for those who wait.
   * @throws {DependencyError} `busy` when too many wait, or the turn does not come in time; and what `work` throws.
   */
  async take<T>(caller: string, work: () => Promise<T>, admitted = false): Promise<T> {
    if (this.#busy < this.#bounds.atOnce) this.#busy++;
    else await this.#wait(caller, admitted);
    try {
      return await work();
    } finally {
      this.#pass();
    }
  }

  #wait(caller: string, admitted: boolean): Promise<void> {
    const { timeoutMs } = this.#bounds;
    const own = this.#waiting.get(caller) ?? new Set<Waiter>();
    if (!admitted) this.assertRoom(own.size);
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.#remove(caller, own, waiter);
        reject(new DependencyError('database', 'busy', `No connection to PostgreSQL was free within ${timeoutMs} ms.`));
      };
      const timer = setTimeout(giveUp, timeoutMs);
      const waiter = {
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      own.add(waiter);
      this.#waiting.set(caller, own);
      this.#count++;
    });
  }

  #remove(caller: string, own: Set<Waiter>, waiter: Waiter): void {
    own.delete(waiter);
    this.#count--;
    if (own.size === 0) this.#waiting.delete(caller);
  }

  /** Hands the turn that has ended to the next one. */
  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#busy--;
      return;
    }
    const [caller, own] = next;
    const [waiter] = own;
    this.#remove(caller, own, waiter!);
    // To the end of the row.
    if (this.#waiting.delete(caller)) this.#waiting.set(caller, own);
    waiter!.begin();
  }
}
