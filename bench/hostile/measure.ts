import { writeFileSync } from 'node:fs';
import type { Target } from '../../apps/ws01/test/security/kit/target.ts';
import { cpuMicros, residentMib } from '../kit/sides/process-stats.ts';

/** What one request did to the service. */
export interface Cost {
  /** Status and code of the error. */
  readonly answer: string;
  /** Bytes on the wire. */
  readonly sent: number;
  /** CPU time of the first round, for which code is compiled; ms, all threads. */
  readonly firstCpuMs: number;
  /** CPU time of the whole process, all threads; ms. */
  readonly cpuMs: number;
  /** The longest that the event loop was kept; ms. */
  readonly turnMs: number;
  /** How far the resident memory rose above what it was before; MiB. */
  readonly peakMib: number;
}

/**
 * Sends a request some times. Memory is looked at in the first round alone, after a collection: it throws away compiled
 * code, too, so that what follows would be measured as it is in a process that has just started.
 * @param port of the service, where it is not its own.
 * @returns the least of each figure: what is more was somebody else's.
 */
export async function costOf(
  target: Target,
  request: Buffer,
  rounds: number,
  port?: number,
): Promise<Cost> {
  await target.figures(true);
  // Makes the kernel forget the earlier peak.
  writeFileSync(`/proc/${target.pid}/clear_refs`, '5');
  const resident = residentMib(target.pid);
  const first = await once(target, request, port);
  const peakMib = Math.max(0, residentMib(target.pid, 'VmHWM') - resident);
  const costs = [first];
  while (costs.length < rounds) costs.push(await once(target, request, port));
  const least = (figure: (cost: (typeof costs)[number]) => number) =>
    Math.min(...costs.map(figure));
  return {
    answer: costs.at(-1)!.answer,
    sent: request.length,
    firstCpuMs: first.cpuMs,
    cpuMs: least(({ cpuMs }) => cpuMs),
    turnMs: least(({ turnMs }) => turnMs),
    peakMib,
  };
}

/** Sends a request once. */
export async function once(
  target: Target,
  request: Buffer,
  port?: number,
): Promise<Pick<Cost, 'answer' | 'cpuMs' | 'turnMs'>> {
  await target.figures();
  const cpu = cpuMicros(target.pid);
  const answer = await target.ask(request, port);
  const cpuMs = (cpuMicros(target.pid) - cpu) / 1000;
  const { turnMs } = await target.figures();
  return { answer: summaryOf(answer), cpuMs, turnMs };
}

/** An answer as `413 TooLarge`. */
export function summaryOf(answer: string): string {
  const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'no answer';
  return `${status} ${/^x-error-code: *(\w+)/im.exec(answer)?.[1] ?? ''}`.trim();
}
