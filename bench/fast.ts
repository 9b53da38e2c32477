import { pathToFileURL } from 'node:url';
import type { FastPath } from '../packages/asmx/src/fast/index.ts';
import type { BenchOptions } from './kit/bench.ts';
import { startLoad } from './kit/load/load.ts';
import { fixed, printTable, progress, withSpread } from './kit/report.ts';
import {
  alternate,
  type Contender,
  type Drive,
  noteDisturbance,
  warmUp,
} from './kit/sides/compare.ts';
import { wireText } from './kit/sides/http.ts';
import {
  createServiceDatabase,
  type ServiceDatabase,
  startServiceOn,
} from './kit/sides/service.ts';
import { ratios, spread } from './kit/statistics.ts';
import { CALLS } from './kit/workloads/calls.ts';
import { requestOf } from './kit/workloads/requests.ts';
import { seedCounted } from './kit/workloads/seed.ts';

export const summary =
  'what each short cut of the fast path saves: CPU time of countUserPosted, with and without it';

const CONNECTIONS = 32;
const TIMES = { rounds: 7, warmUpMs: 100, durationMs: 500 };
const QUICK: typeof TIMES = { rounds: 1, warmUpMs: 20, durationMs: 80 };

interface Variant {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The service, but without some of the endpoint's short cuts. */
function without(...names: readonly (keyof FastPath)[]): Variant['env'] {
  const preload = pathToFileURL(`${import.meta.dirname}/kit/sides/without.ts`);
  return { WITHOUT: names.join(','), NODE_OPTIONS: `--import=${preload}` };
}

const VARIANTS: readonly Variant[] = [
  { name: 'on', env: {} },
  { name: 'calls not deferred', env: without('defer') },
  { name: 'envelopes by the general reader', env: without('readEnvelope') },
  { name: 'both: only HTTP is read past node:http', env: without('defer', 'readEnvelope') },
  { name: 'off', env: { FAST_PATH: 'off' } },
];

const cpu = (drive: Drive) => drive.cpuPerCall;

/** `npm run bench -- fast` */
export async function run(
  _args: readonly string[],
  { quick, engine }: BenchOptions,
): Promise<unknown> {
  const options = { connections: CONNECTIONS, ...(quick ? QUICK : TIMES) };
  const requests = [
    wireText(requestOf('SOAP 1.1', 'countUserPosted', CALLS.countUserPosted.params)),
  ];
  // Each side has a process and a folder that must not outlive this one.
  process.setMaxListeners(4 * VARIANTS.length);
  const load = startLoad();
  const databases: ServiceDatabase[] = [];
  const contenders: Contender[] = [];
  try {
    for (const { name, env } of VARIANTS) {
      progress(`starting: ${name}`);
      const database = await createServiceDatabase(engine);
      databases.push(database);
      const side = await startServiceOn(database, env);
      contenders.push({ side, requests });
      await seedCounted(side.port);
      if (!quick) await warmUp(load, contenders.at(-1)!, CONNECTIONS);
    }
    progress('driving them in turn');
    const drives = await alternate(load, contenders, options);
    report(drives, options.rounds);
    return VARIANTS.map(({ name }, index) => ({ name, drives: drives[index] }));
  } finally {
    await load.stop();
    for (const { side } of contenders) await side.stop();
    for (const database of databases) await database.remove();
  }
}

function report(drives: readonly (readonly Drive[])[], rounds: number): void {
  const on = drives[0]!;
  console.log(
    `countUserPosted, SOAP 1.1, ${CONNECTIONS} connections; median of ${rounds} rounds (least–most).`,
  );
  printTable(
    ['fast path', 'CPU µs a call', '× on, round by round'],
    VARIANTS.map(({ name }, index) => [
      name,
      withSpread(spread(drives[index]!.map(cpu)), fixed(1)),
      withSpread(ratios(drives[index]!, on, cpu), fixed(2)),
    ]),
  );
  noteDisturbance(on);
}
