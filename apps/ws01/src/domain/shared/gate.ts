interface Waiter {
  readonly weight: number;
  readonly enter: () => void;
}

/** Lets works run at the same time up to a weight together; the others wait, and come in their order. */
export class Gate {
  #free: number;
  readonly #waiting: Waiter[] = [];

  /** @param weight how much may run at the same time. */
  constructor(weight: number) {
    this.#free = weight;
  }

  /**
   * Runs a work as soon as there is place, and returns or throws what it does.
   * @param weight not more than the gate's.
   */
  async run<T>(weight: number, work: () => Promise<T>): Promise<T> {
    if (this.#waiting.length === 0 && weight <= this.#free) this.#free -= weight;
    else await new Promise<void>((enter) => this.#waiting.push({ weight, enter }));
    try {
      return await work();
    } finally {
      this.#free += weight;
      this.#admit();
    }
  }

  #admit(): void {
    for (let first = this.#waiting[0]; first !== undefined && first.weight <= this.#free; first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= first.weight;
      first.enter();
    }
  }
}
