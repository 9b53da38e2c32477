import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { type AddressBudgets, type AddressWindow, idOf } from './address-budgets.ts';

/** Windows told in one statement at most. */
const BATCH = 500;

interface SharedUse {
  readonly window: AddressWindow;
  readonly uses: number;
}

/**
 * Tells the other nodes, through the table of budgets, what this one's addresses have used up since the last time, and
 * learns what they have used up together. A budget can so be overdrawn by what the nodes let pass between two times.
 * What cannot be told is told the next time.
 * @throws {DependencyError} as the store.
 */
export async function shareBudgets(store: Store, budgets: AddressBudgets, now: Instant): Promise<void> {
  // In one order on every node, so that none waits for another in a circle.
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

/** @returns what is used up of each window with the uses added. */
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
    .onConflict((conflict) =>
      conflict.columns(['name', 'key']).doUpdateSet((eb) => ({
        used: eb
          .case()
          .when('budgets.resets_at', '<=', now)
          .then(eb.ref('excluded.used'))
          .else(eb('budgets.used', '+', eb.ref('excluded.used')))
          .end(),
        resets_at: eb
          .case()
          .when('budgets.resets_at', '<=', now)
          .then(eb.ref('excluded.resets_at'))
          .else(eb.ref('budgets.resets_at'))
          .end(),
      })),
    )
    .returning(['name', 'key', 'used', 'resets_at'])
    .execute();
}

function byNameAndKey({ window: one }: SharedUse, { window: other }: SharedUse): number {
  const [a, b] = [idOf(one), idOf(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}
