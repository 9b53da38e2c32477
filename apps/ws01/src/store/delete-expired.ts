import { type PreparedQuery, prepare } from './prepared.ts';
import type { Instant, Tables } from './tables/tables.ts';

/** A limited deletion: of the rows whose time is at or before an instant, at most so many. */
export interface Expired {
  readonly before: Instant;
  readonly most: number;
}

/** Any table whose key has two columns; the query builder needs the columns of one. */
type Sample = 'phone_verifications';

/**
 * Prepares a query that deletes expired rows of a table. PostgreSQL checks the time again after it
 * has waited for a row, so a
 * row that another write has renewed meanwhile is kept.
 * @param key the one or two columns of the primary key.
 * @param time the column of the time.
 */
export function deleteExpired<Table extends keyof Tables>(
  table: Table,
  key: readonly (keyof Tables[Table])[],
  time: keyof Tables[Table],
): PreparedQuery<Expired, unknown> {
  const name = table as Sample;
  const [one, other] = key as unknown as readonly ['user_id', 'phone' | undefined];
  const column = time as 'verified_at';
  return prepare((db, { before, most }: Expired) => {
    const expired = db.deleteFrom(name).where(column, '<=', before);
    if (other === undefined)
      return expired.where(one, 'in', (eb) =>
        eb.selectFrom(name).select(one).where(column, '<=', before).limit(most),
      );
    return expired.where((eb) =>
      eb(
        eb.refTuple(one, other),
        'in',
        eb
          .selectFrom(name)
          .select([one, other])
          .where(column, '<=', before)
          .limit(most)
          .$asTuple(one, other),
      ),
    );
  });
}
