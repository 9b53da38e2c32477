/** A queue of jobs that takes one job of each caller in turn, however many a caller has waiting. */
export class FairQueue<T> {
  /** In the order of their turns. */
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

  /** The first of whose turn it is; `undefined` when nobody waits. */
  shift(): T | undefined {
    const [next] = this.#waiting;
    if (next === undefined) return undefined;
    const [owner, items] = next;
    const item = items.shift();
    // To the end of the row.
    this.#waiting.delete(owner);
    if (items.length > 0) this.#waiting.set(owner, items);
    this.#length--;
    return item;
  }
}
