import type { Kysely } from 'kysely';
import { deleteExpired } from '../../store/delete-expired.ts';
import { prepare } from '../../store/prepared.ts';
import type { Store } from '../../store/store.ts';
import type { BudgetsTable, Instant, Tables } from '../../store/tables/tables.ts';
import { allInOrder } from '../shared/all-in-order.ts';
import { removeBefore } from '../shared/batches.ts';
import type { Rate } from '../values/rate.ts';
import { type BudgetName, rateLimited, windowName } from './rates.ts';
import { isOver, moreUses } from './windows.ts';

/**
 * Spends one use of a budget, in the transaction of the call. Calls that fail or repeat spend
 * nothing, counts survive a restart, and all nodes share them. The lock on the row serializes
 * racing calls.
 *
 * @param key the owner of the budget: a user, a phone number or an e-mail address.
 * @param uses more than one for budgets of bytes. The last call of a window may exceed it, so that
 *   what is larger than a budget is not refused for ever.
 * @throws {Ws01Error} `RateLimited` when one of the rates is used up.
 */
export async function spend(
  tx: Kysely<Tables>,
  name: BudgetName,
  rates: readonly Rate[],
  key: string,
  now: Instant,
  uses = 1,
): Promise<void> {
  await allInOrder(
    rates.map(async (rate) => {
      const window = windowName(name, rate);
      const resetsAt = now + rate.window;
      const use = { name: window, key, used: uses, now, limit: rate.limit, resets_at: resetsAt };
      if ((await countUse.run(tx, use)) === 1) return;
      const row = await presentWindow.first(tx, { name: window, key });
      throw rateLimited(name, rate, row?.resets_at ?? now, now);
    }),
  );
}

/** Reads the row of a window, even if the window is over, and locks it until the write ends. */
const presentWindow = prepare((db, row: Pick<BudgetsTable, 'name' | 'key'>) =>
  db
    .selectFrom('budgets')
    .select('resets_at')
    .where('name', '=', row.name)
    .where('key', '=', row.key),
);

/** Starts a window, or counts more uses in it; changes no row when the window is full. */
const countUse = prepare((db, use: BudgetsTable & { now: Instant; limit: number }) =>
  db
    .insertInto('budgets')
    .values({ name: use.name, key: use.key, used: use.used, resets_at: use.resets_at })
    .onConflict((conflict) =>
      conflict
        .columns(['name', 'key'])
        .doUpdateSet(moreUses(use.now))
        .where((eb) => eb.or([isOver(eb, use.now), eb('budgets.used', '<', use.limit)])),
    ),
);

/**
 * Deletes windows that are over. Calls may overlap, also from several processes.
 * @returns the number of rows deleted.
 */
export async function purgeBudgets(store: Store, now: Instant): Promise<number> {
  return removeBefore(store, deleteEnded, now);
}

const deleteEnded = deleteExpired('budgets', ['name', 'key'], 'resets_at');
