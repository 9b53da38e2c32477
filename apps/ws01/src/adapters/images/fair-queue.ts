/** A queue of jobs that serves callers in turn, however many jobs one caller has waiting. */
export class FairQueue<T> {
  /** Jobs by caller, in the order of their turns. */
  readonly #waiting = new Map<string, T[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(owner: string, item: T): void {
    const own = this.#waiting.get(owner);
    if (own === undefined) this.#waiting.set(owner, [item]);
    else own.push(item);
    this.#length++;
  }

  /** Removes and returns the next job; `undefined` if none waits. */
  shift(): T | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const [owner, items] = next;
    const item = items.shift();
    // Back to the end of the queue.
    this.#waiting.delete(owner);
    if (items.length > 0) this.#waiting.set(owner, items);
    this.#length--;
    return item;
  }
}
