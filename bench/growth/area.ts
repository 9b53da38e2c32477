import type { Store } from '../../apps/ws01/src/store/store.ts';
import type { BenchDatabase } from '../kit/database.ts';
import type { BenchOperations } from '../kit/operations.ts';

/** One kind of call, as the table names it: the operation first. */
export interface Workload {
  readonly name: string;
  /** Makes what the calls need, which is not timed. @param calls how many may come. */
  readonly prepare?: (calls: number) => Promise<void>;
  /** @param turn counts the calls from 0. */
  readonly call: (turn: number) => unknown;
}

/** The rows to be added: those with the numbers `from` to `to`, not included. Each a power of ten, or `from` 0. */
export interface Growth {
  readonly from: number;
  readonly to: number;
}

/** Tables that grow together, and the calls that read and write them. */
export interface Area {
  readonly name: string;
  /** Rows at most that can be filled in reasonable time. */
  readonly most: number;
  fill(database: BenchDatabase, growth: Growth): Promise<void>;
  /** @param rows how many the area's main table has. */
  workloads(operations: BenchOperations, rows: number, store: Store): readonly Workload[];
}

/** Records of an ordinary user. */
export const ORDINARY = 100;

/** Records of the heaviest user: a tenth of all, at most a million. */
export function heavyShare(rows: number): number {
  return Math.min(rows / 10, 1_000_000);
}

/**
 * SQL of the user of row `i`: `heavy` for {@link heavyShare}, else ordinary ones with {@link
 * ORDINARY} each, scattered.
 */
export function ownerSql({ from, to }: Growth): string {
  const heavy = from + heavyShare(to) - heavyShare(from);
  const [first, count] = [from / ORDINARY, Math.max(1, Math.floor((to - from) / ORDINARY))];
  return `case when i < ${heavy} then 'heavy' else 'user-' || (${first} + i * 2246822519 % 1000000009 % ${count}) end`;
}

/** An ordinary user. */
export function someUser(rows: number): string {
  return `user-${Math.floor((Math.random() * rows) / ORDINARY)}`;
}

/** A record of some rows, each once until all have come: a power of ten and 7919 have no divisor in common. */
export function scattered(turn: number, rows: number): number {
  return (turn * 7919) % rows;
}
