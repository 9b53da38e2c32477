import type { RawBuilder } from 'kysely';
import type { Role } from '../contract/roles.ts';
import type { Instant, Tables } from '../store/tables/tables.ts';
import type { Filter, IndexOrder, LookUp } from './list.ts';
import type { Personal } from './persons.ts';
import type { MemberType, Stored } from './types.ts';

/** Who may read a record, a member of one, or an answer. */
export interface Readers {
  /** The lowest role that reads it; absent: every role. */
  readonly role?: Role | undefined;
  /**
   * Whether it tells of persons, credentials or the installation; tokens read it, of people owners.
   */
  readonly private?: true | undefined;
}

/** What members that are worked out of a row may need besides it. */
export interface Shown {
  readonly baseUrl: string;
  readonly shortBaseUrl: string;
  readonly now: Instant;
  /** ISO 3166 code of the country whose phone numbers are written without `+`. */
  readonly defaultCountry?: string | undefined;
}

interface MemberOptions extends Readers {
  /**
   * What is stored where nothing is given: `null` unless it is said; `'required'`: something must
   * be given; `'made'`: an import makes it of the rest.
   */
  readonly absent?: Stored | 'required' | 'made';
  /** Whether answers may have null although each row has a value. */
  readonly nullable?: true;
  /** The table of the column, where it is not that of the record: such a member does not travel. */
  readonly table?: keyof Tables;
  /** Shown in a single record only, not in lists. */
  readonly detail?: true;
  /** It is a phone number, which is found by its last digits, too. */
  readonly isPhone?: true;
  /** In no answer: only portable files have it. */
  readonly internal?: true;
  /** Its name in portable files, where another was released; `false`: it does not travel. */
  readonly portable?: string | false;
  /** Its column in the released views, where that is neither of its names in snake case. */
  readonly view?: string;
  /**
   * Whether two rows that differ only in it are the same record, in the same version. What is
   * worked out of a row is so unless it says `false`.
   */
  readonly changes?: boolean;
}

/** A member of a record: a column under its public name, or what is worked out of the row. */
export interface Member<Row> extends MemberOptions {
  readonly column?: keyof Row & string;
  readonly type: MemberType;
  /** What it is. Answers, the console and the page of the portable format say so. */
  readonly about: string;
  /** Its value in answers; absent: what its type makes of the column. */
  readonly of?: (row: Row, shown: Shown) => unknown;
  readonly absent: Stored | 'required' | 'made';
}

/** By public name, in the order in which answers have them. */
export type Members<Row> = Readonly<Record<string, Member<Row>>>;

/** A record: a table and what its rows are, for all who show, move, search or delete them. */
export interface RecordOf<Row> {
  readonly table: keyof Tables;
  readonly members: Members<Row>;
  /** What its rows tell of users of the site; absent: nothing. */
  readonly personal?: Personal;
  /** By the name of a purge: the column that says since when its rows are old. */
  readonly expires?: Readonly<Record<string, keyof Row & string>>;
}

/** How people see records: in a list, and each by name. */
export interface Layout {
  /** Columns of the list, in order. */
  readonly columns: readonly string[];
  /** Members that can serve as a record's name, some together; the first with a text is used. */
  readonly called: readonly string[];
  /** The member with the address of a small picture of it. */
  readonly picture?: string;
  /** Members that only those look for who know the API: codes and ids, which its page folds. */
  readonly folded?: readonly string[];
}

/** How the rows of a record are listed, looked up and searched. */
export interface Listing<Row> extends RecordOf<Row> {
  /** As in paths: `articles`. */
  readonly name: string;
  /** The title of its schema: `Article`. */
  readonly title: string;
  /** The member that is the key. */
  readonly key: string;
  /** Whether the whole record is private. */
  readonly private?: true;
  /** A second table, with one row for each row of the first. */
  readonly lookUp?: LookUp;
  /** Columns that members are worked out of, in SQL, besides those of members. */
  readonly reads?: string;
  /** Likewise for what a single record alone shows. */
  readonly readsInDetail?: string;
  readonly layout?: Layout;
  readonly orders: Readonly<Record<string, IndexOrder>>;
  /** The default order; `-` means descending. */
  readonly sort: string;
  /** Members that a search by words looks in; for each caller those that the caller reads. */
  readonly searched?: readonly string[];
  /**
   * What it can be filtered by. A text is for the member of that name, by equal values, with an
   * index in the order of the list: it says which rows that leaves.
   */
  readonly filters: Readonly<Record<string, Filter | string>>;
  /** A condition that all rows meet, and whether an index applies it. */
  readonly always?: { readonly sql: RawBuilder<boolean>; readonly indexed: boolean };
  /** The only rows for callers who may not read what has these readers; absent: all. */
  readonly others?: readonly (Readers & { readonly rows: RawBuilder<boolean> })[];
}

/** A record that travels in the portable format. */
export interface Travelling<Row> extends RecordOf<Row> {
  readonly portable: {
    /** The name of the file, without extension. */
    readonly file: string;
    readonly about: string;
    /** The columns that tell one record from another, and that exports are sorted by. */
    readonly key: readonly (keyof Row & string)[];
  };
}

/** A member that is a column. */
export function member<Row>(
  column: keyof Row & string,
  type: MemberType,
  about: string,
  options: MemberOptions & Pick<Member<Row>, 'of'> = {},
): Member<Row> {
  return { column, type, about, absent: null, ...options };
}

/** A member that is worked out of the row; `absent: null` where it may be null. */
export function worked<Row>(
  type: MemberType,
  about: string,
  of: (row: Row, shown: Shown) => unknown,
  options: MemberOptions = {},
): Member<Row> {
  return { type, about, of, absent: 'made', ...options };
}

/** Something must be given. */
export const REQUIRED = { absent: 'required' } as const;
/** Absent is an empty text. */
export const EMPTY = { absent: '' } as const;
/** An import makes it of the rest. */
export const MADE = { absent: 'made' } as const;
