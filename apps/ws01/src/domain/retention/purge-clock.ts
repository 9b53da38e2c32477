import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import { lockName } from '../../store/row-lock.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { doneBy, recordAudit } from '../audit/audit.ts';
import type { Clock } from '../context.ts';

const HOUR_MS = 3_600_000;

/** By how much more than the time that has passed for this process the clock may move, and still be purged by; ms. */
const BELIEVED_MS = 24 * HOUR_MS;

/** By how much while purging is held. A service that is down for longer begins the confirmation anew; ms. */
const CONFIRMING_MS = HOUR_MS;

/** For how long the clock must move as time passes before it is believed; ms. */
const CONFIRMED_AFTER_MS = 24 * HOUR_MS;

/** What ends a hold. */
export const HOLD_REMEDY =
  'if the clock is right, run ws01 purge --trust-clock or wait 24 hours; if not, set it (timedatectl set-ntp true) and restart the service';

interface PurgeClockDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** The clock of the system: when it is behind the service's time, that was brought about by a clock that was wrong. */
  readonly wall: Clock;
  /** Never goes back and is never set; ms. */
  readonly steady: () => number;
  /** Told when this process first finds that the clock is not believed, by how much it has moved unexplained; ms. */
  readonly onHold?: ((unexplained: number) => void) | undefined;
}

/**
 * The time to purge by. A clock that was set years ahead makes everything old, and what is purged does not come back; so
 * nothing is purged while the clock has moved by a day more than the time that has passed for this process explains. That
 * ends when the clock has been confirmed: for 24 hours it moved as time passed. A service that was down for more than a day
 * begins so, too. What has been purged up to is in the database: it counts for every process and over a restart.
 */
export class PurgeClock {
  readonly #deps: PurgeClockDeps;
  /** When this process looked last, on the steady clock. */
  #looked: number | undefined;
  #told = false;

  constructor(deps: PurgeClockDeps) {
    this.#deps = deps;
  }

  /** @returns the time to purge by now; `undefined` while nothing is to be purged. */
  async look(): Promise<Instant | undefined> {
    const { store, clock, wall, steady, onHold } = this.#deps;
    const looked = steady();
    const now = Math.min(clock(), wall());
    const passed = this.#looked === undefined ? 0 : looked - this.#looked;
    const { held, unexplained } = await store.write(async (tx) => {
      lockName(tx, LOCK);
      const next = nextHold(await purgeTime.first(tx, {}), now, passed);
      await keep.run(tx, { at: now, held: next.held });
      return next;
    });
    this.#looked = looked;
    if (held !== null && !this.#told) onHold?.(unexplained);
    this.#told = held !== null;
    return held === null ? now : undefined;
  }
}

/** What the database knows of the time that is purged by. */
interface PurgeTime {
  readonly purge_at: Instant | null;
  readonly purge_held_since: Instant | null;
}

/**
 * Whether purging is held.
 * @param passed since this process looked last; ms, 0 when it never did.
 * @returns since when; `null` when it is not.
 */
function nextHold(
  known: PurgeTime | undefined,
  now: Instant,
  passed: number,
): { readonly held: Instant | null; readonly unexplained: number } {
  if (known === undefined || known.purge_at === null) return { held: null, unexplained: 0 };
  const { purge_at: at, purge_held_since: since } = known;
  // A clock that has come back: nothing is older by it than it was.
  if (now < at - CONFIRMING_MS) return { held: null, unexplained: 0 };
  const unexplained = now - at - passed;
  if (unexplained > (since === null ? BELIEVED_MS : CONFIRMING_MS)) return { held: now, unexplained };
  return { held: since !== null && now - since >= CONFIRMED_AFTER_MS ? null : since, unexplained };
}

/** Since when nothing is purged because the clock is not believed; `undefined` when it is. */
export async function purgeHeldSince(db: Kysely<Tables>): Promise<Instant | undefined> {
  return (await purgeTime.first(db, {}))?.purge_held_since ?? undefined;
}

/** An operator says that the clock is right: purging goes on. @returns whether it was held. */
export function trustClock(store: Store, now: Instant): Promise<boolean> {
  return store.write(async (tx) => {
    lockName(tx, LOCK);
    const since = await purgeHeldSince(tx);
    await keep.run(tx, { at: now, held: null });
    if (since === undefined) return false;
    await recordAudit(tx, {
      at: now,
      action: 'purge.trust-clock',
      target: { kind: 'purge', key: 'clock' },
      ...doneBy(undefined),
      details: { heldSince: since },
    });
    return true;
  });
}

/** What those who look wait for each other by. */
const LOCK = 'purge clock';

const purgeTime = prepare((db, _: Record<never, never>) =>
  db.selectFrom('service_time').select(['purge_at', 'purge_held_since']),
);

/** The time of the service itself is not written here. */
const keep = prepare((db, { at, held }: { at: Instant; held: Instant | null }) =>
  db
    .insertInto('service_time')
    .values({ id: 1, at: 0, purge_at: at, purge_held_since: held })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ purge_at: at, purge_held_since: held })),
);
