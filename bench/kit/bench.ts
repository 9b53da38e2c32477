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
  /** As a part of the suite of five minutes: fewer and shorter rounds than when it is run by name. */
  readonly short: boolean;
  readonly engine: Engine;
}

/** What a bench takes its time for, by how long a run was asked for. */
export function sizeOf<Size>(
  { quick, short }: BenchOptions,
  sizes: { readonly quick: Size; readonly short: Size; readonly full: Size },
): Size {
  if (quick) return sizes.quick;
  return short ? sizes.short : sizes.full;
}

/** How long a side may be warmed up, in s: in the suite of five minutes shorter than by itself. */
export function warmSteps({ short }: BenchOptions): number | undefined {
  return short ? 2 : undefined;
}

/** What was asked for is not there; the message is one line for the person who asked. */
export class UsageError extends Error {}
