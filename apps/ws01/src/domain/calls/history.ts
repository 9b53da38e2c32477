import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import {
  type CallCountsTable,
  COUNT_STEPS,
  type CountStep,
  type FailedCallsTable,
  type Instant,
  LATENCY_BOUNDS,
  type Tables,
} from '../../store/tables/tables.ts';
import { type Periodic, periodically } from '../shared/periodic.ts';
import { newKey } from '../values/keys.ts';

/**
 * Rows of counts, and failed calls, that wait to be written at most while the database fails; what
 * comes then is neither counted nor kept.
 */
const WAITING_MOST = 10_000;

/**
 * Failed calls that are kept of one operation, binding and error between two writes, and of all
 * together; the first of each is kept in any case.
 */
const FAILED_ALIKE = 10;
const FAILED_MOST = 200;

const STEPS = Object.keys(COUNT_STEPS) as readonly CountStep[];

/** The columns of counts that are added up. */
export const SUMMED = [
  'calls',
  'us',
  ...LATENCY_BOUNDS.map((bound) => `ms_${bound}` as const),
  'ms_more',
] as const satisfies readonly (keyof CallCountsTable)[];

type Summed = (typeof SUMMED)[number];

/** An answered call, as the history counts it. */
export interface CountedCall {
  /** `undefined` for a request that no operation was found for. */
  readonly operation: string | undefined;
  readonly binding: string;
  /** The code of the error; `undefined` for success. */
  readonly error: string | undefined;
  readonly durationMs: number;
}

/** What is kept of a call that failed, besides what is counted. */
export type CallFailure = Pick<
  FailedCallsTable,
  | 'request_id'
  | 'status'
  | 'parameter'
  | 'reason'
  | 'address'
  | 'token_id'
  | 'user_id'
  | 'target_kind'
  | 'target_key'
>;

interface HistoryDeps {
  readonly store: Store;
  /** Interval between two writes; ms: what a process that is killed loses. */
  readonly writeEvery: number;
}

/**
 * The only writer of the history of calls. It adds calls up in memory, by minute, and writes them
 * together every few seconds; the counts of several processes and nodes add up in the rows. A call
 * never waits for it, and never fails because of it.
 */
export class CallHistory {
  readonly #store: Store;
  readonly #writing: Periodic;
  /** By minute, operation, binding and error. */
  #counts = new Map<string, CallCountsTable>();
  #failed = new FailedCalls();

  constructor({ store, writeEvery }: HistoryDeps) {
    this.#store = store;
    this.#writing = periodically(writeEvery, () => this.#write());
  }

  /**
   * Counts a call.
   * @param failed of a call with an error, what else to keep; asked for only if it is kept.
   */
  note(call: CountedCall, at: Instant, failed: () => CallFailure): void {
    const { operation = '-', binding, error = '', durationMs } = call;
    const minute = at - (at % COUNT_STEPS.minute);
    const id = `${minute} ${operation} ${binding} ${error}`;
    let row = this.#counts.get(id);
    if (row === undefined) {
      if (this.#counts.size >= WAITING_MOST) return;
      row = { step: 'minute', at: minute, operation, binding, error, ...noCalls() };
      this.#counts.set(id, row);
    }
    row.calls++;
    row.us += Math.round(durationMs * 1_000);
    row[columnOf(durationMs)]++;
    if (error !== '') this.keepFailed({ ...call, error }, at, failed);
  }

  /**
   * Keeps a call that failed and does not count it.
   * @param failed what else to keep; asked for only if it is kept.
   */
  keepFailed(
    call: CountedCall & { readonly error: string },
    at: Instant,
    failed: () => CallFailure,
  ) {
    const { operation = null, binding, error, durationMs } = call;
    const minute = at - (at % COUNT_STEPS.minute);
    this.#failed.note(`${minute} ${operation ?? '-'} ${binding} ${error}`, 0, () => ({
      ...{ id: newKey(), at, operation, binding, error },
      ...{ us: Math.round(durationMs * 1_000), more_alike: 0, ...failed() },
    }));
  }

  /** Stops, and writes what is left. Rejects when it could not be written. */
  async close(): Promise<void> {
    await this.#writing.stop();
    await this.#write();
  }

  /** Writes what was counted; after a failure it is kept for the next time. */
  async #write(): Promise<void> {
    if (this.#counts.size === 0 && this.#failed.isEmpty) return;
    const [counts, failed] = [this.#counts, this.#failed];
    this.#counts = new Map();
    this.#failed = new FailedCalls();
    try {
      await this.#store.write((tx) => writeHistory(tx, [...counts.values()], failed.kept()));
    } catch (error) {
      for (const [id, row] of this.#counts) add(counts, id, row);
      this.#counts = counts;
      failed.takeIn(this.#failed);
      this.#failed = failed;
      throw error;
    }
  }
}

/** Failed calls that wait to be written: of many alike the first, the last of which counts the others. */
class FailedCalls {
  /** By minute, operation, binding and error; each has one at least. */
  readonly #alike = new Map<string, FailedCallsTable[]>();
  #size = 0;

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /**
   * Keeps a call, or counts it with the last one alike.
   * @param more so many further calls it stands for.
   * @param call asked for only if it is kept.
   */
  note(id: string, more: number, call: () => FailedCallsTable): void {
    const alike = this.#alike.get(id) ?? [];
    const last = alike.at(-1);
    const isKept = alike.length < FAILED_ALIKE && this.#size < FAILED_MOST;
    if (last !== undefined && !isKept) {
      last.more_alike = (last.more_alike ?? 0) + 1 + more;
      return;
    }
    if (this.#size >= WAITING_MOST) return;
    alike.push(call());
    this.#alike.set(id, alike);
    this.#size++;
  }

  /** Takes in those that came after these. */
  takeIn(later: FailedCalls): void {
    for (const [id, calls] of later.#alike)
      for (const call of calls) this.note(id, call.more_alike ?? 0, () => call);
  }

  kept(): readonly FailedCallsTable[] {
    return [...this.#alike.values()].flat();
  }
}

const noCalls = () =>
  Object.fromEntries(SUMMED.map((column) => [column, 0])) as Pick<CallCountsTable, Summed>;

function columnOf(durationMs: number): Summed {
  for (const bound of LATENCY_BOUNDS) if (durationMs <= bound) return `ms_${bound}`;
  return 'ms_more';
}

function add(rows: Map<string, CallCountsTable>, id: string, row: CallCountsTable): void {
  const present = rows.get(id);
  if (present === undefined) rows.set(id, row);
  else for (const column of SUMMED) present[column] += row[column];
}

/** Adds the rows of minutes to those of the database, and to those of the longer steps. */
async function writeHistory(
  tx: Kysely<Tables>,
  minutes: readonly CallCountsTable[],
  failed: readonly FailedCallsTable[],
): Promise<void> {
  const rows = new Map<string, CallCountsTable>();
  for (const row of minutes)
    for (const step of STEPS) {
      const at = row.at - (row.at % COUNT_STEPS[step]);
      add(rows, `${step} ${at} ${row.operation} ${row.binding} ${row.error}`, { ...row, step, at });
    }
  // The same order on every node prevents deadlocks.
  for (const [, row] of [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)))
    addCounts.send(tx, row);
  for (const call of failed) insertFailed.send(tx, call);
}

/** Names the columns one by one, as prepared queries want it. */
const columns = <Row extends object>(row: Row, names: readonly (keyof Row)[]) =>
  Object.fromEntries(names.map((name) => [name, row[name]])) as Row;

const KEY = ['step', 'at', 'operation', 'binding', 'error'] as const;

const addCounts = prepare((db, row: CallCountsTable) =>
  db
    .insertInto('call_counts')
    .values(columns(row, [...KEY, ...SUMMED]))
    .onConflict((conflict) =>
      conflict
        .columns(KEY)
        .doUpdateSet((eb) =>
          Object.fromEntries(
            SUMMED.map((column) => [
              column,
              eb(`call_counts.${column}`, '+', eb.ref(`excluded.${column}`)),
            ]),
          ),
        ),
    ),
);

const FAILED = [
  ...(['id', 'at', 'request_id', 'operation', 'binding', 'status', 'error', 'parameter'] as const),
  ...(['reason', 'us', 'address', 'token_id', 'user_id', 'target_kind', 'target_key'] as const),
  'more_alike' as const,
];

const insertFailed = prepare((db, row: FailedCallsTable) =>
  db.insertInto('failed_calls').values(columns(row, FAILED)),
);
