import { type Kysely, sql } from 'kysely';
import { ERRORS, type ErrorCode, IMAGE_REFUSALS } from '../../contract/errors.ts';
import {
  COUNT_STEPS,
  type CountStep,
  type Instant,
  LATENCY_BOUNDS,
  type Tables,
} from '../../store/tables/tables.ts';
import { SUMMED } from './history.ts';

const MINUTE_MS = COUNT_STEPS.minute;
const HOUR_MS = COUNT_STEPS.hour;

/** What a report may cover: so many slots of a length, in ms, made of the rows of a step. */
export const RANGES = {
  '1h': { slots: 60, slotMs: MINUTE_MS, step: 'minute' },
  '24h': { slots: 96, slotMs: 15 * MINUTE_MS, step: 'quarter' },
  '7d': { slots: 168, slotMs: HOUR_MS, step: 'hour' },
  '30d': { slots: 120, slotMs: 6 * HOUR_MS, step: 'quarter-day' },
  '90d': { slots: 90, slotMs: 24 * HOUR_MS, step: 'day' },
} as const satisfies Record<string, { slots: number; slotMs: number; step: CountStep }>;

export type ReportRange = keyof typeof RANGES;

/** The calls of one operation over one binding. */
export interface CallSummary {
  /** `-` for requests that no operation was found for. */
  readonly operation: string;
  readonly binding: string;
  readonly calls: number;
  readonly clientErrors: number;
  readonly serverErrors: number;
  /** ms. */
  readonly mean: number;
  /** 95 of 100 calls took at most this long; ms. */
  readonly p95: number;
}

/** The calls of one slot of a report. */
interface SlotSummary extends Pick<CallSummary, 'calls'> {
  readonly errors: number;
  /** As of {@link CallSummary}; ms. `undefined` without a call. */
  readonly mean: number | undefined;
  readonly p95: number | undefined;
}

/** The calls of a time. */
export interface CallReport {
  /** Length of a slot; ms. */
  readonly slotMs: number;
  /** Starts of the slots, in UTC, the oldest first; ms since 1970. */
  readonly times: readonly Instant[];
  readonly slots: readonly SlotSummary[];
  /** Calls in the slots of as long a time before; `undefined` where so much is not kept. */
  readonly before: readonly number[] | undefined;
  /** Those with the most calls first. */
  readonly summaries: readonly CallSummary[];
  /** By code, the most frequent first. */
  readonly codes: readonly { readonly error: string; readonly calls: number }[];
}

type Counted = Readonly<Record<(typeof SUMMED)[number], number | string>>;

/**
 * Reports the calls of all nodes up to now, as far as they are written.
 * @param operation only this one; absent: all.
 */
export async function reportOf(
  db: Kysely<Tables>,
  range: ReportRange,
  operation: string | undefined,
  now: Instant,
): Promise<CallReport> {
  const { slots, slotMs, step } = RANGES[range];
  const first = Math.floor(now / slotMs) - slots + 1;
  const isIt = operation === undefined ? sql`` : sql`and operation = ${operation}`;
  /** The rows of so many slots. */
  const countsFrom = (slot: number) => {
    // Each time by itself: PostgreSQL expects of a step as many late rows as of all steps together.
    const length = COUNT_STEPS[step];
    const steps = Array.from(
      { length: (slots * slotMs) / length },
      (_, at) => slot * slotMs + at * length,
    );
    return sql`from call_counts where step = ${step} and at in (${sql.join(steps)}) ${isIt}`;
  };
  const sums = sql.join(SUMMED.map((name) => sql`sum(${sql.ref(name)}) as ${sql.ref(name)}`));
  const { rows } = await sql<Counted & Record<'operation' | 'binding' | 'error', string>>`
    select operation, binding, error, ${sums} ${countsFrom(first)} group by operation, binding, error`.execute(
    db,
  );
  const timed = async (from: number): Promise<readonly SlotSummary[]> => {
    const { rows: all } = await sql<Counted & Record<'at' | 'errors', number | string>>`
      select at, ${sums}, sum(case when error = '' then 0 else calls end) as errors
      ${countsFrom(from)} group by at`.execute(db);
    const bySlot = Map.groupBy(all, ({ at }) => Math.floor(Number(at) / slotMs) - from);
    return Array.from({ length: slots }, (_, slot) => slotOf(bySlot.get(slot) ?? []));
  };
  const same = Map.groupBy(rows, (row) => `${row.operation} ${row.binding}`);
  return {
    slotMs,
    times: Array.from({ length: slots }, (_, slot) => (first + slot) * slotMs),
    slots: await timed(first),
    before: range === '90d' ? undefined : (await timed(first - slots)).map(({ calls }) => calls),
    summaries: [...same.values()]
      .map(summaryOf)
      .toSorted(
        (one, other) => other.calls - one.calls || (one.operation < other.operation ? -1 : 1),
      ),
    codes: [...Map.groupBy(rows, ({ error }) => error)]
      .filter(([error]) => error !== '')
      .map(([error, all]) => ({ error, calls: sumOf(all, 'calls') }))
      .toSorted((one, other) => other.calls - one.calls || (one.error < other.error ? -1 : 1)),
  };
}

const sumOf = <Column extends string>(
  rows: readonly Readonly<Record<Column, number | string>>[],
  column: Column,
): number => rows.reduce((sum, row) => sum + Number(row[column]), 0);

function slotOf(rows: readonly (Counted & Record<'errors', number | string>)[]): SlotSummary {
  const calls = sumOf(rows, 'calls');
  const errors = sumOf(rows, 'errors');
  return calls === 0
    ? { calls, errors, mean: undefined, p95: undefined }
    : { calls, errors, ...timesOf(rows, calls) };
}

/** What 95 of 100 calls took at most that took longer than all bounds; ms. */
const LONGEST = 60_000;

/** How long calls took, of which there is one at least. */
function timesOf(
  rows: readonly Counted[],
  calls: number,
): { readonly mean: number; readonly p95: number } {
  let seen = 0;
  const p95 = LATENCY_BOUNDS.find((bound) => {
    seen += sumOf(rows, `ms_${bound}`);
    return seen >= calls * 0.95;
  });
  return { mean: sumOf(rows, 'us') / 1_000 / calls, p95: p95 ?? LONGEST };
}

const REFUSED: ReadonlySet<string> = new Set(IMAGE_REFUSALS);

/** The side at fault; `undefined` for success. */
function sideOf(error: string) {
  if (error === '') return undefined;
  return REFUSED.has(error) ? 'client' : (ERRORS[error as ErrorCode]?.side ?? 'server');
}

function summaryOf(
  rows: readonly (Counted & Record<'operation' | 'binding' | 'error', string>)[],
): CallSummary {
  const { operation, binding } = rows[0]!;
  const calls = sumOf(rows, 'calls');
  const errorsOf = (side: 'client' | 'server') =>
    sumOf(
      rows.filter(({ error }) => sideOf(error) === side),
      'calls',
    );
  return {
    operation,
    binding,
    calls,
    clientErrors: errorsOf('client'),
    serverErrors: errorsOf('server'),
    ...timesOf(rows, calls),
  };
}
