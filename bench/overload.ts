import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { BenchOptions } from './kit/bench.ts';
import type { CrowdFindings, CrowdGroup } from './kit/load/crowd.ts';
import { startLoad } from './kit/load/load.ts';
import { printTable, progress, thousands } from './kit/report.ts';
import { drive, warmUp } from './kit/sides/compare.ts';
import { LOAD_CORE } from './kit/sides/cores.ts';
import { wireText } from './kit/sides/http.ts';
import { startService } from './kit/sides/service.ts';
import { CALLS } from './kit/workloads/calls.ts';
import { requestOf } from './kit/workloads/requests.ts';
import { seed } from './kit/workloads/seed.ts';

export const summary =
  'more calls than can be answered: who is told Busy, how long the others wait, and for how long after';

/** A list, which takes a processor some milliseconds. */
const OPERATION = 'QueryAdvert';
/** How much more comes than can be answered. */
const TIMES = [0.5, 1, 2, 3, 0.5];
const CROWD = 200;
/** No more than a quiet service answers in a moment. */
const POLITE = 0.3;

/** `npm run bench -- overload` */
export async function run(
  _args: readonly string[],
  { quick, engine }: BenchOptions,
): Promise<unknown> {
  const durationMs = quick ? 200 : 4_000;
  const load = startLoad();
  progress(`starting on ${engine}`);
  const service = await startService(engine);
  const crowd = spawn(
    'taskset',
    ['-c', LOAD_CORE, process.execPath, `${import.meta.dirname}/kit/load/crowd-process.ts`],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  const rows: string[][] = [];
  const found: CrowdFindings[] = [];
  try {
    await seed(service.port);
    const request = wireText(requestOf('POST', OPERATION, CALLS[OPERATION].params));
    const contender = { side: service, requests: [request] };
    if (!quick) await warmUp(load, contender, 64);
    const most = await drive(load, contender, {
      connections: 64,
      warmUpMs: quick ? 50 : 1_000,
      durationMs,
    });
    progress(`${thousands(most.rate)} calls a second are answered at most`);
    const step = async (name: string, groups: readonly CrowdGroup[]) => {
      progress(name);
      const came = once(crowd, 'message');
      crowd.send({ port: service.port, pid: service.pid, request, groups, durationMs });
      const [findings] = (await came) as [CrowdFindings];
      found.push(findings);
      for (const [index, group] of findings.groups.entries()) {
        const { accepted, busy, leftOut, failed, latency } = group;
        rows.push([
          findings.groups.length === 1 ? name : `${name}: ${index === 0 ? 'the one' : 'the other'}`,
          thousands(groups[index]!.rate),
          thousands(accepted / findings.seconds),
          thousands(busy / findings.seconds),
          String(leftOut),
          String(failed + findings.healthFailed),
          latency.p50.toFixed(0),
          latency.p99.toFixed(0),
          findings.health.p99.toFixed(0),
          findings.health.max.toFixed(0),
          findings.endedMs.toFixed(0),
          findings.resident.toFixed(0),
        ]);
      }
    };
    for (const times of TIMES)
      await step(`${times} ×`, [{ addresses: CROWD, rate: most.rate * times }]);
    await step('beside 3 × from one address', [
      { addresses: 1, rate: most.rate * 3 },
      { addresses: 1, rate: most.rate * POLITE },
    ]);
    await step('3 ×, each on a new connection', [
      { addresses: CROWD, rate: most.rate * 3, afresh: true },
    ]);
    await step('0.5 ×, again', [{ addresses: CROWD, rate: most.rate * 0.5 }]);
  } finally {
    crowd.disconnect();
    await Promise.all([load.stop(), service.stop()]);
  }
  console.log(
    `${engine}, ${OPERATION}, HTTP POST, ${durationMs / 1000} s each; ms, MiB. Times are from when a call was due; health is asked on a new connection each time.`,
  );
  printTable(
    [
      'comes',
      'due/s',
      'answered/s',
      'Busy/s',
      'left out',
      'failed',
      'p50',
      'p99',
      'health p99',
      'health max',
      'over after',
      'RSS',
    ],
    rows,
  );
  return found;
}
