import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** What calls made one after another came to. */
export interface Timing {
  /** The median and the 99th percentile of a call's time; ms. */
  readonly median: number;
  readonly p99: number;
  /** CPU time a call, of this process with all of its threads and of the database server; ms. */
  readonly cpu: number;
  /** How long the event loop stood still at most; ms, to about one. */
  readonly held: number;
}

/** Calls at most and at least, and how long they may take together; ms. */
export const MOST = 300;
const LEAST = 5;
const SPAN_MS = 1_500;

/** How many calls may be made in all, those to warm up included. */
export function callsFor(most: number): number {
  return most + Math.ceil(most / 10);
}

/**
 * Times calls, after a tenth as many to warm up.
 * @param call given the number of the call, those to warm up included.
 * @param cpu CPU time used so far; µs.
 * @param most calls at most.
 */
export async function timeCalls(
  call: (turn: number) => unknown,
  cpu: () => Promise<number>,
  most = MOST,
): Promise<Timing> {
  let turn = 0;
  const started = performance.now();
  while (turn < most / 10 && performance.now() - started < SPAN_MS / 5) await call(turn++);
  const times: number[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const cpuBefore = await cpu();
  await nextTurn();
  delay.enable();
  for (let spent = 0; times.length < most && (spent < SPAN_MS || times.length < LEAST); ) {
    const start = performance.now();
    await call(turn++);
    const time = performance.now() - start;
    times.push(time);
    spent += time;
    // As between two requests: without it calls that never wait would count as one.
    await nextTurn();
  }
  delay.disable();
  const cpuAfter = await cpu();
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0;
  return {
    median: at(0.5),
    p99: at(0.99),
    cpu: (cpuAfter - cpuBefore) / 1000 / times.length,
    held: delay.max / 1e6,
  };
}
