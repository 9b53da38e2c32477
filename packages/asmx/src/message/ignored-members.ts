import { toldName } from './told-name.ts';

/**
 * So many are reported; a client that has another contract in mind need not hear of every member.
 */
const MOST_TOLD = 5;

/**
 * Names of what a call holds that nothing in its contract has: members, elements, `@attributes`;
 * each once.
 */
export class IgnoredMembers {
  readonly #names = new Set<string>();
  /** Names of elements that are known in another namespace, by what is wrong with theirs. */
  readonly #misplaced = new Map<string, Set<string>>();

  /**
   * @param name with the path to it in a value; items of a list without their number.
   * @param misplaced where it stood, and where it should, if the contract has it elsewhere.
   */
  add(name: string, misplaced?: string): void {
    if (this.#names.size >= MOST_TOLD) return;
    const told = toldName(name);
    this.#names.add(told);
    if (misplaced === undefined) return;
    const names = this.#misplaced.get(misplaced) ?? new Set();
    this.#misplaced.set(misplaced, names.add(told));
  }

  /** What a caller must know whose call failed because they are missing; `''` for nothing. */
  get misplaced(): string {
    const told = [...this.#misplaced].map(
      ([where, names]) => ` ${[...names].join(', ')} ${where}.`,
    );
    return told.join('');
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
