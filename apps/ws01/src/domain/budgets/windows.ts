import type { ExpressionBuilder, OnConflictDatabase, OnConflictTables } from 'kysely';
import type { Instant, Tables } from '../../store/tables/tables.ts';

type Conflicting = ExpressionBuilder<OnConflictDatabase<Tables, 'budgets'>, OnConflictTables<'budgets'>>;

/** Counts one more use in a window that is there; starts it again if it is over. */
export function oneMoreUse(now: Instant) {
  return (eb: Conflicting) => ({
    used: eb
      .case()
      .when('budgets.resets_at', '<=', now)
      .then(1)
      .else(eb('budgets.used', '+', 1))
      .end(),
    resets_at: eb
      .case()
      .when('budgets.resets_at', '<=', now)
      .then(eb.ref('excluded.resets_at'))
      .else(eb.ref('budgets.resets_at'))
      .end(),
  });
}
