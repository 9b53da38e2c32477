import { type Budgets, createBudgets } from '../../src/domain/budgets/budgets.ts';
import { NO_BOUNDS } from '../../src/domain/budgets/rates.ts';
import type { Clock } from '../../src/domain/context.ts';
import type { Store } from '../../src/store/store.ts';

/** Budgets that refuse nothing. */
export function unlimitedBudgets(store: Store, clock: Clock): Budgets {
  return createBudgets({ rates: NO_BOUNDS, store, clock, shareEvery: undefined });
}
