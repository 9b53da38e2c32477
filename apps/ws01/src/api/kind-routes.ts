import { COUNTED } from '../records/list.ts';
import type { Readers, Shown } from '../records/record.ts';
import type { Store } from '../store/store.ts';
import {
  conditionsOf,
  type Field,
  type Fields,
  filterOrdersOf,
  itemOf,
  type Kind,
  orderOf,
  readersOf,
  readRow,
} from './kind.ts';
import { countRows, readRows } from './list-query.ts';
import type { PageQuery } from './list-sql.ts';
import { lowestReader } from './principal.ts';
import type { ApiCall, Route } from './route.ts';
import { flag, integer, list, nullable, object, type Schema, text, word } from './schema.ts';
import { versionOf, withVersion } from './versions.ts';

/** Limits of the HTTP API; their values stand in config/fixed.ts. */
export interface ApiLimits {
  /** Maximum length of a request body; bytes. */
  readonly apiBodyBytes: number;
  /** Maximum page size; items. */
  readonly apiPageItems: number;
  /** Maximum length of a search text; code points. */
  readonly apiSearchChars: number;
  /** Rows scanned for a page, at most, when a condition has no index; more while it has no item. */
  readonly apiRowsRead: number;
  /** How long a page looks for its rows; ms. */
  readonly apiReadMs: number;
}

/** Dependencies of the routes of a kind. */
export interface KindDeps {
  readonly limits: ApiLimits;
  readonly store: Store;
  readonly shown: (call: ApiCall) => Shown;
}

/** Default page size. */
const USUAL_ITEMS = 50;

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
          `How many there are, up to ${COUNTED} and one more; null where that takes too long to count.`,
        ),
      ),
      atLeast: integer('Beside a total that is null: so many there are, and perhaps more.'),
    },
    ['total', 'atLeast'],
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
      ...pageParameters(
        [...Object.keys(orders), ...Object.keys(filterOrdersOf(kind))],
        sort,
        limits,
      ),
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
        conditions: conditionsOf(kind, call.query, context, call.principal),
        limit: call.query.limit as number,
        cursor: call.query.cursor as string | undefined,
        reading: { rows: limits.apiRowsRead, ms: limits.apiReadMs },
        ...orderOf(kind, call.query.sort as string, call.query, call.principal),
      };
      const { rows, next } = await readRows<Row>(store, page);
      const items = rows.map((row) => itemOf(kind.fields, row, context, call.principal, false));
      if (call.query.total !== true) return { items, next: next ?? null };
      const isWhole = next === undefined && page.cursor === undefined;
      if (isWhole) return { items, next: null, total: rows.length };
      const { count, isPart } = await countRows(store, page, COUNTED);
      if (!isPart) return { items, next: next ?? null, total: count };
      return { items, next: next ?? null, total: null, atLeast: Math.max(count, rows.length) };
    },
  };
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
      const [context, { principal }] = [shown(call), call];
      const item = itemOf(kind.fields, row, context, principal, true);
      return withVersion(item, versionOf(kind, row, context, principal));
    },
  };
}
