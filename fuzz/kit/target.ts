/** A reader to be fuzzed. */
export interface Target {
  readonly name: string;
  /** One line for the list: what is read, and what must hold. */
  readonly summary: string;
  /** Inputs to begin with, beside those that are kept. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Pieces that mean something to the reader. */
  readonly tokens: readonly string[];
  /**
   * Reads an input.
   * @throws {Error} when something does not hold.
   */
  run(input: Buffer): void | Promise<void>;
}
