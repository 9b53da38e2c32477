import type { OperationName } from '../apps/ws01/src/contract/service.ts';
import { type BenchOptions, sizeOf, warmSteps } from './kit/bench.ts';
import { percent, printTable, progress, thousands } from './kit/report.ts';
import { startBesideBare } from './kit/sides/beside-bare.ts';
import { type Drive, noteDisturbance } from './kit/sides/compare.ts';

export const summary = 'latency at fixed rates, counted from when a request was due: countUserPosted and InsertArticle';

const WORKLOADS: readonly { readonly operation: OperationName; readonly connections: number }[] = [
  { operation: 'countUserPosted', connections: 32 },
  { operation: 'InsertArticle', connections: 64 },
];

/** Of the most that the service answers. */
const SHARES = [0.1, 0.25, 0.5, 0.75];

const TIMES = {
  quick: { warmUpMs: 50, durationMs: 150 },
  short: { warmUpMs: 250, durationMs: 2_000 },
  full: { warmUpMs: 1_000, durationMs: 8_000 },
};

/** `npm run bench -- latency` */
export async function run(_args: readonly string[], options: BenchOptions): Promise<unknown> {
  const { quick, engine } = options;
  const times = sizeOf(options, TIMES);
  const rows: string[][] = [];
  const found: { readonly operation: OperationName; readonly share: number | undefined; readonly drive: Drive }[] = [];
  const sides = await startBesideBare(engine);
  try {
    for (const { operation, connections } of WORKLOADS) {
      if (!quick) await sides.warmUp(operation, connections, warmSteps(options));
      progress(`${operation}, as many as are answered`);
      const most = await sides.drive(operation, 'SOAP 1.1', { ...times, connections });
      rows.push(rowOf(operation, 'as many as are answered', most));
      found.push({ operation, share: undefined, drive: most });
      for (const share of SHARES) {
        progress(`${operation}, ${percent(share)} of that`);
        const rate = most.rate * share;
        const drive = await sides.drive(operation, 'SOAP 1.1', { ...times, connections, rate });
        rows.push(rowOf(operation, percent(share), drive));
        found.push({ operation, share, drive });
      }
    }
  } finally {
    await sides.stop();
  }
  console.log(
    `${engine}, SOAP 1.1, ${times.durationMs / 1000} s each; ms. The last column is what the load was late by itself.`,
  );
  printTable(['', 'rate', 'calls/s', 'p50', 'p90', 'p99', 'p99.9', 'max', 'load late, p99'], rows);
  noteDisturbance(found.map(({ drive }) => drive));
  return found;
}

function rowOf(operation: OperationName, name: string, { rate, latency, lag }: Drive): string[] {
  const { p50, p90, p99, p999, max } = latency;
  const times = [p50, p90, p99, p999, max].map((time) => time.toFixed(2));
  return [operation, name, thousands(rate), ...times, lag === undefined ? '' : lag.p99.toFixed(2)];
}
