import type { AskedMetric } from '../../web/metrics/metrics.ts';

/** Wraps a measurement that is the same in every worker, so that only the leader reports it. */
export type Once = (ask: AskedMetric['ask']) => AskedMetric['ask'];

/**
 * A measurement that took t ms is repeated after 100 t ms at the earliest, so it uses at most 1 %
 * of a core.
 */
const SPARING = 100;

/**
 * Wraps a measurement so that its cost is bounded by {@link SPARING}; in between it returns the
 * last value.
 */
export function sparingly<T>(look: () => Promise<T>): () => Promise<T> {
  let last: { readonly value: T; readonly until: number } | undefined;
  return async () => {
    const began = performance.now();
    if (last !== undefined && began < last.until) return last.value;
    const value = await look();
    const now = performance.now();
    last = { value, until: now + SPARING * (now - began) };
    return value;
  };
}
