import { join, resolve } from 'node:path';
import type { OperationName } from '../apps/ws01/src/contract/service.ts';
import { type BenchOptions, sizeOf, UsageError } from './kit/bench.ts';
import { fixed, printTable, thousands, withSpread } from './kit/report.ts';
import { type Drive, noteDisturbance } from './kit/sides/compare.ts';
import { wireText } from './kit/sides/http.ts';
import { driveServices } from './kit/sides/services.ts';
import { median, ratios, spread } from './kit/statistics.ts';
import { CALLS } from './kit/workloads/calls.ts';
import { BINDINGS, type Binding, requestOf } from './kit/workloads/requests.ts';
import { seed } from './kit/workloads/seed.ts';

export const summary =
  'this working copy beside another: FOLDER [operation] [binding] [connections]; CPU time of a call, by turns';

const TIMES = {
  quick: { rounds: 1, warmUpMs: 50, durationMs: 100 },
  short: { rounds: 5, warmUpMs: 100, durationMs: 500 },
  full: { rounds: 9, warmUpMs: 200, durationMs: 1_000 },
};

const cpu = (drive: Drive) => drive.cpuPerCall;
const databaseCpu = (drive: Drive) => drive.databaseCpuPerCall;

/** `npm run bench -- versus FOLDER [operation] [binding] [connections]`: for one change, and for what a month lost. */
export async function run(args: readonly string[], options: BenchOptions): Promise<unknown> {
  const [folder, operation = 'countUserPosted', binding = 'SOAP 1.1', connections = '32'] = args;
  if (folder === undefined)
    throw new UsageError('versus needs the folder of the other working copy.');
  if (!(operation in CALLS)) throw new UsageError(`There is no operation called ${operation}.`);
  if (!BINDINGS.includes(binding as Binding))
    throw new UsageError(`Bindings are ${BINDINGS.join(', ')}.`);
  const { params } = CALLS[operation as OperationName];
  const requests = [wireText(requestOf(binding as Binding, operation as OperationName, params))];
  const driven = { connections: Number(connections), ...sizeOf(options, TIMES) };
  const folders = [join(import.meta.dirname, '..'), resolve(folder)];

  const services = folders.map((cwd) => ({ name: cwd, cwd }));
  const drives = await driveServices(services, requests, seed, driven, options);
  const [ours] = drives;
  console.log(
    `${operation}, ${binding}, ${connections} connections; median of ${driven.rounds} rounds (least–most).`,
  );
  const hasServer = options.engine === 'postgres';
  printTable(
    [
      '',
      'calls/s',
      'CPU µs a call',
      'this one’s CPU ÷ its',
      ...(hasServer ? ['PostgreSQL’s CPU µs a call', 'this one’s ÷ its'] : []),
      'p50 ms',
      'p99 ms',
    ],
    drives.map((rounds, index) => [
      folders[index]!,
      withSpread(spread(rounds.map(({ rate }) => rate)), thousands),
      withSpread(spread(rounds.map(cpu)), fixed(1)),
      withSpread(ratios(ours!, rounds, cpu), fixed(2)),
      ...(hasServer
        ? [
            withSpread(spread(rounds.map(databaseCpu)), fixed(1)),
            withSpread(ratios(ours!, rounds, databaseCpu), fixed(2)),
          ]
        : []),
      median(rounds.map(({ latency }) => latency.p50)).toFixed(2),
      median(rounds.map(({ latency }) => latency.p99)).toFixed(2),
    ]),
  );
  noteDisturbance(ours!);
  return drives;
}
