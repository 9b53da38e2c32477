import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { startApp } from '../apps/ws01/src/app/app.ts';
import { loadConfig } from '../apps/ws01/src/config/config.ts';
import type { OperationName } from '../apps/ws01/src/contract/service.ts';
import { type BenchOptions, UsageError } from './kit/bench.ts';
import { printTable } from './kit/report.ts';
import { ask } from './kit/sides/http.ts';
import { createServiceDatabase, TOKEN } from './kit/sides/service.ts';
import { CALLS } from './kit/workloads/calls.ts';
import { numbered, requestOf } from './kit/workloads/requests.ts';

export const summary =
  'the files and functions of ours that one call passes; `-- passes InsertArticle`';

const ROOT = join(import.meta.dirname, '..');
/** After so many calls of the same shape nothing is done for the first time. */
const CALLS_AHEAD = 8;
/** What timers do is in some of the measured calls; what the call itself does is in all of them. */
const MEASURED = 5;
/** Between calls: what a call leaves to be done after its answer is a part of it. ms. */
const AFTERMATH_MS = 50;

/** How often each function was called, by `file name`: the fewest of the measured calls. */
type Passed = ReadonlyMap<string, number>;

/** `npm run bench -- passes [operation]`: V8's precise call counts, on SQLite, with the fast path and without. */
export async function run(args: readonly string[], _options: BenchOptions): Promise<unknown> {
  const [operation = 'InsertArticle'] = args;
  if (!isOperation(operation)) throw new UsageError(`There is no operation called ${operation}.`);
  const sides = {
    'fast path': await passedBy(operation, 'on'),
    'general path': await passedBy(operation, 'off'),
  };
  printTable(
    [`${operation}, SOAP 1.1`, 'files', 'functions', 'of which engine: files', 'functions'],
    Object.entries(sides).map(([side, passed]) => {
      const all = [...passed.keys()];
      const engine = all.filter((one) => one.startsWith('packages/'));
      return [side, ...[filesOf(all), all.length, filesOf(engine), engine.length].map(String)];
    }),
  );
  return Object.fromEntries(
    Object.entries(sides).map(([side, passed]) => [side, Object.fromEntries([...passed].sort())]),
  );
}

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(CALLS, name);
}

function filesOf(functions: readonly string[]): number {
  return new Set(functions.map((one) => one.split(' ')[0])).size;
}

/** @returns the named functions of ours that every one of some calls passes. */
async function passedBy(operation: OperationName, fastPath: 'on' | 'off'): Promise<Passed> {
  const database = await createServiceDatabase('sqlite');
  const env = {
    ...database.env,
    PORT: '0',
    HOST: '127.0.0.1',
    BOOTSTRAP_TOKEN: TOKEN,
    FAST_PATH: fastPath,
  };
  const app = await startApp(loadConfig(env), pino({ level: 'silent' }));
  const profiler = new Session();
  profiler.connect();
  try {
    await profiler.post('Profiler.enable');
    await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    const request = requestOf('SOAP 1.1', operation, CALLS[operation].params);
    let passed: Passed | undefined;
    for (let serial = 0; serial < CALLS_AHEAD + MEASURED; serial++) {
      await profiler.post('Profiler.takePreciseCoverage');
      const { status } = await ask(app.port, numbered(request, serial));
      if (status !== 200) throw new Error(`${operation} was answered with ${status}.`);
      await sleep(AFTERMATH_MS);
      const { result } = await profiler.post('Profiler.takePreciseCoverage');
      if (serial >= CALLS_AHEAD) passed = inBoth(passed, new Map(result.flatMap(functionsOf)));
    }
    return passed!;
  } finally {
    profiler.disconnect();
    await app.stop();
    await database.remove();
  }
}

function inBoth(before: Passed | undefined, now: Passed): Passed {
  if (before === undefined) return now;
  return new Map(
    [...before]
      .filter(([name]) => now.has(name))
      .map(([name, n]) => [name, Math.min(n, now.get(name)!)]),
  );
}

function functionsOf({
  url,
  functions,
}: {
  url: string;
  functions: readonly Counted[];
}): [string, number][] {
  if (!url.startsWith('file:')) return [];
  const file = fileURLToPath(url).slice(ROOT.length + 1);
  if (!/^(packages|apps)\/[\w-]+\/src\//.test(file)) return [];
  return functions
    .filter(({ functionName, ranges }) => functionName !== '' && ranges[0]!.count > 0)
    .map(({ functionName, ranges }) => [`${file} ${functionName}`, ranges[0]!.count]);
}

interface Counted {
  readonly functionName: string;
  readonly ranges: readonly { readonly count: number }[];
}
