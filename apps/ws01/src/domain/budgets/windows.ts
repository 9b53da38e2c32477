import type { ExpressionBuilder, OnConflictDatabase, OnConflictTables } from 'kysely';
import type { Instant, Tables } from '../../store/tables/tables.ts';

type Conflicting = ExpressionBuilder<
  OnConflictDatabase<Tables, 'budgets'>,
  OnConflictTables<'budgets'>
>;

/** Adds the uses of the new row to a window that is there; starts it again if it is over. */
export function moreUses(now: Instant) {
  return (eb: Conflicting) => ({
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
  });
}
