import { HOLD_REMEDY, PurgeClock } from '../../domain/retention/purge-clock.ts';
import type { Store } from '../../store/store.ts';
import { CommandFailure } from '../failure.ts';

/**
 * @throws {CommandFailure} when the clock is days ahead of the time that has passed, as far as is
 *   known.
 */
export async function assertClockBelieved(store: Store): Promise<void> {
  const steady = () => performance.now();
  const now = await new PurgeClock({ store, clock: Date.now, wall: Date.now, steady }).look();
  if (now === undefined)
    throw new CommandFailure(`Nothing was purged: the clock is not believed; ${HOLD_REMEDY}.`);
}
