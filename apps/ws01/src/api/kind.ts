import { type Kysely, type RawBuilder, sql } from 'kysely';
import { Ws01Error } from '../contract/errors.ts';
import { say } from '../contract/sentence.ts';
import { equals } from '../records/conditions.ts';
import type { Condition, Filter, FilterOrder } from '../records/list.ts';
import type { Listing, Member, Members, Readers, Shown } from '../records/record.ts';
import type { Stored } from '../records/types.ts';
import * as types from '../records/types.ts';
import type { Store } from '../store/store.ts';
import type { Instant, Tables } from '../store/tables/tables.ts';
import { type ListSource, type PageQuery, rowsOf } from './list-sql.ts';
import { mayRead, type Principal } from './principal.ts';
import { invalid } from './problem.ts';
import { nullable, type Schema, type Values } from './schema.ts';
import { valuesIn, wordsIn } from './words.ts';

/** A member of an item as answers have it. */
export interface Field<Row> extends Readers {
  readonly schema: Schema;
  readonly of: (row: Row, shown: Shown) => unknown;
  /** Shown in a single record only, not in lists. */
  readonly detail?: true | undefined;
  readonly isPhone?: true | undefined;
  /** Whether the version of the record is made of it, too. */
  readonly isVersioned?: boolean;
}

export type Fields<Row> = Readonly<Record<string, Field<Row>>>;

/** A query parameter that filters a list, as the API reads it. */
export interface ListFilter extends Pick<Filter, 'tells' | 'condition' | 'order'> {
  readonly schema: Schema;
}

/**
 * How the API lists a kind of record: its list, its record and its OpenAPI schemas are made from
 * this.
 */
export interface Kind<Row>
  extends ListSource,
    Pick<
      Listing<Row>,
      'name' | 'title' | 'private' | 'layout' | 'orders' | 'sort' | 'always' | 'others'
    > {
  /** The member that holds the key, and its column. */
  readonly key: {
    readonly name: string;
    readonly column: string;
    readonly canonical: ((text: string) => string) | undefined;
  };
  /** Columns that only a single record needs. */
  readonly detailColumns: string | undefined;
  readonly filters: Readonly<Record<string, ListFilter>>;
  /** The members that `q` searches, with their columns; absent if the list cannot be searched. */
  readonly searched: Readonly<Record<string, string>> | undefined;
  readonly fields: Fields<Row>;
}

/** How the API lists a record. */
export function kindOf<Row>(record: Listing<Row>): Kind<Row> {
  const { table, key, members, filters, searched, reads, readsInDetail } = record;
  const named = (name: string): string => columnOf(record, members[name]!);
  const filterBy = (name: string, about: string): Filter => {
    const { type, absent } = members[name]!;
    const column = named(name);
    const without = absent === null ? { column, indexed: true } : undefined;
    return equals(about, column, type.canonical, without);
  };
  const columnsOf = (isDetail: boolean, further: string | undefined): string | undefined => {
    const read = Object.values(members).filter(
      ({ column, internal, detail = false }) =>
        column !== undefined && internal !== true && detail === isDetail,
    );
    const columns = read.map((member) => columnOf(record, member));
    return (
      [...new Set(columns), ...(further === undefined ? [] : [further])].join(', ') || undefined
    );
  };
  return {
    ...record,
    from: table,
    lookUp: record.lookUp,
    key: { name: key, column: named(key), canonical: members[key]!.type.canonical },
    columns: columnsOf(false, reads)!,
    detailColumns: columnsOf(true, readsInDetail),
    filters: Object.fromEntries(
      Object.entries(filters).map(([name, filter]) => [
        name,
        filterOf(name, typeof filter === 'string' ? filterBy(name, filter) : filter),
      ]),
    ),
    searched: searched && Object.fromEntries(searched.map((name) => [name, named(name)])),
    fields: fieldsOf(members),
  };
}

const columnOf = <Row>({ table }: Pick<Listing<Row>, 'table'>, member: Member<Row>): string =>
  `${member.table ?? table}.${member.column}`;

/** The members that answers have, out of those of a record. */
function fieldsOf<Row>(members: Members<Row>): Fields<Row> {
  return Object.fromEntries(
    Object.entries(members)
      .filter(([, { internal }]) => internal !== true)
      .map(([name, member]) => {
        const { type, about, column, absent, of, detail, isPhone, role } = member;
        const { changes = column === undefined } = member;
        const schema: Schema = { ...type.json, description: about };
        const stored = (row: Row) => {
          const value = row[column!] as Stored;
          return value === null ? null : type.write(value);
        };
        return [
          name,
          {
            schema: absent === null || member.nullable ? nullable(schema) : schema,
            of: of ?? stored,
            detail,
            isPhone,
            isVersioned: !changes,
            role,
            private: member.private,
          },
        ];
      }),
  );
}

function filterOf(name: string, filter: Filter): ListFilter {
  const { type, about, maxLength, tells, exact, condition, order } = filter;
  const described = { ...type.json, description: about };
  return {
    ...(tells !== undefined && { tells }),
    ...(order !== undefined && { order }),
    schema: maxLength === undefined ? described : { ...described, maxLength },
    condition: (value, now) => {
      const conditions = [condition(value, now)].flat();
      if (exact !== 'each') return conditions;
      return conditions.map((one) => ({ ...one, exact: { of: name, value: String(value) } }));
    },
  };
}

export function shownInstant(instant: Instant | null): string | null {
  return instant === null ? null : (types.instant.write(instant) as string);
}

/** A record as answers have it: members by name. */
export type Item = Readonly<Record<string, unknown>>;

/** Returns a row as an item, with the members that the caller may read. */
export function itemOf<Row>(
  fields: Fields<Row>,
  row: Row,
  shown: Shown,
  principal: Pick<Principal, 'kind' | 'role'>,
  isDetail: boolean,
): Item {
  const item: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (field.detail === true && !isDetail) continue;
    if (!mayRead(principal, field)) continue;
    item[name] = field.of(row, shown);
  }
  return item;
}

/**
 * Returns the SQL conditions for the parameters of a query. Those with an index come first, in the
 * order in which they are declared.
 * @throws {Ws01Error} `Forbidden` for a filter by what the caller may not read: its answer would
 *   tell it.
 */
export function conditionsOf<Row>(
  kind: Kind<Row>,
  query: Values,
  { now, defaultCountry }: Pick<Shown, 'now' | 'defaultCountry'>,
  reader: Principal,
): Condition[] {
  const { filters, searched, always, fields } = kind;
  const conditions: Condition[] = [];
  for (const [name, filter] of Object.entries(filters)) {
    const value = query[name];
    if (value === undefined) continue;
    if (!mayRead(reader, readersOf(kind, name)))
      throw new Ws01Error(
        'Forbidden',
        say`Your role does not allow the filter ${{ field: name }}.`,
      );
    conditions.push(...[filter.condition(value as string | number | boolean, now)].flat());
  }
  const known = conditions.filter(({ exact }) => exact !== undefined);
  const table = kind.from as keyof Tables;
  if (query.q !== undefined) {
    const columns = Object.entries(searched!).flatMap(([name, column]) => {
      const { role, private: isPrivate, isPhone } = fields[name]!;
      return mayRead(reader, fields[name]!) ? [{ column, isPhone, role, private: isPrivate }] : [];
    });
    conditions.push(wordsIn(table, columns, query.q as string, known, defaultCountry));
  } else if (known.length > 1 || (known.length === 1 && isByFilter(kind, query))) {
    conditions.push(...[valuesIn(table, known) ?? []].flat());
  }
  if (always !== undefined) conditions.push(always);
  conditions.push(...rowsFor(kind, reader).map((sql) => ({ sql, indexed: false })));
  return conditions;
}

/** Whether the list is sorted by a filter that is not given: no index of another filter helps. */
function isByFilter<Row>(kind: Kind<Row>, query: Values): boolean {
  const name = String(query.sort ?? '').replace(/^-/, '');
  return query[name] === undefined && name in filterOrdersOf(kind);
}

/** The role that may use a filter: the one that may read the member that the filter tells. */
export function readersOf<Row>(
  { filters, fields }: Pick<Kind<Row>, 'filters' | 'fields'>,
  name: string,
): Readers {
  const { role, private: isPrivate } = fields[filters[name]!.tells ?? name] ?? {};
  return { role, private: isPrivate };
}

/** Conditions that all rows meet which a caller may see. */
export function rowsFor<Row>(
  { others = [] }: Pick<Kind<Row>, 'others'>,
  reader: Principal,
): RawBuilder<boolean>[] {
  return others.filter((readers) => !mayRead(reader, readers)).map(({ rows }) => rows);
}

/**
 * The orders that indexes of filters have, by the filters. A list that an index picks out of its
 * table has none: the indexes of its filters have rows of other lists, too.
 */
export function filterOrdersOf<Row>({
  filters,
  always,
}: Pick<Kind<Row>, 'filters' | 'always'>): Readonly<Record<string, FilterOrder>> {
  if (always?.indexed === true) return {};
  return Object.fromEntries(
    Object.entries(filters).flatMap(([name, { order }]) =>
      order === undefined ? [] : [[name, order]],
    ),
  );
}

/** The order of a list, as a query of it has it. */
type Ordering = Pick<PageQuery, 'sort' | 'order' | 'descending' | 'by'>;

/**
 * Returns the order that a reader asked for.
 * @param asked its name; `-` before it turns it round.
 * @param query the filters. Rows that a filter leaves have one value: sorted by it, they are in the
 *   order of the list.
 * @throws {Ws01Error} `InvalidParameter` for a name that is none; `Forbidden` for an order by what
 *   the reader may not read.
 */
export function orderOf<Row>(
  kind: Kind<Row>,
  asked: string,
  query: Values,
  reader: Principal,
): Ordering {
  const { orders } = kind;
  const descending = asked.startsWith('-');
  const sort = asked.replace(/^-/, '');
  const own = orders[kind.sort.replace(/^-/, '')]!;
  const order = orders[sort];
  if (order !== undefined) return { sort, order, descending };
  const byFilter = filterOrdersOf(kind);
  const by = byFilter[sort];
  if (by === undefined) {
    const values = [...Object.keys(orders), ...Object.keys(byFilter)].join(', ');
    throw invalid('sort', say`${{ field: 'sort' }} must be one of ${{ values }}.`);
  }
  if (!mayRead(reader, readersOf(kind, sort)))
    throw new Ws01Error('Forbidden', say`Your role does not allow the order ${{ field: sort }}.`);
  if (query[sort] !== undefined) return { sort, order: own, descending };
  return { sort, order: [{ sql: by.by, type: 'string' }, ...own], descending, by: { ...by, own } };
}

/**
 * Reads one record with all its columns.
 * @param reader who asks; absent for what the caller itself has just made.
 * @throws {Ws01Error} `NotFound`, also for a row that the reader may not see.
 */
export async function readRow<Row>(
  store: Store,
  kind: Kind<Row>,
  given: string,
  reader?: Principal,
): Promise<Row> {
  const shown = reader === undefined ? [] : rowsFor(kind, reader);
  const row = await store.scan((db) =>
    findRow(db, kind, kind.key.canonical?.(given) ?? given, shown),
  );
  if (row === undefined) throw notFound(kind, given);
  return row;
}

/**
 * Reads one record by its canonical key, with all its columns; `undefined` if it does not exist.
 */
export async function findRow<Row>(
  db: Kysely<Tables>,
  kind: Kind<Row>,
  key: string,
  shownOnly: readonly RawBuilder<boolean>[] = [],
): Promise<Row | undefined> {
  const { columns, detailColumns, always, key: named } = kind;
  if (key.includes('\0')) return undefined;
  const conditions = [...(always === undefined ? [] : [always.sql]), ...shownOnly].map(
    (one) => sql`and ${one}`,
  );
  const shown = detailColumns === undefined ? columns : `${columns}, ${detailColumns}`;
  const { rows } = await sql<Row>`select ${sql.raw(shown)} from ${rowsOf(db, kind)}
    where ${sql.raw(named.column)} = ${key} ${sql.join(conditions, sql` `)}`.execute(db);
  return rows[0];
}

export function notFound(
  { title, key }: Pick<Kind<never>, 'title' | 'key'>,
  given: string,
): Ws01Error {
  const shown = given.length > 100 ? `${given.slice(0, 100)}…` : given;
  const noun = title.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return new Ws01Error(
    'NotFound',
    say`There is no ${{ kind: noun }} ${{ key: JSON.stringify(shown) }}.`,
    {
      parameter: key.name,
    },
  );
}
