import { sql } from 'kysely';
import { isSeen } from '../domain/values/unseen.ts';
import { whereAll } from '../records/conditions.ts';
import type { Layout, Shown } from '../records/record.ts';
import type { Store } from '../store/store.ts';
import { type Item, itemOf, type Kind, rowsFor } from './kind.ts';
import {
  ADMINS,
  ADVERTS,
  ARTICLES,
  BACKUPS,
  LINKS,
  MAILS,
  REVIEWS,
  TOKENS,
  USERS,
  WEBHOOKS,
} from './kinds.ts';
import { rowsOf } from './list-sql.ts';
import { mayRead } from './principal.ts';
import type { ApiCall, Route } from './route.ts';
import { list, object, text } from './schema.ts';

type Row = Readonly<Record<string, unknown>>;

/** The kinds whose records people know by more than their keys. */
const NAMED = [
  ...[ARTICLES, ADVERTS, USERS, LINKS, MAILS],
  ...[REVIEWS, TOKENS, ADMINS, WEBHOOKS, BACKUPS],
] as unknown as readonly Kind<Row>[];

/** Keys of a kind in one request: more than a page of a list tells of. */
export const MOST_KEYS = 500;

/** Longest key; code points. */
export const KEY_CHARS = 400;

const BODY_BYTES = 1024 * 1024;

/**
 * What people know a record by: the first of its names that can be seen; `undefined` if it has
 * none.
 * @param item as answers have it, so that a name which the reader may not see is none.
 */
export function nameIn(layout: Pick<Layout, 'called'> | undefined, item: Item): string | undefined {
  return layout?.called.map((members) => textOf(members, item)).find(isSeen);
}

const textOf = (members: string, item: Item) =>
  members
    .split(' ')
    .flatMap((member) => (typeof item[member] === 'string' ? [item[member]] : []))
    .join(' ');

/** The route that says what records are called: one request for all keys that a page shows. */
export function namesRoute({
  store,
  shown,
}: {
  readonly store: Store;
  readonly shown: (call: ApiCall) => Shown;
}): Route {
  const keysOf = ({ name }: Kind<Row>) =>
    list(`Keys of ${name}.`, text('A key.', { maxLength: KEY_CHARS }), { maxItems: MOST_KEYS });
  const named = object({
    kind: text('As in the path of its list: `articles`.'),
    key: text('Its key.'),
    name: text('What people know it by.'),
  });
  return {
    method: 'post',
    path: '/names',
    id: 'nameRecords',
    tag: 'search',
    summary: 'What records are called: those that have a name which the caller may read',
    role: 'reader',
    body: object(
      Object.fromEntries(NAMED.map((kind) => [kind.name, keysOf(kind)])),
      NAMED.map(({ name }) => name),
    ),
    bodyBytes: BODY_BYTES,
    result: object({ items: list('In no order.', { ...named, title: 'NamedRecord' }) }),
    async run(call) {
      const asked = NAMED.flatMap((kind) => {
        const keys = (call.body[kind.name] ?? []) as readonly string[];
        return keys.length > 0 && mayRead(call.principal, kind) ? [{ kind, keys }] : [];
      });
      if (asked.length === 0) return { items: [] };
      const context = shown(call);
      const found = await store.scan(async (db) => {
        const items = [];
        for (const { kind, keys } of asked) {
          const { rows } = await sql<Row>`select ${sql.raw(kind.columns)} from ${rowsOf(db, kind)}
            ${whereAll([
              sql<boolean>`${sql.raw(kind.key.column)} in (${sql.join(keys)})`,
              ...rowsFor(kind, call.principal),
            ])}`.execute(db);
          items.push(...rows.map((row) => ({ kind, row })));
        }
        return items;
      });
      return {
        items: found.flatMap(({ kind, row }) => {
          const item = itemOf(kind.fields, row, context, call.principal, false);
          const key = String(item[kind.key.name]);
          const name = nameIn(kind.layout, item);
          return name === undefined || name === key ? [] : [{ kind: kind.name, key, name }];
        }),
      };
    },
  };
}
