import { DependencyError } from '../../failure/dependency-error.ts';

export interface TurnBounds {
  /** Maximum number of concurrent turns. */
  readonly atOnce: number;
  /** Maximum number of waiting operations; one caller may have half of them. */
  readonly waiting: number;
  /** Maximum waiting time; ms. */
  readonly timeoutMs: number;
}

interface Waiter {
  readonly begin: () => void;
}

/**
 * Limits the use of connections. When too many operations wait, further ones are rejected at once: to queue them would
 * delay everyone. Callers take turns, however many operations each has waiting.
 */
export class Turns {
  readonly #bounds: TurnBounds;
  /** Waiting operations by caller, in the order of the callers' turns. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #busy = 0;
  #count = 0;
  /** Number of operations that wait for the same connections elsewhere. */
  elsewhere = 0;

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds;
  }

  /** Number of waiting operations, here and elsewhere. */
  get waiting(): number {
    return this.#count + this.elsewhere;
  }

  /** Number of turns that begin at once. */
  get free(): number {
    return this.#bounds.atOnce - this.#busy;
  }

  /** Maximum waiting time; ms. */
  get timeoutMs(): number {
    return this.#bounds.timeoutMs;
  }

  /**
   * @param own number of waiting operations of the same caller.
   * @throws {DependencyError} `busy` when no more may wait.
   */
  assertRoom(own: number): void {
    const { waiting } = this.#bounds;
    if (this.waiting < waiting && own < Math.ceil(waiting / 2)) return;
    throw new DependencyError('database', 'busy', 'Too many calls wait for a connection to PostgreSQL.');
  }

  /**
   * Runs work when its turn comes.
   * @param admitted whether it has already waited elsewhere; then a full queue does not reject it.
   * @throws {DependencyError} `busy` when too many wait, or the turn does not come in time; the error of `work`.
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

  /** Passes the turn to the next operation. */
  #pass(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#busy--;
      return;
    }
    const [caller, own] = next;
    const [waiter] = own;
    this.#remove(caller, own, waiter!);
    // Back to the end of the queue.
    if (this.#waiting.delete(caller)) this.#waiting.set(caller, own);
    waiter!.begin();
  }
}
