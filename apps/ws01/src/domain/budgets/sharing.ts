import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { type AddressBudgets, type AddressWindow, idOf } from './address-budgets.ts';
import { moreUses } from './windows.ts';

/** Largest number of windows in one statement. */
const BATCH = 500;

interface SharedUse {
  readonly window: AddressWindow;
  readonly uses: number;
}

/**
 * Shares the new uses of addresses with the other nodes, through the table of budgets, and reads
 * the totals. Between two runs, the nodes together may exceed a budget. After a failure, the uses
 * are shared the next time.
 * @throws {DependencyError} as the store.
 */
export async function shareBudgets(
  store: Store,
  budgets: AddressBudgets,
  now: Instant,
): Promise<void> {
  // The same order on every node prevents deadlocks.
  const told = budgets.takeUnshared().toSorted(byNameAndKey);
  for (let start = 0; start < told.length; start += BATCH) {
    const batch = told.slice(start, start + BATCH);
    try {
      const rows = await store.write((tx) => addUses(tx, batch, now));
      const byId = new Map(batch.map(({ window }) => [idOf(window), window]));
      for (const row of rows) {
        const window = byId.get(idOf(row));
        if (window !== undefined) budgets.learn(window, row.used, row.resets_at);
      }
    } catch (error) {
      for (const { window, uses } of told.slice(start)) budgets.returnUnshared(window, uses);
      throw error;
    }
  }
}

/** Adds uses to windows. @returns the totals of these windows. */
function addUses(tx: Kysely<Tables>, batch: readonly SharedUse[], now: Instant) {
  return tx
    .insertInto('budgets')
    .values(
      batch.map(({ window, uses }) => ({
        name: window.name,
        key: window.key,
        used: uses,
        resets_at: window.resetsAt,
      })),
    )
    .onConflict((conflict) => conflict.columns(['name', 'key']).doUpdateSet(moreUses(now)))
    .returning(['name', 'key', 'used', 'resets_at'])
    .execute();
}

function byNameAndKey({ window: one }: SharedUse, { window: other }: SharedUse): number {
  const [a, b] = [idOf(one), idOf(other)];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
