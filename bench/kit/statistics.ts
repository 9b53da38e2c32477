/** Of an even number of values the upper of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** The middle, the least and the most of some rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Ratios round by round, so that a disturbance of a round meets both. */
export function ratios<T>(
  ones: readonly T[],
  others: readonly T[],
  of: (item: T) => number,
): Spread {
  return spread(ones.map((one, round) => of(one) / of(others[round]!)));
}
