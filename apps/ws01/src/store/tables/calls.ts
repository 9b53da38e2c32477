import type { Instant } from './values.ts';

/**
 * Upper bounds of latencies, each a column of {@link CallCountsTable}; ms. What takes longer is in
 * `ms_more`.
 */
export const LATENCY_BOUNDS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000,
] as const;

/** How many calls took at most so long, and longer than the bound before. */
type Latencies = { [Column in `ms_${(typeof LATENCY_BOUNDS)[number] | 'more'}`]: number };

/** How long a row of counts covers, and the length of that; ms. */
export const COUNT_STEPS = {
  minute: 60_000,
  quarter: 900_000,
  hour: 3_600_000,
  'quarter-day': 21_600_000,
  day: 86_400_000,
} as const;

export type CountStep = keyof typeof COUNT_STEPS;

/**
 * The answered calls of all nodes: a row for a time, an operation, a binding and an error.
 * Every call is in one row of each step. Nothing in it comes from a client.
 */
export interface CallCountsTable extends Latencies {
  step: CountStep;
  /** When the step began, in UTC. */
  at: Instant;
  /** `-` for a request that no operation was found for. */
  operation: string;
  binding: string;
  /** The code of the error that was answered; empty for success. */
  error: string;
  calls: number;
  /** How long they took together; μs. */
  us: number;
}

/** Calls that were answered with an error. */
export interface FailedCallsTable {
  /** UUIDv7. */
  id: string;
  /** When it was answered. */
  at: Instant;
  request_id: string;
  operation: string | null;
  binding: string;
  /** The HTTP status. */
  status: number;
  error: string;
  /** The name of the parameter that was wrong, never its value. */
  parameter: string | null;
  /** The sentence that the caller got, without the values that were sent. */
  reason: string | null;
  us: number;
  /** The observed address of the client. */
  address: string;
  token_id: string | null;
  user_id: string | null;
  /** The record that the call named. */
  target_kind: string | null;
  target_key: string | null;
  /**
   * How many further calls of the same operation, binding and error failed until the next write:
   * they are counted and have no row. `null` is 0.
   */
  more_alike: number | null;
}
