import { type BenchOptions, sizeOf, warmSteps } from './kit/bench.ts';
import { fixed, printGoal, printTable, progress, thousands, withSpread } from './kit/report.ts';
import { type Pair, startBesideBare } from './kit/sides/beside-bare.ts';
import { type Drive, noteDisturbance } from './kit/sides/compare.ts';
import { median, ratios, spread } from './kit/statistics.ts';

export const summary =
  'InsertArticle and UpdatePinnedTopDueDateByGuid, durable, 64 and 4 connections, beside the bare server';

/** As many as make commits that are shared; and those of a site that has one or two visitors who write. */
const MANY = 64;
const FEW = 4;
const TIMES = {
  quick: { rounds: 1, warmUpMs: 50, durationMs: 100 },
  short: { rounds: 4, warmUpMs: 50, durationMs: 300 },
  full: { rounds: 5, warmUpMs: 500, durationMs: 2_000 },
};

/** What InsertArticle is to reach. */
const GOALS = { bare: 0.35, p99ToMedian: 5 };

const OPERATIONS = ['InsertArticle', 'UpdatePinnedTopDueDateByGuid'] as const;
const BINDINGS = ['SOAP 1.1', 'POST', 'JSON'] as const;
/** What the suite of five minutes has. */
const SHORT_BINDINGS = ['SOAP 1.1', 'JSON'] as const;

const rate = (drive: Drive) => drive.rate;
const tail = ({ latency }: Drive) => latency.p99 / latency.p50;

/** `npm run bench -- article` */
export async function run(_args: readonly string[], options: BenchOptions): Promise<unknown> {
  const { quick, short, engine } = options;
  const times = sizeOf(options, TIMES);
  const sides = await startBesideBare(engine);
  const found: { readonly name: string; readonly drives: Pair }[] = [];
  try {
    for (const operation of OPERATIONS) {
      if (!quick) await sides.warmUp(operation, MANY, warmSteps(options));
      for (const binding of short ? SHORT_BINDINGS : BINDINGS) {
        for (const connections of [MANY, FEW]) {
          const name = `${operation}, ${binding}, ${connections} connections`;
          progress(name);
          found.push({ name, drives: await sides.compare(operation, binding, { ...times, connections }) });
        }
      }
    }
  } finally {
    await sides.stop();
  }
  console.log(`${engine}; median of ${times.rounds} rounds (least–most).`);
  printTable(
    ['', 'calls/s', 'bare node:http', '× bare', 'CPU µs a call', 'bare', 'p50 ms', 'p99 ms', 'p99 / p50'],
    found.map(({ name, drives }) => [name, ...rowOf(drives)]),
  );
  const { ours, bare } = found[0]!.drives;
  noteDisturbance(bare);
  const share = ratios(ours, bare, rate);
  const tails = spread(ours.map(tail));
  printGoal(`InsertArticle at least ${GOALS.bare} × bare`, withSpread(share, fixed(2)), share.median >= GOALS.bare);
  printGoal(
    `its p99 at most ${GOALS.p99ToMedian} × the median`,
    withSpread(tails, fixed(1)),
    tails.median <= GOALS.p99ToMedian,
  );
  return found;
}

function rowOf({ ours, bare }: Pair): string[] {
  const middle = (drives: readonly Drive[], value: (drive: Drive) => number) => median(drives.map(value));
  return [
    withSpread(spread(ours.map(rate)), thousands),
    withSpread(spread(bare.map(rate)), thousands),
    withSpread(ratios(ours, bare, rate), fixed(2)),
    middle(ours, (drive) => drive.cpuPerCall).toFixed(1),
    middle(bare, (drive) => drive.cpuPerCall).toFixed(1),
    middle(ours, ({ latency }) => latency.p50).toFixed(2),
    middle(ours, ({ latency }) => latency.p99).toFixed(2),
    middle(ours, tail).toFixed(1),
  ];
}
