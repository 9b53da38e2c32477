import { DAY_MS } from '@ws01/asmx/time';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { Instant } from '../../store/tables/tables.ts';
import { type Periodic, periodically } from './periodic.ts';
import type { SteadyClock } from './steady-clock.ts';

/** Interval at which the time is stored while anything depends on it; ms. */
export const NOTE_EVERY_MS = 5_000;

/**
 * What a database may be ahead of the clock of a starting process so that it is trusted; ms. What
 * is more was written under a clock that was wrong by days, and is brought back by {@link
 * bringBack}.
 */
export const BELIEVED_MS = DAY_MS;

/** How far the clocks of nodes may be apart; ms. */
export const SKEW_MS = 2_000;

/** The start time of a process's clock, so that it does not go back over a restart. */
export interface Beginning {
  readonly notBefore: Instant;
  /**
   * Whether the database is from an impossible future; then the instants of what waits in it must
   * be set back.
   */
  readonly isFuture: boolean;
}

/** Reads the latest time that the database knows. @param wall the system clock. */
export async function beginningOf(store: Store, wall: Instant): Promise<Beginning> {
  const known = (await store.read((db) => knownTime.first(db, {})))?.at ?? 0;
  const ahead = known - wall;
  if (ahead <= SKEW_MS) return { notBefore: 0, isFuture: false };
  return ahead <= BELIEVED_MS
    ? { notBefore: known, isFuture: false }
    : { notBefore: 0, isFuture: true };
}

/** Makes work that is scheduled too far ahead due now, and expires codes with such an expiry. */
export async function bringBack(store: Store, now: Instant): Promise<void> {
  await store.write(async (tx) => {
    await tx.updateTable('outbox').set({ due_at: now }).where('due_at', '>', now).execute();
    await tx.deleteFrom('phone_codes').where('expires_at', '>', now).execute();
    await tx.updateTable('service_time').set({ at: now }).execute();
  });
}

/**
 * Stores the time while a code, a message or a clock that was set back depends on it; and at the
 * stop.
 */
export function keepTime(store: Store, clock: SteadyClock): Periodic {
  const keeping = periodically(NOTE_EVERY_MS, () => noteTime(store, clock));
  return {
    async stop() {
      await keeping.stop();
      // What cannot be written now was written a moment ago.
      await noteTime(store, clock).catch(() => {});
    },
  };
}

/** Writes the time down if anything depends on it. */
export async function noteTime(store: Store, clock: SteadyClock): Promise<void> {
  const now = clock();
  const waits =
    clock.isAhead() || (await store.read((db) => somethingWaits.first(db, { now }))) !== undefined;
  // The read may have been slow: the clock is read again.
  if (waits) await store.write((tx) => writeTime.run(tx, { now: clock() }));
}

const knownTime = prepare((db, _: Record<never, never>) =>
  db.selectFrom('service_time').select('at'),
);

const somethingWaits = prepare((db, { now }: { now: Instant }) =>
  db
    .selectFrom('phone_codes')
    .select('id')
    .where('expires_at', '>', now)
    .unionAll(db.selectFrom('outbox').select('id').where('due_at', 'is not', null))
    .limit(1),
);

/** The latest of all nodes counts. */
const writeTime = prepare((db, { now }: { now: Instant }) =>
  db
    .insertInto('service_time')
    .values({ id: 1, at: now })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ at: now }).where('service_time.at', '<', now),
    ),
);
