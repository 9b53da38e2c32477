import { writeFileSync } from 'node:fs';
import type { Target } from '../../apps/ws01/test/security/kit/target.ts';
import { cpuMicros, residentMib } from '../kit/sides/process-stats.ts';

/** What one request did to the service. */
export interface Cost {
  /** Status and code of the error. */
  readonly answer: string;
  /** Bytes on the wire. */
  readonly sent: number;
  /** CPU time of the whole process, all threads; ms. */
  readonly cpuMs: number;
  /** The longest that the event loop was kept; ms. */
  readonly turnMs: number;
  /** How far the resident memory rose above what it was before; MiB. */
  readonly peakMib: number;
}

/** Sends a request some times. @returns the least of each figure: what is more was somebody else's. */
export async function costOf(target: Target, request: Buffer, rounds: number): Promise<Cost> {
  const costs: Cost[] = [];
  for (let round = 0; round < rounds; round++) costs.push(await once(target, request));
  const least = (figure: (cost: Cost) => number) => Math.min(...costs.map(figure));
  return {
    answer: costs.at(-1)!.answer,
    sent: request.length,
    cpuMs: least(({ cpuMs }) => cpuMs),
    turnMs: least(({ turnMs }) => turnMs),
    peakMib: least(({ peakMib }) => peakMib),
  };
}

async function once(target: Target, request: Buffer): Promise<Cost> {
  // What came before leaves garbage, and the collection of it is not this request's.
  await target.figures(true);
  // Makes the kernel forget the earlier peak.
  writeFileSync(`/proc/${target.pid}/clear_refs`, '5');
  const [cpu, resident] = [cpuMicros(target.pid), residentMib(target.pid)];
  const answer = await target.ask(request);
  const [cpuMs, peak] = [(cpuMicros(target.pid) - cpu) / 1000, residentMib(target.pid, 'VmHWM')];
  const { turnMs } = await target.figures();
  return { answer: summaryOf(answer), sent: request.length, cpuMs, turnMs, peakMib: Math.max(0, peak - resident) };
}

/** An answer as `413 TooLarge`. */
export function summaryOf(answer: string): string {
  const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'no answer';
  return `${status} ${/^x-error-code: *(\w+)/im.exec(answer)?.[1] ?? ''}`.trim();
}
