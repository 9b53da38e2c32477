import { HOUR_MS } from '@ws01/asmx/time';
import type { Kysely } from 'kysely';
import { prepare } from '../../store/prepared.ts';
import { lockName } from '../../store/row-lock.ts';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { auditAct } from '../audit/audit.ts';
import type { Clock } from '../context.ts';

/**
 * Largest jump of the clock, beyond the time that this process has measured, that does not stop
 * purging; ms.
 */
const BELIEVED_MS = 24 * HOUR_MS;

/**
 * Largest jump while purging is on hold; a larger one, or a longer downtime, restarts the
 * confirmation; ms.
 */
const CONFIRMING_MS = HOUR_MS;

/** How long the clock must run without a jump before purging continues; ms. */
const CONFIRMED_AFTER_MS = 24 * HOUR_MS;

/**
 * No time confirms a larger jump: it would take the trash, the audit trail and more at once; ms.
 */
const LARGE_JUMP_MS = 31 * 24 * HOUR_MS;

/** How an operator ends a hold. */
export const HOLD_REMEDY =
  'if the clock is right, run ws01 purge --trust-clock (a small jump is believed after 24 hours); ' +
  'if not, set it (timedatectl set-ntp true) and restart the service';

interface PurgeClockDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** The system clock. If it is behind the service's time, an earlier clock was wrong. */
  readonly wall: Clock;
  /** A monotonic clock; ms. */
  readonly steady: () => number;
  /**
   * Called when this process first puts purging on hold, with the unexplained jump of the clock;
   * ms.
   */
  readonly onHold?: ((unexplained: number) => void) | undefined;
}

/**
 * The clock for purging. A system clock that is set years ahead would make everything expired, and
 * purged data cannot be restored. So purging is put on hold when the clock has jumped by a day more
 * than this process has measured. The hold ends when the clock is set back, or is confirmed: after
 * 24 hours without a jump, or, where it went more than a month ahead, by an operator alone. A
 * service that was down for more than a day starts with a hold, too. The last purge time is in the
 * database, so that it is shared by all processes and survives restarts.
 */
export class PurgeClock {
  readonly #deps: PurgeClockDeps;
  /** When this process last called {@link look}, on the monotonic clock. */
  #looked: number | undefined;
  #told = false;

  constructor(deps: PurgeClockDeps) {
    this.#deps = deps;
  }

  /** @returns the instant to purge by; `undefined` while purging is on hold. */
  async look(): Promise<Instant | undefined> {
    const { store, clock, wall, steady, onHold } = this.#deps;
    const looked = steady();
    const now = Math.min(clock(), wall());
    const passed = this.#looked === undefined ? 0 : looked - this.#looked;
    const { held, unexplained } = await store.write(async (tx) => {
      lockName(tx, LOCK);
      const next = nextHold(await purgeTime.first(tx, {}), now, passed);
      await keep.run(tx, next);
      return next;
    });
    this.#looked = looked;
    if (held !== null && !this.#told) onHold?.(unexplained);
    this.#told = held !== null;
    return held === null ? now : undefined;
  }
}

/** The last purge time, and since when purging is on hold, as stored. */
interface PurgeTime {
  readonly purge_at: Instant | null;
  readonly purge_held_since: Instant | null;
}

/**
 * Decides whether purging is on hold.
 * @param passed time since this process looked last; ms; 0 the first time.
 * @returns until when purging is up to date, and since when it is on hold; `null` when it is not.
 */
function nextHold(
  known: PurgeTime | undefined,
  now: Instant,
  passed: number,
): { readonly at: Instant; readonly held: Instant | null; readonly unexplained: number } {
  const none = { at: now, held: null, unexplained: 0 };
  if (known === undefined || known.purge_at === null) return none;
  const { purge_at: at, purge_held_since: since } = known;
  // The clock was set back, so nothing expires early.
  if (now < Math.max(at, since ?? at) - CONFIRMING_MS) return none;
  const unexplained = now - at - passed;
  if (unexplained > LARGE_JUMP_MS) return { at: at + passed, held: since ?? now, unexplained };
  if (unexplained > (since === null ? BELIEVED_MS : CONFIRMING_MS))
    return { at: now, held: now, unexplained };
  const isConfirmed = since !== null && now - since >= CONFIRMED_AFTER_MS;
  return { at: now, held: isConfirmed ? null : since, unexplained };
}

/** Since when purging is on hold; `undefined` when it is not. */
export async function purgeHeldSince(db: Kysely<Tables>): Promise<Instant | undefined> {
  return (await purgeTime.first(db, {}))?.purge_held_since ?? undefined;
}

/**
 * Ends a hold because an operator says that the clock is right.
 * @returns whether there was a hold.
 */
export function trustClock(store: Store, now: Instant): Promise<boolean> {
  return store.write(async (tx) => {
    lockName(tx, LOCK);
    const since = await purgeHeldSince(tx);
    await keep.run(tx, { at: now, held: null });
    if (since === undefined) return false;
    await auditAct(tx, 'purge.trust-clock', 'clock', now, undefined, { heldSince: since });
    return true;
  });
}

/** The name of the lock that serializes concurrent looks. */
const LOCK = 'purge clock';

const purgeTime = prepare((db, _: Record<never, never>) =>
  db.selectFrom('service_time').select(['purge_at', 'purge_held_since']),
);

/** Stores the purge time and the hold; the service's own time is stored elsewhere. */
const keep = prepare((db, { at, held }: { at: Instant; held: Instant | null }) =>
  db
    .insertInto('service_time')
    .values({ id: 1, at: 0, purge_at: at, purge_held_since: held })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ purge_at: at, purge_held_since: held }),
    ),
);
