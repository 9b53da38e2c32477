import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchOptions, sizeOf } from './kit/bench.ts';
import { startLoad } from './kit/load/load.ts';
import { fixed, printGoal, printTable, progress, withSpread } from './kit/report.ts';
import { drive } from './kit/sides/compare.ts';
import { BOTH_CORES, SERVER_CORE } from './kit/sides/cores.ts';
import { ask, wireText } from './kit/sides/http.ts';
import { cpuMicros, residentMib } from './kit/sides/process-stats.ts';
import {
  createServiceDatabase,
  type ServiceDatabase,
  startServiceOn,
} from './kit/sides/service.ts';
import type { Side } from './kit/sides/side.ts';
import { spread } from './kit/statistics.ts';
import { CALLS } from './kit/workloads/calls.ts';
import { MIX } from './kit/workloads/mix.ts';
import { requestOf } from './kit/workloads/requests.ts';
import { COUNTED_POSTS, COUNTED_USER, seed } from './kit/workloads/seed.ts';

export const summary =
  'time to the first right answer after a start; memory at rest and over an hour’s worth of requests';

const GOALS = { startMs: 500, restMib: 100 };

/** 100 a second for an hour. */
const CALLS_OF_AN_HOUR = 360_000;
const CONNECTIONS = 32;
/** Lines in the table of memory. */
const SAMPLES = 10;

/** Calls are sent no longer than `longestMs`: on a busy machine fewer than wished, and the table says how many. */
const SIZES = {
  quick: { starts: 1, calls: 1_000, driveMs: 100, longestMs: 5_000, restMs: 100 },
  short: { starts: 3, calls: 100_000, driveMs: 1_000, longestMs: 20_000, restMs: 2_000 },
  full: { starts: 9, calls: CALLS_OF_AN_HOUR, driveMs: 1_000, longestMs: 120_000, restMs: 5_000 },
};
type Sizes = (typeof SIZES)['full'];

/** `npm run bench -- footprint` */
export async function run(_args: readonly string[], options: BenchOptions): Promise<unknown> {
  const sizes = sizeOf(options, SIZES);
  const database = await createServiceDatabase('sqlite');
  try {
    await withService(database, (side) => seed(side.port));
    const starts = await measureStarts(database, sizes.starts);
    const memory = await measureMemory(database, sizes);
    return { starts, memory };
  } finally {
    await database.remove();
  }
}

async function withService<T>(
  database: ServiceDatabase,
  work: (side: Side) => Promise<T>,
): Promise<T> {
  const side = await startServiceOn(database);
  try {
    return await work(side);
  } finally {
    await side.stop();
  }
}

interface StartKind {
  readonly name: string;
  readonly cores: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The first is what the goal is about; the cache is what the engine keeps of the compiled sources between starts. */
const STARTS: readonly StartKind[] = [
  { name: 'two cores', cores: BOTH_CORES, env: {} },
  { name: 'one core', cores: SERVER_CORE, env: {} },
  {
    name: 'one core, no compile cache',
    cores: SERVER_CORE,
    env: { NODE_DISABLE_COMPILE_CACHE: '1' },
  },
];

interface Start {
  /** From the start of the process to the first right answer; ms. */
  readonly ms: number;
  /** CPU time of the process in that time; ms. */
  readonly cpuMs: number;
}

async function measureStarts(
  database: ServiceDatabase,
  count: number,
): Promise<Record<string, readonly Start[]>> {
  const starts = STARTS.map((): Start[] => []);
  for (let round = 0; round < count; round++) {
    progress(`start ${round + 1} of ${count}`);
    for (const [index, kind] of STARTS.entries())
      starts[index]!.push(await timeStart(database, kind));
  }
  const times = starts.map((rounds) => spread(rounds.map(({ ms }) => ms)));
  printTable(
    ['First right answer after a start', 'ms', 'CPU ms'],
    STARTS.map(({ name }, index) => [
      name,
      withSpread(times[index]!, fixed(0)),
      withSpread(spread(starts[index]!.map(({ cpuMs }) => cpuMs)), fixed(0)),
    ]),
  );
  const [first] = times;
  printGoal(
    `a start under ${GOALS.startMs} ms`,
    withSpread(first!, fixed(0)),
    first!.median < GOALS.startMs,
  );
  return Object.fromEntries(STARTS.map(({ name }, index) => [name, starts[index]!]));
}

async function timeStart(database: ServiceDatabase, { env, cores }: StartKind): Promise<Start> {
  const params = { ...CALLS.countUserPosted.params, userId: COUNTED_USER };
  const request = requestOf('SOAP 1.1', 'countUserPosted', params);
  const started = performance.now();
  const side = await startServiceOn(database, env, { cores });
  const { body } = await ask(side.port, request);
  const start = { ms: performance.now() - started, cpuMs: cpuMicros(side.pid) / 1000 };
  await side.stop();
  if (!body.includes(`<countUserPostedResult>${COUNTED_POSTS}<`))
    throw new Error(`The first answer is ${body}`);
  return start;
}

interface Memory {
  readonly restMib: number;
  readonly afterMib: number;
  readonly samples: readonly { readonly calls: number; readonly mib: number }[];
  readonly cpuPerCall: number;
}

function measureMemory(database: ServiceDatabase, sizes: Sizes): Promise<Memory> {
  const { restMs } = sizes;
  return withService(database, async (side) => {
    await sleep(restMs);
    const restMib = residentMib(side.pid);
    const { samples, cpuPerCall } = await driveMix(side, sizes);
    await sleep(restMs);
    const memory = { restMib, samples, cpuPerCall, afterMib: residentMib(side.pid) };
    printMemory(memory, sizes, residentMib(side.pid, 'VmHWM'));
    return memory;
  });
}

async function driveMix(
  side: Side,
  { calls, driveMs: durationMs, longestMs }: Sizes,
): Promise<Pick<Memory, 'samples' | 'cpuPerCall'>> {
  const load = startLoad();
  const requests = MIX.map(([binding, operation]) =>
    wireText(requestOf(binding, operation, CALLS[operation].params)),
  );
  const samples: { calls: number; mib: number }[] = [];
  let [sent, answers, cpuMicros] = [0, 0, 0];
  try {
    const end = performance.now() + longestMs;
    while (sent < calls && performance.now() < end) {
      const found = await drive(
        load,
        { side, requests },
        { connections: CONNECTIONS, warmUpMs: 0, durationMs },
      );
      sent += found.sent;
      answers += found.answers;
      cpuMicros += found.serverCpuMicros;
      samples.push({ calls: sent, mib: residentMib(side.pid) });
      progress(`${sent.toLocaleString('en')} of ${calls.toLocaleString('en')} calls`);
    }
  } finally {
    await load.stop();
  }
  return { samples, cpuPerCall: cpuMicros / answers };
}

function printMemory(
  { restMib, samples, cpuPerCall, afterMib }: Memory,
  { calls, longestMs }: Sizes,
  mostMib: number,
): void {
  const last = samples.at(-1)!;
  const shown = new Set(
    Array.from({ length: SAMPLES }, (_, index) => {
      const part = (last.calls * (index + 1)) / SAMPLES;
      return samples.find((sample) => sample.calls >= part) ?? last;
    }),
  );
  printTable(
    ['Resident memory', 'MiB'],
    [
      ['at rest, after a start', restMib.toFixed(0)],
      ...[...shown].map(({ calls, mib }) => [
        `after ${calls.toLocaleString('en')} calls`,
        mib.toFixed(0),
      ]),
      ['at rest, after them', afterMib.toFixed(0)],
      ['at most', mostMib.toFixed(0)],
    ],
  );
  if (last.calls < calls) {
    const [sent, wished] = [last.calls, calls].map((count) => count.toLocaleString('en'));
    console.log(`Ended after ${longestMs / 1000} s with ${sent} of ${wished} calls.`);
  }
  console.log(`CPU time a call of the mix: ${cpuPerCall.toFixed(1)} µs.`);
  printGoal(
    `under ${GOALS.restMib} MiB at rest`,
    `${restMib.toFixed(0)} MiB`,
    restMib < GOALS.restMib,
  );
}
