/** So many are reported; a client that has another contract in mind need not hear of every member. */
const MOST_TOLD = 5;

/** Names as a contract has them; other texts may be values in the wrong place, and are not repeated. */
const NAME = /^[A-Za-z_$@#][\w$.[\]@#:-]{0,63}$/;

/** Names of what a call holds that nothing in its contract has: members, elements, `@attributes`; each once. */
export class IgnoredMembers {
  readonly #names = new Set<string>();

  /** @param name with the path to it in a value; items of a list without their number. */
  add(name: string): void {
    if (this.#names.size < MOST_TOLD)
      this.#names.add(NAME.test(name) ? name : `(${name.length} characters)`);
  }

  get names(): Iterable<string> {
    return this.#names;
  }

  /** The warning for the client. */
  get warnings(): readonly string[] {
    if (this.#names.size === 0) return [];
    return [
      `The contract has no place for these parts of the call, and they were ignored: ${[...this.#names].join(', ')}.`,
    ];
  }
}
