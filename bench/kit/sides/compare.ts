import type { Load } from '../load/load.ts';
import type { LoadFindings, LoadSettings } from '../load/settings.ts';
import { percent } from '../report.ts';
import { median } from '../statistics.ts';
import type { Side } from './side.ts';

/** One side and what it is asked. */
export interface Contender {
  readonly side: Side;
  /** As they stand on the wire. */
  readonly requests: readonly string[];
}

export interface DriveOptions {
  readonly connections: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
  /** Requests a second; when absent, as many as are answered. */
  readonly rate?: number;
}

/** One side driven once. */
export interface Drive extends LoadFindings {
  /** Answers a second. */
  readonly rate: number;
  /** CPU time of the side for an answer, µs; of its own process, not of a database server. */
  readonly cpuPerCall: number;
  /** The same of its PostgreSQL, µs; 0 without. */
  readonly databaseCpuPerCall: number;
  /** Share of its core that the side used. */
  readonly serverShare: number;
}

/** @throws {Error} when an answer's status is not 200. */
export async function drive(
  load: Load,
  { side, requests }: Contender,
  options: DriveOptions,
): Promise<Drive> {
  const settings: LoadSettings = {
    ...options,
    port: side.port,
    pid: side.pid,
    databasePid: side.databasePid,
    requests,
  };
  const findings = await load.drive(settings).catch((cause: Error) => {
    throw new Error(`${side.name}: ${cause.message}`, { cause });
  });
  const { answers, refused, seconds, serverCpuMicros, databaseCpuMicros } = findings;
  if (answers === 0) throw new Error(`${side.name} answered nothing.`);
  if (refused > 0) throw new Error(`${side.name} refused ${refused} of ${answers} calls.`);
  return {
    ...findings,
    rate: answers / seconds,
    cpuPerCall: serverCpuMicros / answers,
    databaseCpuPerCall: databaseCpuMicros / answers,
    serverShare: serverCpuMicros / (seconds * 1e6),
  };
}

/** Enough for the engine of a Node side to compile what is hot. */
const WARM_CALLS = 20_000;
/** The longest that may take, in steps; ms. */
const WARM_STEP_MS = 1_000;
const WARM_STEPS = 5;

/**
 * Drives a side before it is measured for the first time.
 * @param steps the longest that may take; s.
 */
export async function warmUp(
  load: Load,
  contender: Contender,
  connections: number,
  steps: number = WARM_STEPS,
): Promise<void> {
  for (let calls = 0, step = 0; calls < WARM_CALLS && step < steps; step++) {
    const { sent } = await drive(load, contender, {
      connections,
      warmUpMs: 0,
      durationMs: WARM_STEP_MS,
    });
    calls += sent;
  }
}

/**
 * Drives all sides in turn, round after round, each round beginning with another one, so that whatever else the
 * machine does meets all of them.
 * @returns each side's drives, in the order of the contenders; the same round at the same index.
 */
export async function alternate(
  load: Load,
  contenders: readonly Contender[],
  { rounds, ...options }: DriveOptions & { readonly rounds: number },
): Promise<readonly (readonly Drive[])[]> {
  const drives = contenders.map((): Drive[] => []);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (round + turn) % contenders.length;
      drives[index]!.push(await drive(load, contenders[index]!, options));
    }
  }
  return drives;
}

/** On a machine with other work, rates say little; CPU time is less disturbed. */
const TOLERABLE_WAIT = 0.05;

/** Says so where others kept the sides or the load from their cores. @param drives of a side with one thread. */
export function noteDisturbance(drives: readonly Drive[]): void {
  const side = median(drives.map(({ serverWaitedShare }) => serverWaitedShare));
  const load = median(drives.map(({ loadWaitedShare }) => loadWaitedShare));
  if (Math.max(side, load) < TOLERABLE_WAIT) return;
  console.log(
    `The machine had other work: the sides were kept from their core ${percent(side)} of the time, ` +
      `the load ${percent(load)}. Trust CPU time, not rates.`,
  );
}
