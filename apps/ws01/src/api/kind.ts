import { type Kysely, type RawBuilder, sql } from 'kysely';
import { Ws01Error } from '../contract/errors.ts';
import { say } from '../contract/sentence.ts';
import { entityTag } from '../failure/answer-headers.ts';
import type { Condition, Filter } from '../records/list.ts';
import type { Listing, Member, Members, Readers, Shown } from '../records/record.ts';
import type { Stored } from '../records/types.ts';
import * as types from '../records/types.ts';
import type { Store } from '../store/store.ts';
import type { Instant, Tables } from '../store/tables/tables.ts';
import type { ApiLimits } from './limits.ts';
import { countRows, readPage } from './list-query.ts';
import { type ListSource, type PageQuery, rowsOf } from './list-sql.ts';
import { lowestReader, mayRead, type Principal } from './principal.ts';
import { invalid } from './problem.ts';
import { type ApiCall, Raw, type Route } from './route.ts';
import {
  flag,
  integer,
  list,
  nullable,
  object,
  type Schema,
  text,
  type Values,
  word,
} from './schema.ts';
import { wordsIn } from './words.ts';

/** A member of an item as answers have it. */
export interface Field<Row> extends Readers {
  readonly schema: Schema;
  readonly of: (row: Row, shown: Shown) => unknown;
  /** Shown in a single record only, not in lists. */
  readonly detail?: true | undefined;
}

export type Fields<Row> = Readonly<Record<string, Field<Row>>>;

/** A query parameter that filters a list, as the API reads it. */
export interface ListFilter extends Pick<Filter, 'tells' | 'condition'> {
  readonly schema: Schema;
}

/** How the API lists a kind of record: its list, its record and its OpenAPI schemas are made from this. */
export interface Kind<Row>
  extends ListSource,
    Pick<
      Listing<Row>,
      'name' | 'title' | 'private' | 'layout' | 'orders' | 'sort' | 'always' | 'others' | 'edited'
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
        typeof filter === 'string'
          ? equals(filter, named(name), members[name]!.type.canonical)
          : filterOf(filter),
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
        const { type, about, column, absent, of, detail, role, private: isPrivate } = member;
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
            role,
            private: isPrivate,
          },
        ];
      }),
  );
}

function filterOf({ type, about, maxLength, ...filter }: Filter): ListFilter {
  return {
    ...filter,
    schema: { ...type.json, description: about, ...(maxLength && { maxLength }) },
  };
}

/** Dependencies of the routes of a kind. */
export interface KindDeps {
  readonly limits: ApiLimits;
  readonly store: Store;
  readonly shown: (call: ApiCall) => Shown;
}

/** Totals of lists stop after this number. */
const COUNTED = 10_000;

/** Default page size. */
const USUAL_ITEMS = 50;

export function shownInstant(instant: Instant | null): string | null {
  return instant === null ? null : (types.instant.write(instant) as string);
}

/** A filter for an equal value in a column. The column has an index in the order of the list. */
function equals(
  description: string,
  column: string,
  canonical: ((text: string) => string) | undefined,
): ListFilter {
  return {
    schema: text(description),
    condition: (given) => {
      const value = canonical === undefined ? String(given) : canonical(String(given));
      const isIt = sql<boolean>`${sql.raw(column)} = ${value}`;
      return { sql: isIt, indexed: true, equal: { column, value } };
    },
  };
}

/** The schema of a single record. */
export function itemSchema<Row>({ title, fields }: Kind<Row>): Schema {
  const optional = Object.keys(fields).filter((name) => lowestReader(fields[name]!) !== undefined);
  return {
    ...object(
      schemasOf(fields, () => true),
      optional,
    ),
    title,
  };
}

/** The schema of a record in a list. */
export function summarySchema<Row>({ title, fields }: Kind<Row>): Schema {
  const shown = schemasOf(fields, (field) => field.detail !== true);
  const optional = Object.keys(shown).filter((name) => lowestReader(fields[name]!) !== undefined);
  const hasDetails = Object.values(fields).some(({ detail }) => detail === true);
  return { ...object(shown, optional), title: hasDetails ? `${title}Summary` : title };
}

function schemasOf<Row>(
  fields: Fields<Row>,
  shows: (field: Field<Row>) => boolean,
): Record<string, Schema> {
  const entries = Object.entries(fields).filter(([, field]) => shows(field));
  return Object.fromEntries(entries.map(([name, field]) => [name, markedFor(field)]));
}

/** The schema of what only some roles see says so. */
function markedFor({ schema, ...readers }: { readonly schema: Schema } & Readers): Schema {
  const role = lowestReader(readers);
  return role === undefined ? schema : { ...schema, 'x-role': role };
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

/** The query parameters that every list has. */
export function pageParameters(
  orders: readonly string[],
  sort: string,
  { apiPageItems }: Pick<ApiLimits, 'apiPageItems'>,
): Record<string, Schema> {
  return {
    limit: integer('Items of a page at most; a page may have fewer and still have a next one.', {
      minimum: 1,
      maximum: apiPageItems,
      default: USUAL_ITEMS,
    }),
    cursor: text('`next` of the page before.'),
    sort: {
      ...word(
        'What to sort by; descending with `-` before it.',
        ...orders.flatMap((order) => [order, `-${order}`]),
      ),
      default: sort,
    },
  };
}

/** The schema of a page of items. */
export const pageSchema = (items: Schema): Schema =>
  object(
    {
      items: list('In the order asked for.', items),
      next: nullable(text('`cursor` of the next page; null after the last one.')),
      total: nullable(
        integer(
          `How many there are, up to ${COUNTED} and one more; null where no index counts them.`,
        ),
      ),
    },
    ['total'],
  );

/** The list route of a kind. */
export function listRoute<Row>(kind: Kind<Row>, { store, shown, limits }: KindDeps): Route {
  const { name, title, filters, searched, orders, sort } = kind;
  return {
    method: 'get',
    path: `/${name}`,
    id: `list${title}s`,
    tag: name,
    summary: `A page of ${name}`,
    role: 'reader',
    ...(kind.private && { private: true }),
    query: {
      ...pageParameters(Object.keys(orders), sort, limits),
      ...Object.fromEntries(
        Object.entries(filters).map(([name, { schema }]) => [
          name,
          markedFor({ schema, ...readersOf(kind, name) }),
        ]),
      ),
      total: { ...flag('Also count how many there are.'), default: false },
      ...(searched === undefined
        ? {}
        : {
            q: text(
              `Only those with these words in ${Object.keys(searched).join(', ')}: each begins ` +
                'a word there, or stands anywhere where words have no spaces between. ' +
                'Of a long text the first 20,000 characters count.',
              {
                maxLength: limits.apiSearchChars,
              },
            ),
          }),
    },
    result: pageSchema(summarySchema(kind)),
    async run(call) {
      const context = shown(call);
      const page: PageQuery = {
        from: kind.from,
        lookUp: kind.lookUp,
        columns: kind.columns,
        conditions: conditionsOf(kind, call.query, context.now, call.principal),
        limit: call.query.limit as number,
        cursor: call.query.cursor as string | undefined,
        reading: { rows: limits.apiRowsRead, ms: limits.apiReadMs },
        ...orderOf(kind, call.query.sort as string),
      };
      const { rows, next } = await readPage<Row>(store, page);
      const items = rows.map((row) => itemOf(kind.fields, row, context, call.principal, false));
      if (call.query.total !== true) return { items, next: next ?? null };
      const isWhole = next === undefined && page.cursor === undefined;
      const total = isWhole ? rows.length : await countRows(store, page, COUNTED);
      return { items, next: next ?? null, total: total ?? null };
    },
  };
}

/**
 * Returns the SQL conditions for the parameters of a query. Those with an index come first, in the order in which they
 * are declared.
 * @throws {Ws01Error} `Forbidden` for a filter by what the caller may not read: its answer would tell it.
 */
export function conditionsOf<Row>(
  kind: Kind<Row>,
  query: Values,
  now: Instant,
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
  if (query.q !== undefined) {
    const columns = Object.entries(searched!).flatMap(([name, column]) => {
      const { role, private: isPrivate } = fields[name]!;
      return mayRead(reader, fields[name]!) ? [{ column, role, private: isPrivate }] : [];
    });
    const known = conditions.flatMap(({ equal }) => equal ?? []);
    conditions.push(wordsIn(kind.from as keyof Tables, columns, query.q as string, known));
  }
  if (always !== undefined) conditions.push(always);
  conditions.push(...rowsFor(kind, reader).map((sql) => ({ sql, indexed: false })));
  return conditions;
}

/** The role that may use a filter: the one that may read the member that the filter tells. */
function readersOf<Row>(
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

export function orderOf<Row>({ orders }: Kind<Row>, sort: string) {
  const descending = sort.startsWith('-');
  const name = descending ? sort.slice(1) : sort;
  const order = orders[name];
  if (order === undefined)
    throw invalid(
      'sort',
      say`${{ field: 'sort' }} must be one of ${{ values: Object.keys(orders).join(', ') }}.`,
    );
  return { sort: name, order, descending };
}

/** The route of a single record of a kind. */
export function getRoute<Row>(
  kind: Kind<Row>,
  { store, shown }: Pick<KindDeps, 'store' | 'shown'>,
): Route {
  return {
    method: 'get',
    path: `/${kind.name}/{${kind.key.name}}`,
    id: `get${kind.title}`,
    tag: kind.name,
    summary: `One of the ${kind.name}`,
    role: 'reader',
    ...(kind.private && { private: true }),
    result: itemSchema(kind),
    errors: ['NotFound'],
    async run(call) {
      const row = await readRow(store, kind, call.path[kind.key.name]!, call.principal);
      const item = itemOf(kind.fields, row, shown(call), call.principal, true);
      return withVersion(item, versionOf(kind, row));
    },
  };
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

/** Reads one record by its canonical key, with all its columns; `undefined` if it does not exist. */
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

/**
 * The version of a record, as its `ETag`: when it was changed last, or what of it an edit changes;
 * `undefined` for a kind
 * that does not say.
 */
export function versionOf<Row>(
  { edited }: Pick<Kind<Row>, 'edited'>,
  row: Row,
): string | undefined {
  if (edited !== undefined) return etagOf(edited.map((column) => row[column]));
  const at = (row as { readonly updated_at?: Instant | null }).updated_at;
  return at === undefined || at === null ? undefined : `"${new Date(Number(at)).toISOString()}"`;
}

/** The `ETag` of a version, made of what an edit changes. */
export function etagOf(values: readonly unknown[]): string {
  return entityTag(JSON.stringify(values));
}

/** An answer about a record, with the version of it as its `ETag`, if there is one. */
export function withVersion(answer: object, version: string | undefined): object {
  return version === undefined
    ? answer
    : new Raw(JSON.stringify(answer), 'application/json', { ETag: version });
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
