import { pathToFileURL } from 'node:url';
import type { FastPath } from '../packages/asmx/src/fast/index.ts';
import type { BenchOptions } from './kit/bench.ts';
import { fixed, printTable, withSpread } from './kit/report.ts';
import { type Drive, noteDisturbance } from './kit/sides/compare.ts';
import { wireText } from './kit/sides/http.ts';
import { type ComparedService, driveServices } from './kit/sides/services.ts';
import { ratios, spread } from './kit/statistics.ts';
import { CALLS } from './kit/workloads/calls.ts';
import { requestOf } from './kit/workloads/requests.ts';
import { seedCounted } from './kit/workloads/seed.ts';

export const summary =
  'what each short cut of the fast path saves: CPU time of countUserPosted, with and without it';

const CONNECTIONS = 32;
const TIMES = { rounds: 7, warmUpMs: 100, durationMs: 500 };
const QUICK: typeof TIMES = { rounds: 1, warmUpMs: 20, durationMs: 80 };

/** The service, but without some of the endpoint's short cuts. */
function without(...names: readonly (keyof FastPath)[]): Readonly<Record<string, string>> {
  const preload = pathToFileURL(`${import.meta.dirname}/kit/sides/without.ts`);
  return { WITHOUT: names.join(','), NODE_OPTIONS: `--import=${preload}` };
}

const VARIANTS: readonly ComparedService[] = [
  { name: 'on', env: {} },
  { name: 'calls not deferred', env: without('defer') },
  { name: 'envelopes by the general reader', env: without('readEnvelope') },
  { name: 'both: only HTTP is read past node:http', env: without('defer', 'readEnvelope') },
  { name: 'off', env: { FAST_PATH: 'off' } },
];

const cpu = (drive: Drive) => drive.cpuPerCall;

/** `npm run bench -- fast` */
export async function run(_args: readonly string[], options: BenchOptions): Promise<unknown> {
  const driven = { connections: CONNECTIONS, ...(options.quick ? QUICK : TIMES) };
  const { params } = CALLS.countUserPosted;
  const requests = [wireText(requestOf('SOAP 1.1', 'countUserPosted', params))];
  const drives = await driveServices(VARIANTS, requests, seedCounted, driven, options);
  report(drives, driven.rounds);
  return VARIANTS.map(({ name }, index) => ({ name, drives: drives[index] }));
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
