import type { OperationName } from '../apps/ws01/src/contract/service.ts';
import { type BenchOptions, sizeOf, UsageError } from './kit/bench.ts';
import { percent, printTable, progress, thousands } from './kit/report.ts';
import { type BesideBare, type Pair, startBesideBare } from './kit/sides/beside-bare.ts';
import { type Drive, type DriveOptions, noteDisturbance } from './kit/sides/compare.ts';
import { median, ratios, spread } from './kit/statistics.ts';
import { CALLS, OPERATIONS } from './kit/workloads/calls.ts';
import { BINDINGS, type Binding } from './kit/workloads/requests.ts';

export const summary = 'the 20 operations in every binding beside the bare server: [operation…]';

type Options = DriveOptions & { readonly rounds: number };
const SIZES: { readonly [Size in 'quick' | 'short' | 'full']: Options } = {
  quick: { connections: 32, rounds: 1, warmUpMs: 20, durationMs: 60 },
  short: { connections: 32, rounds: 3, warmUpMs: 30, durationMs: 150 },
  full: { connections: 32, rounds: 3, warmUpMs: 100, durationMs: 400 },
};
/** What the suite of five minutes has: SOAP, and for what clients write by hand one more. */
const SHORT_BINDINGS: readonly Binding[] = ['SOAP 1.1', 'JSON'];

interface Cell {
  readonly operation: OperationName;
  readonly binding: Binding;
  readonly drives: Pair;
}

/** `npm run bench -- operations [operation…]` */
export async function run(wanted: readonly string[], asked: BenchOptions): Promise<unknown> {
  const { quick, short, engine } = asked;
  const bindings = short ? SHORT_BINDINGS : BINDINGS;
  const operations = chosen(wanted);
  const options = sizeOf(asked, SIZES);
  const sides = await startBesideBare(engine);
  const cells: Cell[] = [];
  try {
    for (const operation of operations) {
      progress(operation);
      // What operations share is compiled with the first.
      if (!quick)
        await sides.warmUp(
          operation,
          options.connections,
          short && cells.length > 0 ? 1 : undefined,
        );
      cells.push(...(await measure(sides, operation, bindings, options)));
    }
  } finally {
    await sides.stop();
  }
  report(operations, bindings, cells, options, engine);
  return cells;
}

function chosen(names: readonly string[]): readonly OperationName[] {
  if (names.length === 0) return OPERATIONS;
  return names.map((name) => {
    const operation = OPERATIONS.find((known) => known === name);
    if (operation === undefined) throw new UsageError(`There is no operation called ${name}.`);
    return operation;
  });
}

async function measure(
  sides: BesideBare,
  operation: OperationName,
  bindings: readonly Binding[],
  options: Options,
): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const binding of bindings) {
    cells.push({ operation, binding, drives: await sides.compare(operation, binding, options) });
  }
  return cells;
}

const rate = (drive: Drive) => drive.rate;
const cpu = (drive: Drive) => drive.cpuPerCall;

function report(
  operations: readonly OperationName[],
  bindings: readonly Binding[],
  cells: readonly Cell[],
  { connections, rounds }: Options,
  engine: string,
): void {
  console.log(
    `${engine}, ${connections} connections; median of ${rounds} rounds: calls/s, in proportion to the bare server, CPU µs a call.`,
  );
  const cellText = (operation: OperationName, binding: Binding): string => {
    const { ours, bare } = cells.find(
      (cell) => cell.operation === operation && cell.binding === binding,
    )!.drives;
    const ratio = ratios(ours, bare, rate).median;
    return `${thousands(median(ours.map(rate)))}, ${ratio.toFixed(2)}, ${Math.round(median(ours.map(cpu)))} µs`;
  };
  printTable(
    ['operation', ...bindings, 'what'],
    operations.map((operation) => [
      operation,
      ...bindings.map((binding) => cellText(operation, binding)),
      CALLS[operation].does,
    ]),
  );
  const bare = cells.flatMap(({ drives }) => drives.bare);
  noteDisturbance(bare);
  const [rates, cpus] = [spread(bare.map(rate)), spread(bare.map(cpu))];
  const load = Math.max(...bare.map(({ loadShare }) => loadShare));
  console.log(
    `The bare server: ${thousands(rates.median)} calls/s (${thousands(rates.min)}–${thousands(rates.max)}), ` +
      `${Math.round(cpus.median)} µs (${Math.round(cpus.min)}–${Math.round(cpus.max)}); the load took at most ${percent(load)} of its core.`,
  );
}
