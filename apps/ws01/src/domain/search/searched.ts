import { type RawBuilder, sql } from 'kysely';
import { ADVERTS } from '../../records/adverts.ts';
import { ARTICLES } from '../../records/articles.ts';
import { IMAGES } from '../../records/images.ts';
import { LINKS } from '../../records/links.ts';
import type { Filter } from '../../records/list.ts';
import { MAILS, SUPPRESSIONS } from '../../records/mails.ts';
import type { Member } from '../../records/record.ts';
import { REPORTS } from '../../records/reports.ts';
import { REVIEWS } from '../../records/reviews.ts';
import { SMS } from '../../records/sms.ts';
import { TOKENS } from '../../records/tokens.ts';
import { USERS } from '../../records/users.ts';
import type { Readership, SearchedTableName } from '../../store/record-index.ts';
import { PHONE_MARK } from '../values/phone-search.ts';

/**
 * So many characters of a text are searched in. Longer ones are pasted files, and an index of them
 * would be larger than they are.
 */
const SEARCHED_CHARS = 20_000;

/** A column that a search looks in, and whether it has a phone number. */
export interface SearchedColumn {
  readonly column: string;
  readonly isPhone?: true | undefined;
}

/**
 * SQL of the text that a search looks in: columns, one a line, which keeps words from matching
 * across two; a mark before phone numbers.
 */
export function searchedText(columns: readonly SearchedColumn[]): string {
  return columns
    .map(({ column, isPhone }) => {
      const text = `coalesce("${column.replace('.', '"."')}", '')`;
      return `${isPhone ? `'${PHONE_MARK}' || ` : ''}substr(${text}, 1, ${SEARCHED_CHARS})`;
    })
    .join(` || '\n' || `);
}

/** A record whose words are indexed. */
export interface SearchedRecord {
  readonly table: SearchedTableName;
  /** The columns that are searched in, by who reads them. */
  readonly columns: Readonly<Record<Readership, readonly SearchedColumn[]>>;
  /** The values by which a list is filtered: each in SQL, null where a row does not have it. */
  readonly exact: readonly Readonly<{ of: string; value: RawBuilder<string | null> }>[];
}

interface Searchable {
  readonly table: SearchedTableName;
  readonly private?: true;
  readonly members: Readonly<Record<string, unknown>>;
  readonly searched: readonly string[];
  readonly filters: Readonly<Record<string, Filter | string>>;
}

/**
 * The records that the index of words is of. Who may read a word is decided by the member that it
 * comes from.
 */
export const SEARCHED_RECORDS: readonly SearchedRecord[] = (
  [
    ARTICLES,
    ADVERTS,
    IMAGES,
    USERS,
    LINKS,
    MAILS,
    SUPPRESSIONS,
    SMS,
    REVIEWS,
    REPORTS,
    TOKENS,
  ] satisfies readonly Searchable[]
).map((record: Searchable) => {
  const members = record.searched.map((name) => record.members[name] as Member<unknown>);
  const columnsFor = (reading: Readership) =>
    members
      .filter((member) => readingOf(member) === reading)
      .map(({ column, isPhone }) => ({ column: column!, isPhone }));
  return {
    table: record.table,
    columns: { open: columnsFor('open'), private: columnsFor('private') },
    exact: Object.entries(record.filters).flatMap(([name, filter]) =>
      exactOf(record, name, filter),
    ),
  };
});

function exactOf(
  { table, members }: Searchable,
  name: string,
  filter: Filter | string,
): SearchedRecord['exact'] {
  const ofColumn = (column: string) => [{ of: column, value: sql<string>`${sql.ref(column)}` }];
  if (typeof filter === 'string')
    return ofColumn(`${table}.${(members[name] as Member<unknown>).column}`);
  const { exact, condition, type } = filter;
  if (exact === undefined) return [];
  if (exact !== 'each') return ofColumn(exact.column);
  return (type.json.enum ?? [true, false]).map((value) => {
    const conditions = [condition(value, 0)].flat().map((one) => one.sql);
    const isIt = sql.join(conditions, sql` and `);
    return { of: name, value: sql<string | null>`case when ${isIt} then ${String(value)} end` };
  });
}

/** Whose reading a member is. */
export function readingOf({
  role,
  private: isPrivate,
}: Pick<Member<unknown>, 'role' | 'private'>): Readership {
  if (role !== undefined) throw new TypeError('The index knows no words for one role alone.');
  return isPrivate === true ? 'private' : 'open';
}
