/** A queue in which callers take turns, however many items each has waiting. */
export class FairQueue<T> {
  /** Items by caller, in the order of the callers' turns. */
  readonly #waiting = new Map<string, Set<T>>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Whose turn it is; `undefined` if nothing waits. */
  get first(): T | undefined {
    for (const own of this.#waiting.values()) for (const item of own) return item;
    return undefined;
  }

  /** The number of items that a caller has waiting. */
  lengthOf(caller: string): number {
    return this.#waiting.get(caller)?.size ?? 0;
  }

  push(caller: string, item: T): void {
    const own = this.#waiting.get(caller);
    if (own === undefined) this.#waiting.set(caller, new Set([item]));
    else own.add(item);
    this.#length++;
  }

  /** Removes and returns the next item; `undefined` if none waits. */
  shift(): T | undefined {
    for (const item of this.taking()) return item;
    return undefined;
  }

  /**
   * Removes items and yields them in the callers' turns, until the loop ends.
   * @param accepts whether an item may go; it is asked about each caller's items in their order, up
   *   to one that may.
   */
  *taking(accepts: (item: T) => boolean = () => true): Generator<T, void> {
    for (const [caller, own] of this.#waiting) {
      const item = own.values().find(accepts);
      if (item === undefined) continue;
      this.remove(caller, item);
      // Back to the end of the queue, where this loop finds the caller again.
      if (this.#waiting.delete(caller)) this.#waiting.set(caller, own);
      yield item;
    }
  }

  /** Removes an item that waits no longer. */
  remove(caller: string, item: T): void {
    const own = this.#waiting.get(caller);
    if (own?.delete(item) !== true) return;
    this.#length--;
    if (own.size === 0) this.#waiting.delete(caller);
  }
}
