import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';

/** Below it nothing is judged: it may be compiling, or the other work of a process; ms of CPU. */
const FLOOR_MS = 1_000;
/** For twice the size; 2 is in proportion. */
const MOST_GROWTH = 3.2;

/** Where the costs of n, 2n and 4n go, tab-separated, when they are to be printed and not only judged. */
const { GROWTH_TABLE } = process.env;
/** Whether there is one. */
export const TABLE_WANTED = GROWTH_TABLE !== undefined;

/** Adds a row to the table, if one is wanted. @param costs of n, 2n, 4n. */
export function noteGrowth(unit: 'ms' | 'steps', what: string, costs: readonly number[]): void {
  if (GROWTH_TABLE !== undefined)
    appendFileSync(GROWTH_TABLE, `${[unit, ...costs.map(Math.round), what].join('\t')}\n`);
}

/** The CPU time of the process, all its threads, during some work; ms. */
async function cpuOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return process.cpuUsage(before).user / 1_000;
}

/**
 * Asserts that work takes CPU time in proportion to its size, of n, 2n and 4n. Choose a size at which quadratic work
 * takes many seconds: what takes less than one is not judged, so that a busy machine changes nothing.
 * @param size the largest of the three.
 */
export async function assertProportional(
  work: (size: number) => unknown,
  size: number,
  what: string,
): Promise<void> {
  const large = await cpuOf(() => work(size));
  if (large < FLOOR_MS && !TABLE_WANTED) return;
  const [small, middle] = [await cpuOf(() => work(size / 4)), await cpuOf(() => work(size / 2))];
  noteGrowth('ms', what, [small, middle, large]);
  if (large < FLOOR_MS) return;
  const most = Math.max(FLOOR_MS / 4, small) * MOST_GROWTH ** 2;
  assert.ok(large < most, `${what}: ${[small, middle, large].join(', ')} ms of CPU for n, 2n, 4n`);
}

/** So often two kinds of work are compared: what else the process does falls into some pairs, not into each. */
const MOST_PAIRS = 10;

/** CPU time of this thread during some work; ms. */
async function threadCpuOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Asserts that work takes this thread less than so many times the CPU time of other work. Choose work of which a
 * defect would take many times more. Both are done by turns until the least of each show it.
 * @param most times the other, or times a millisecond if that takes less.
 */
export async function assertWithin(
  most: number,
  work: () => unknown,
  other: () => unknown,
): Promise<void> {
  let [least, leastOther] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let pair = 0; pair < MOST_PAIRS; pair++) {
    leastOther = Math.min(leastOther, await threadCpuOf(other));
    least = Math.min(least, await threadCpuOf(work));
    if (least < most * Math.max(leastOther, 1)) return;
  }
  assert.fail(`${least} ms of this thread; ${leastOther} ms for the other, of which ${most} times`);
}
