import { FairQueue } from '../../adapters/images/fair-queue.ts';

interface Waiter {
  readonly weight: number;
  readonly enter: () => void;
}

/**
 * A semaphore with weights: runs work concurrently up to a total weight. Other work waits in a queue that is fair
 * between owners.
 */
export class Gate {
  #free: number;
  readonly #waiting = new FairQueue<Waiter>();
  /** Whose turn it is, as soon as there is place. */
  #next: Waiter | undefined;

  /** @param weight how much may run at the same time. */
  constructor(weight: number) {
    this.#free = weight;
  }

  /**
   * Runs a work as soon as there is place, and returns or throws what it does.
   * @param weight not more than the gate's.
   * @param client for whom; the address that asks.
   */
  async run<T>(weight: number, client: string, work: () => Promise<T>): Promise<T> {
    if (this.#next === undefined && weight <= this.#free) this.#free -= weight;
    else {
      await new Promise<void>((enter) => {
        this.#waiting.push(client, { weight, enter });
        this.#next ??= this.#waiting.shift();
      });
    }
    try {
      return await work();
    } finally {
      this.#free += weight;
      this.#admit();
    }
  }

  #admit(): void {
    for (let next = this.#next; next !== undefined && next.weight <= this.#free; next = this.#next) {
      this.#next = this.#waiting.shift();
      this.#free -= next.weight;
      next.enter();
    }
  }
}
