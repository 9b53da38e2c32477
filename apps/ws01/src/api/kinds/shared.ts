import { sql } from 'kysely';
import type { Instant, Moderated } from '../../store/tables/tables.ts';
import { at, type Fields, type Filter } from '../kind.ts';
import type { Condition, IndexOrder } from '../list-query.ts';
import { instant, nullable, word } from '../schema.ts';

type Times = Moderated & { readonly created_at: Instant; readonly updated_at: Instant };

/** The timestamps of a moderated record. */
export function moderatedFields<Row extends Times>(): Fields<Row> {
  return {
    createdAt: at(instant('When it was created.'), 'created_at'),
    updatedAt: at(instant('When it was changed last.'), 'updated_at'),
    heldAt: at(
      nullable(instant('Held back from the public by a moderator since then.')),
      'held_at',
    ),
    removedAt: at(nullable(instant('Taken down by a moderator since then.')), 'removed_at'),
  };
}

/** The creation order of a table. Rows with the same instant are ordered by their keys. */
export function byCreation(table: string, key: string): IndexOrder {
  return [
    { sql: `${table}.created_at`, type: 'number' },
    { sql: `${table}.${key}`, type: 'string' },
  ];
}

/** The state of a record: moderation overrides what the author set. */
export function stateOf({ held_at, removed_at }: Moderated, otherwise: string): string {
  if (removed_at !== null) return 'removed';
  return held_at === null ? otherwise : 'held';
}

const STANDINGS = ['published', 'held', 'removed'] as const;

/** A filter by moderation state: published, held or removed. */
export function moderationFilter(table: string, published: Condition): Filter {
  return {
    schema: word('Only those in this state.', ...STANDINGS),
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
  return {
    createdFrom: { schema: instant('Only those created then or later.'), condition: compare('>=') },
    createdTo: { schema: instant('Only those created before then.'), condition: compare('<') },
  };
}

/** The lowest possible key of an instant. */
export function firstKeyAt(instant: Instant): string {
  const time = Math.min(Math.max(0, instant), 0xffff_ffff_ffff).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}
