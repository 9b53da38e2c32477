import { MINUTE_MS } from '@ws01/asmx/time';
import { inBackground } from '../store/in-background.ts';
import { makeAuditPartitions } from '../store/partitions.ts';
import type { Store } from '../store/store.ts';
import { purgeAdminSecrets } from './admins/purge.ts';
import { purgeBudgets } from './budgets/spend.ts';
import { purgeTokenNetworks } from './credentials/known-networks.ts';
import { purgeCodes } from './phone/codes.ts';
import type { PurgeClock } from './retention/purge-clock.ts';
import { purgesOf, type RetentionDays } from './retention/retention.ts';
import { type Periodic, periodically } from './shared/periodic.ts';

/** Purge interval; ms. */
const EVERY_MS = 10 * MINUTE_MS;

interface HousekeepingDeps {
  readonly store: Store;
  /** Returns the time for purges, or that purges are paused. */
  readonly purgeClock: PurgeClock;
  readonly kept: RetentionDays;
  /** Called when a purge failed; it is retried at the next interval. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Purges expired rows: verification codes, budget windows, networks of tokens, sessions of admins,
 * and data whose retention period is over. Several nodes may do it concurrently. A stop waits for
 * the write in progress; the next run goes on.
 */
export function startHousekeeping(deps: HousekeepingDeps): Periodic {
  return periodically(EVERY_MS, (stopping) => {
    const onFailure = (error: unknown) => {
      if (error !== stopping.reason) deps.onFailure(error);
    };
    return runHousekeeping({ ...deps, store: inBackground(deps.store, stopping), onFailure });
  });
}

/**
 * Runs all purges once; a failure does not stop the others. Also creates the partitions of the
 * audit trail for the next months. Does nothing while the clock is not trusted.
 */
export async function runHousekeeping({
  store,
  purgeClock,
  kept,
  onFailure,
}: HousekeepingDeps): Promise<void> {
  const kepts = purgesOf(kept).map(({ run }) => run);
  try {
    const now = await purgeClock.look();
    if (now === undefined) return;
    for (const purge of [
      makeAuditPartitions,
      purgeCodes,
      purgeBudgets,
      purgeTokenNetworks,
      purgeAdminSecrets,
      ...kepts,
    ]) {
      await purge(store, now).catch(onFailure);
    }
  } catch (error) {
    onFailure(error);
  }
}
