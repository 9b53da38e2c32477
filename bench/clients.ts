import { type BenchOptions, sizeOf, warmSteps } from './kit/bench.ts';
import { startLoad } from './kit/load/load.ts';
import { fixed, printTable, progress, withSpread } from './kit/report.ts';
import {
  alternate,
  type Contender,
  type Drive,
  noteDisturbance,
  warmUp,
} from './kit/sides/compare.ts';
import { ask, wireText } from './kit/sides/http.ts';
import { startService } from './kit/sides/service.ts';
import { median, ratios, spread } from './kit/statistics.ts';
import { CALLS } from './kit/workloads/calls.ts';
import { type RecordedCall, recordedCalls } from './kit/workloads/recorded.ts';
import { numbered, requestOf } from './kit/workloads/requests.ts';
import { seed } from './kit/workloads/seed.ts';

export const summary =
  'recorded calls of .NET, WCF, PHP, Java, Python and Perl clients, each and all mixed: CPU time a call';

const CONNECTIONS = 32;
const OPTIONS = {
  quick: { rounds: 1, warmUpMs: 20, durationMs: 60 },
  short: { rounds: 3, warmUpMs: 50, durationMs: 200 },
  full: { rounds: 9, warmUpMs: 100, durationMs: 500 },
};

const OPERATIONS = ['countUserPosted', 'InsertArticle'] as const;
const OWN = 'the bench’s own envelope';
const UNASKED = ', without Expect';
const MIXED = 'all recorded ones, mixed';

/** A number that neither the seed nor the load uses. */
const TRIAL = 810_000_000_000;

/** `npm run bench -- clients` */
export async function run(_args: readonly string[], options: BenchOptions): Promise<unknown> {
  const times = sizeOf(options, OPTIONS);
  const recorded = recordedCalls().flatMap(withAndWithoutExpect);
  const names = [OWN, MIXED, ...new Set(recorded.map(({ client }) => client))];
  const load = startLoad();
  const side = await startService(options.engine);
  try {
    await seed(side.port);
    for (const { client, operation, request } of recorded) {
      const { status, body } = await ask(side.port, numbered(request, TRIAL));
      if (status !== 200) throw new Error(`${client}, ${operation}: ${status} ${body}`);
    }
    const found = [];
    for (const operation of OPERATIONS) {
      progress(operation);
      const own = wireText(requestOf('SOAP 1.1', operation, CALLS[operation].params));
      const requestsOf = (name: string): readonly string[] => {
        if (name === OWN) return [own];
        const calls = recorded.filter(
          ({ operation: called, client }) =>
            called === operation && (name === MIXED ? !client.endsWith(UNASKED) : client === name),
        );
        return calls.map(({ request }) => wireText(request));
      };
      const contenders = names.map((name): Contender => ({ side, requests: requestsOf(name) }));
      if (!options.quick) await warmUp(load, contenders[1]!, CONNECTIONS, warmSteps(options));
      found.push({
        operation,
        drives: await alternate(load, contenders, { connections: CONNECTIONS, ...times }),
      });
    }
    report(names, found, times.rounds);
    return found.map(({ operation, drives }) => ({
      operation,
      clients: names.map((name, index) => ({ name, drives: drives[index] })),
    }));
  } finally {
    await Promise.all([load.stop(), side.stop()]);
  }
}

/** A call whose client asks before it sends the body, and the same from one that does not ask. */
function withAndWithoutExpect(call: RecordedCall): readonly RecordedCall[] {
  const { Expect: expect, ...headers } = call.request.headers;
  if (expect === undefined) return [call];
  return [
    call,
    { ...call, client: `${call.client}${UNASKED}`, request: { ...call.request, headers } },
  ];
}

const cpu = (drive: Drive) => drive.cpuPerCall;

type Found = readonly {
  readonly operation: string;
  readonly drives: readonly (readonly Drive[])[];
}[];

function report(names: readonly string[], found: Found, rounds: number): void {
  console.log(`${CONNECTIONS} connections; median of ${rounds} rounds (least–most).`);
  printTable(
    ['client', ...found.flatMap(({ operation }) => [`${operation}, CPU µs`, `× ${OWN}`])],
    names.map((name, index) => [
      name,
      ...found.flatMap(({ drives }) => [
        median(drives[index]!.map(cpu)).toFixed(1),
        withSpread(ratios(drives[index]!, drives[0]!, cpu), fixed(2)),
      ]),
    ]),
  );
  const own = found.flatMap(({ drives }) => drives[0]!);
  noteDisturbance(own);
  const waited = spread(own.map(({ serverWaitedShare }) => serverWaitedShare));
  if (waited.max > 0.5) console.log('Some rounds had less than half of their core.');
}
