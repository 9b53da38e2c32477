import { PurgeClock } from '../../src/domain/retention/purge-clock.ts';
import type { Store } from '../../src/store/store.ts';

/** For tests that jump through time: for a purge, all of it since 1970 has passed. */
export async function believingClock(store: Store, clock: () => number): Promise<PurgeClock> {
  let begun = false;
  const time = () => (begun ? clock() : 0);
  const purgeClock = new PurgeClock({ store, clock: time, wall: time, steady: time });
  await purgeClock.look();
  begun = true;
  return purgeClock;
}
