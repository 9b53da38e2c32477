import { DAY_MS } from '@ws01/asmx/time';
import { type Kysely, sql } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { CountStep, Instant, Tables } from '../../store/tables/tables.ts';
import { idBefore } from '../audit/audit.ts';
import { removeInBatches } from '../shared/batches.ts';

/** How long counts by minute and quarter are kept; the others stay as the retention says. ms. */
const SHORT_KEPT_MS = 3 * DAY_MS;

/** Failed calls that are kept at most, however young they are. */
const FAILED_MOST = 100_000;

interface Expiring {
  readonly step: CountStep;
  readonly before: Instant;
}

/** From when on counts of each step are kept. */
const expiring = (before: Instant, now: Instant): readonly Expiring[] => {
  const short = Math.max(before, now - SHORT_KEPT_MS);
  return [
    { step: 'day', before },
    { step: 'quarter-day', before },
    { step: 'hour', before },
    { step: 'quarter', before: short },
    { step: 'minute', before: short },
  ];
};

/**
 * Deletes counts from before an instant, and those by short steps that are older than three days.
 */
export async function purgeCounts(store: Store, before: Instant, now: Instant): Promise<number> {
  let removed = 0;
  for (const old of expiring(before, now))
    removed += await removeInBatches(store, (tx, most) => deleteCounts.run(tx, { ...old, most }));
  return removed;
}

/** Counts what {@link purgeCounts} would delete. */
export async function countCounts(
  db: Kysely<Tables>,
  before: Instant,
  now: Instant,
): Promise<{ rows: number }> {
  let all = 0;
  for (const { step, before: until } of expiring(before, now)) {
    const counted = sql<{ rows: number | string }>`select count(*) as rows from call_counts
      where step = ${step} and at < ${until}`;
    all += Number((await counted.execute(db)).rows[0]!.rows);
  }
  return { rows: all };
}

const deleteCounts = prepare((db, { step, before, most }: Expiring & { readonly most: number }) =>
  db
    .deleteFrom('call_counts')
    .where('step', '=', step)
    .where((eb) =>
      eb(
        eb.refTuple('at', 'operation', 'binding', 'error'),
        'in',
        eb
          .selectFrom('call_counts')
          .select(['at', 'operation', 'binding', 'error'])
          .where('step', '=', step)
          .where('at', '<', before)
          .orderBy('at')
          .limit(most)
          .$asTuple('at', 'operation', 'binding', 'error'),
      ),
    ),
);

/** Deletes failed calls from before an instant, and the oldest of too many. */
export function purgeFailed(store: Store, before: Instant): Promise<number> {
  return removeInBatches(store, async (tx, most) =>
    deleteFailed.run(tx, { before: await firstKept(tx, before), most }),
  );
}

/** Counts what {@link purgeFailed} would delete. */
export async function countFailed(db: Kysely<Tables>, before: Instant): Promise<{ rows: number }> {
  const first = await firstKept(db, before);
  const counted = sql<{ rows: number | string }>`select count(*) as rows from failed_calls
    where id < ${first}`;
  return { rows: Number((await counted.execute(db)).rows[0]!.rows) };
}

/** The lowest id that stays. */
async function firstKept(db: Kysely<Tables>, before: Instant): Promise<string> {
  const oldest = await newest.first(db, { skipped: FAILED_MOST - 1 });
  const expired = idBefore(before);
  return oldest !== undefined && oldest.id > expired ? oldest.id : expired;
}

const newest = prepare((db, { skipped }: { skipped: number }) =>
  db.selectFrom('failed_calls').select('id').orderBy('id', 'desc').limit(1).offset(skipped),
);

const deleteFailed = prepare((db, { before, most }: { before: string; most: number }) =>
  db
    .deleteFrom('failed_calls')
    .where('id', 'in', (eb) =>
      eb.selectFrom('failed_calls').select('id').where('id', '<', before).orderBy('id').limit(most),
    ),
);
