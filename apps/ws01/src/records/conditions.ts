import { type RawBuilder, sql } from 'kysely';
import type { Instant, Moderated } from '../store/tables/tables.ts';
import type { Condition, Filter, FilterOrder, IndexOrder } from './list.ts';
import * as types from './types.ts';

/** The creation order of a table. Rows with the same instant are ordered by their keys. */
export function byCreation(table: string, key: string): IndexOrder {
  return [
    { sql: `${table}.created_at`, type: 'number' },
    { sql: `${table}.${key}`, type: 'string' },
  ];
}

/** The order of a column with texts, each once. */
export const byText = (column: string): IndexOrder => [{ sql: column, type: 'string' }];

/** A filter by an equal value, which no index applies. */
export function narrows(about: string, column: string): Filter {
  return {
    about,
    type: types.text(),
    condition: (value) => ({ sql: sql<boolean>`${sql.raw(column)} = ${value}`, indexed: false }),
  };
}

/**
 * A filter by an equal value in a column, which has an index in the order of the list. So the list
 * can be sorted by it.
 * @param stored the value as the column has it.
 * @param without rows that have no value; absent: each has one.
 */
export function equals(
  about: string,
  column: string,
  stored: (text: string) => string = String,
  without?: FilterOrder['without'],
): Filter {
  return {
    about,
    type: types.text(),
    exact: { column },
    order: { by: column, ...(without && { without }) },
    condition: (given) => {
      const value = stored(String(given));
      const isIt = sql<boolean>`${sql.raw(column)} = ${value}`;
      return { sql: isIt, indexed: true, exact: { of: column, value } };
    },
  };
}

/** The state of a record: moderation overrides what the author set. */
export function stateOf({ held_at, removed_at }: Moderated, otherwise: string): string {
  if (removed_at !== null) return 'removed';
  return held_at === null ? otherwise : 'held';
}

/** What moderators say of a record. */
export const STANDING = types.word('published', 'held', 'removed');

/** A filter by that. */
export function standingFilter(table: string, published: Condition): Filter {
  return {
    about: 'Only those in this state.',
    type: STANDING,
    exact: 'each',
    condition: (state) => {
      if (state === 'published') return published;
      const column = state === 'held' ? 'held_at' : 'removed_at';
      return { sql: sql<boolean>`${sql.raw(`${table}.${column}`)} is not null`, indexed: true };
    },
  };
}

/** The filters `createdFrom` and `createdTo` of a list with a column of instants. */
export function createdBetween(column: string): Record<string, Filter> {
  return between([column], (instant) => instant);
}

/**
 * The same filters for lists sorted by time-ordered keys (UUIDv7).
 * @param columns the key, also under the names that it has in other tables of the list.
 */
export function createdBetweenKeys(
  ...columns: readonly [string, ...string[]]
): Record<string, Filter> {
  return between(columns, firstKeyAt);
}

function between(
  columns: readonly string[],
  limitOf: (instant: Instant) => string | number,
): Record<string, Filter> {
  const compare = (operator: '>=' | '<') => (value: unknown) => {
    const limit = limitOf(value as Instant);
    const condition = sql<boolean>`${sql.raw(`${columns[0]} ${operator}`)} ${limit}`;
    return { sql: condition, indexed: false, bounds: { columns, bound: { operator, limit } } };
  };
  const type = types.instant;
  return {
    createdFrom: { about: 'Only those created then or later.', type, condition: compare('>=') },
    createdTo: { about: 'Only those created before then.', type, condition: compare('<') },
  };
}

/** The lowest possible key of an instant. */
export function firstKeyAt(instant: Instant): string {
  const time = Math.min(Math.max(0, instant), 0xffff_ffff_ffff).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** The `where` of a query, with all of some conditions; nothing for none. */
export function whereAll(conditions: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
}
