import { makeAuditPartitions } from '../store/partitions.ts';
import type { Store } from '../store/store.ts';
import { purgeAdminSecrets } from './admins/purge.ts';
import { purgeBudgets } from './budgets/spend.ts';
import type { Clock } from './context.ts';
import { purgeTokenNetworks } from './credentials/known-networks.ts';
import { purgeCodes } from './phone/codes.ts';
import { type KeptDays, purgesOf } from './retention/retention.ts';
import { type Periodic, periodically } from './shared/periodic.ts';

/** How often what has had its time is removed; ms. */
const EVERY_MS = 10 * 60 * 1000;

interface HousekeepingDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly kept: KeptDays;
  /** Told why something could not be removed; it is tried again the next time. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Purges expired rows: verification codes, budget windows, networks of tokens, sessions of admins, and data whose
 * retention period is over. Several nodes may do it concurrently.
 */
export function startHousekeeping(deps: HousekeepingDeps): Periodic {
  return periodically(EVERY_MS, () => keepHouse(deps));
}

/**
 * Runs all purges once; failures of one do not stop the others. Also creates the partitions of the audit trail for the
 * next months.
 */
export async function keepHouse({ store, clock, kept, onFailure }: HousekeepingDeps): Promise<void> {
  const kepts = purgesOf(kept).map(({ run }) => run);
  for (const purge of [
    makeAuditPartitions,
    purgeCodes,
    purgeBudgets,
    purgeTokenNetworks,
    purgeAdminSecrets,
    ...kepts,
  ]) {
    try {
      await purge(store, clock());
    } catch (error) {
      onFailure(error);
    }
  }
}
