import type { ExpressionBuilder, OnConflictDatabase, OnConflictTables } from 'kysely';
import type { Instant, Tables } from '../../store/tables/tables.ts';
import { BELIEVED_MS } from '../shared/known-time.ts';

type Conflicting = ExpressionBuilder<
  OnConflictDatabase<Tables, 'budgets'>,
  OnConflictTables<'budgets'>
>;

/**
 * Whether the window that is there is over. One that ends days after the new one was begun by a
 * clock that was wrong: it would refuse its owner until then.
 */
export const isOver = (eb: Conflicting, now: Instant) =>
  eb.or([
    eb('budgets.resets_at', '<=', now),
    eb('budgets.resets_at', '>', eb('excluded.resets_at', '+', BELIEVED_MS)),
  ]);

/** Adds the uses of the new row to a window that is there; starts it again if it is over. */
export function moreUses(now: Instant) {
  return (eb: Conflicting) => ({
    used: eb
      .case()
      .when(isOver(eb, now))
      .then(eb.ref('excluded.used'))
      .else(eb('budgets.used', '+', eb.ref('excluded.used')))
      .end(),
    resets_at: eb
      .case()
      .when(isOver(eb, now))
      .then(eb.ref('excluded.resets_at'))
      .else(eb.ref('budgets.resets_at'))
      .end(),
  });
}
