import type { Engine } from '../../apps/ws01/src/store/store.ts';

/** What every file of `bench/` exports. */
export interface Bench {
  /** One line for the list. */
  readonly summary: string;
  /**
   * Measures and prints.
   * @param args what stands behind the bench's name.
   * @returns the figures behind what was printed, for `--json`; nothing where there are none.
   */
  run(args: readonly string[], options: BenchOptions): Promise<unknown>;
}

/** Options of the command line that all benches share; each heeds what it knows. */
export interface BenchOptions {
  /** A short run, to see that everything works; the figures say little. */
  readonly quick: boolean;
  readonly engine: Engine;
}

/** What was asked for is not there; the message is one line for the person who asked. */
export class UsageError extends Error {}
