import type { Kysely, RawBuilder } from 'kysely';
import type { Slice } from '../store/record-search.ts';
import type { Instant, Tables } from '../store/tables/tables.ts';
import type { MemberType } from './types.ts';

/** A sort column, in SQL. Never null. */
interface OrderColumn {
  readonly sql: string;
  readonly type: 'string' | 'number';
}

/** The columns of an index, in order; the last one is unique. */
export type IndexOrder = readonly OrderColumn[];

/** The values of a column that are not lower than a limit, or those that are lower. */
export interface Bound {
  readonly operator: '>=' | '<';
  readonly limit: string | number;
}

/**
 * The rows that an index of words finds for a condition: all that meet it, and where it is not
 * `isExact` perhaps others, which `told` sorts out. There is none where looking through the rows is
 * quicker, or the index does not know enough.
 */
export interface Found {
  /** A query for their keys, as `key`, each once. */
  readonly keys: RawBuilder<unknown>;
  /** The column with those keys. */
  readonly column: string;
  /**
   * How many they are, counted up to {@link COUNTED_FOUND} and one more; a part if that takes longer
   * than a time, in ms.
   */
  readonly count: (db: Kysely<Tables>, ms?: number) => Promise<Count>;
  readonly isExact: boolean;
  readonly parts: FoundParts;
}

/** How many rows were counted, and whether they are all. */
export interface Count {
  readonly count: number;
  /** Whether there may be more, which would take too long to count. */
  readonly isPart: boolean;
}

/** What an index of words finds in parts, each of neighbours in one order. */
export interface FoundParts {
  /** The column of that order. */
  readonly order: string;
  readonly slices: readonly Slice[];
  /** Keys that the index does not have yet; they are of any place. */
  readonly others: readonly string[];
  /** A query for the keys that it finds in some slices, as `key`. */
  readonly keys: (db: Kysely<Tables>, slices: readonly Slice[]) => RawBuilder<unknown>;
  /** The keys that it finds first, in the order of the slices. */
  readonly first: (
    db: Kysely<Tables>,
    slices: readonly Slice[],
    most: number,
  ) => Promise<readonly Readonly<{ key: string; slice: string }>[]>;
}

export const COUNTED_FOUND = 12_000;

/** Rows are counted up to this number, which stands for as many or more. */
export const COUNTED = 10_000;

/**
 * A value that a row has as a whole, beside its words: of a column, or of a filter with a few
 * values.
 */
export interface ExactValue {
  /** The column or the filter. */
  readonly of: string;
  readonly value: string;
}

/** A condition on the rows of a list. */
export interface Condition {
  readonly sql: RawBuilder<boolean>;
  /**
   * Whether an index finds the rows in the order of the list. Without an index, a page scans a
   * bounded number of rows.
   */
  readonly indexed: boolean;
  /** What no database can tell: of a text, as SQL of a row, this process does. */
  readonly told?: { readonly text: string; readonly by: (text: string) => boolean };
  /** Finds the rows by an index of words, which has no order; see {@link Found}. */
  readonly found?: (db: Kysely<Tables>) => Promise<Found | undefined>;
  /** What says the same: one of the values that the index of words has of a row. */
  readonly exact?: ExactValue;
  /**
   * What it costs to look at a row, if that grows with the row: comparisons of two bytes, at most.
   */
  readonly cost?: RawBuilder<number>;
  /**
   * The columns that the condition bounds, and the bound. An index in the order of such a column
   * applies it.
   */
  readonly bounds?: { readonly columns: readonly string[]; readonly bound: Bound };
  /** The order of the condition's index, if it differs from the list's. */
  readonly order?: IndexOrder;
  /**
   * The first column of its index, if the condition is that this is null: PostgreSQL reads the index
   * in order only if that column is sorted by, too.
   */
  readonly isNull?: string;
  /** The source in that order, if the index belongs to the other table. */
  readonly source?: RowSource;
}

/** A second table, with one row for each row of the first. */
export interface LookUp {
  readonly table: string;
  readonly on: string;
  /** Whether a row may be missing. */
  readonly optional?: true;
}

/**
 * The table that a list reads in order, and a second table. All texts are SQL from our code, never
 * from a request.
 */
export interface RowSource {
  readonly from: string;
  readonly lookUp?: LookUp | undefined;
  /**
   * The column of the first table with the keys of the list, where the second is the list's own.
   */
  readonly keyColumn?: string;
}

/**
 * The order that the index of a filter has: all rows of the list by the values that it filters by,
 * those with the same value as the list has them.
 */
export interface FilterOrder {
  /** The values; SQL. */
  readonly by: string;
  /** The column that is null in rows without a value, which come last. Absent: each row has one. */
  readonly without?: {
    readonly column: string;
    /** Whether the index has these rows, too. */
    readonly indexed: boolean;
  };
  /** What the index applies, if it belongs to the other table; `order` has what follows the values. */
  readonly leading?: Condition & { readonly order: IndexOrder };
}

/** A query parameter that filters a list. A reader of the member that it reveals may use it. */
export interface Filter {
  readonly type: MemberType;
  /** Which rows it leaves. */
  readonly about: string;
  /** Longest value; code points. */
  readonly maxLength?: number;
  /**
   * What the index of words has of it, so a search need not look at each row: the column that has
   * the value; or `each`: which of a few values a row meets, where its own columns alone say so.
   */
  readonly exact?: { readonly column: string } | 'each';
  /** The order by its values, which its index serves; absent: none does. */
  readonly order?: FilterOrder;
  /** The member that it tells; absent: the one with the name of the filter, if there is one. */
  readonly tells?: string;
  /**
   * One condition, or one with an index and others without.
   * @param value of the filter's type as answers have it; instants in ms.
   */
  readonly condition: (
    value: string | number | boolean,
    now: Instant,
  ) => Condition | readonly Condition[];
}
