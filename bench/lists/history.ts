import { DAY_MS } from '@ws01/asmx/time';
import { WS01 } from '../../apps/ws01/src/contract/service.ts';
import { SUMMED } from '../../apps/ws01/src/domain/calls/history.ts';
import { COUNT_STEPS, type CountStep } from '../../apps/ws01/src/store/tables/tables.ts';
import type { BenchDatabase } from '../kit/database.ts';
import { insertRows } from '../kit/rows.ts';

/** How long the counts of each step are kept; ms. */
const KEPT_MS: Readonly<Record<CountStep, number>> = {
  minute: 3 * DAY_MS,
  quarter: 3 * DAY_MS,
  hour: 90 * DAY_MS,
  'quarter-day': 90 * DAY_MS,
  day: 90 * DAY_MS,
};

const BINDINGS = 4;

/** Fills the history of calls: at each time as many operations, bindings and errors as make so many rows. */
export async function fillHistory(database: BenchDatabase, rows: number): Promise<void> {
  const steps = Object.entries(COUNT_STEPS) as readonly (readonly [CountStep, number])[];
  const times = steps.map(([step, length]) => KEPT_MS[step] / length);
  const each = Math.max(1, Math.floor(rows / times.reduce((sum, one) => sum + one)));
  const now = Date.now();
  const { length: operations } = WS01.operations;
  const kind = `(i % ${each})`;
  for (const [at, [step, length]] of steps.entries())
    await insertRows(
      database,
      'call_counts',
      { from: 0, to: times[at]! * each },
      () => ({
        step: `'${step}'`,
        at: `${now - (now % length)} - (i / ${each}) * ${length}`,
        operation: `'operation-' || (${kind} % ${operations})`,
        binding: `'binding-' || (${kind} / ${operations} % ${BINDINGS})`,
        error: `case when ${kind} < ${operations * BINDINGS} then '' else 'Error' || ${kind} end`,
        ...Object.fromEntries(SUMMED.map((column) => [column, 7])),
      }),
      'number',
    );
}
