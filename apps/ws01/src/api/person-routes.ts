import type { FileStore } from '../adapters/files/file-store.ts';
import { auditAct } from '../domain/audit/audit.ts';
import {
  countHoldings,
  erasePerson,
  type HeldRows,
  lookAtHoldings,
  nothingHeld,
} from '../domain/persons/erase.ts';
import { exportPerson } from '../domain/persons/export.ts';
import { assertNotHeld, findLegalHold } from '../domain/persons/legal-holds.ts';
import { canonicalKey } from '../domain/values/keys.ts';
import { LOOKED_AT } from '../records/persons.ts';
import { shownInstant } from './kind.ts';
import { itemSchema } from './kind-routes.ts';
import { USERS } from './kinds.ts';
import { Raw, type Route } from './route.ts';
import { flag, instant, integer, list, nullable, object, text, word } from './schema.ts';
import { actorOf, NO_REASON, type VerbDeps } from './verbs.ts';

/** Dependencies of the routes about persons. */
export interface PersonRouteDeps extends VerbDeps {
  /** The image files. */
  readonly files: { readonly store: Pick<FileStore, 'list' | 'remove'> };
  /** Clears the credential cache, so that the next call reads the database. */
  readonly forgetTokens: () => void;
}

const HELD_ROWS = {
  ...object({
    table: text('The table of the database.'),
    rows: integer('How many of its rows are about the user.'),
    fate: word('Whether they go, or only what names the user in them.', 'deleted', 'emptied'),
  }),
  title: 'HeldRows',
};

const AT = { tag: 'users', role: 'owner', errors: ['NotFound'] } as const;

/** Routes about all data of a person: count, export, erase. */
export function personRoutes(deps: PersonRouteDeps): readonly Route[] {
  return [countRoute(deps), exportRoute(deps), eraseRoute(deps)];
}

function countRoute({ store, clock }: PersonRouteDeps): Route {
  return {
    ...AT,
    method: 'get',
    path: '/users/{id}/data',
    id: 'countDataOfUser',
    summary:
      'What is stored about the user: how many rows of which tables, and whether a legal hold keeps them',
    result: object({
      items: list(
        `Those tables that have any, each counted up to ${LOOKED_AT.rows} rows and one more.`,
        HELD_ROWS,
      ),
      more: flag(
        'Whether there may be more: of each kind as many records are followed to what belongs to them, and ' +
          `of tables with more than ${LOOKED_AT.whole} rows only what an index finds is counted. ` +
          'The preview of an erasure counts all.',
      ),
      hold: nullable({
        ...object({
          reason: text('Why it was set.'),
          by: text('Who set it.'),
          at: instant('When it was set.'),
          until: nullable(instant('When it ends by itself.')),
        }),
        title: 'LegalHold',
      }),
    }),
    async run({ path }) {
      const id = canonicalKey(path.id!);
      const { held: items, more } = await lookAtHoldings(store, id);
      if (items.length === 0) throw nothingHeld(id);
      const hold = await store.read((db) => findLegalHold(db, id, clock()));
      return {
        items,
        more,
        hold:
          hold === undefined
            ? null
            : {
                by: hold.set_by,
                reason: hold.reason,
                at: shownInstant(hold.set_at),
                until: shownInstant(hold.until),
              },
      };
    },
  };
}

function exportRoute({ store, clock }: PersonRouteDeps): Route {
  return {
    ...AT,
    method: 'get',
    path: '/users/{id}/export',
    id: 'exportUser',
    summary: 'Everything that is stored about the user, as one JSON object: a member a table',
    result: {
      ...object({ person: text('Their id.'), exportedAt: instant('When it was read.') }),
      additionalProperties: list('The rows of a table.', { type: 'object' }),
    },
    contentType: 'application/json',
    async run(call) {
      const id = canonicalKey(call.path.id!);
      const pieces = exportPerson(store, id, clock());
      const first = await pieces.next();
      const by = actorOf(call);
      await store.write((tx) => auditAct(tx, 'user.export', id, clock(), by));
      return new Raw(streamOf(String(first.value), pieces), 'application/json');
    },
  };
}

function eraseRoute({ store, clock, files, forgetTokens }: PersonRouteDeps): Route {
  return {
    ...AT,
    method: 'post',
    path: '/users/{id}/erase',
    id: 'eraseUser',
    summary: 'Erase everything stored about the user, permanently; it cannot be undone',
    query: { preview: { ...flag('Only tell what would happen.'), default: false } },
    // Nothing about the person is kept, so neither is why.
    body: object({ reason: NO_REASON }, ['reason']),
    result: {
      ...object({
        changed: flag('Whether it changed anything, or would.'),
        preview: flag('Whether nothing was done, and this only tells what would happen.'),
        item: nullable(itemSchema(USERS)),
        erased: list('What was erased, or would be.', HELD_ROWS),
      }),
      title: 'Erasure',
    },
    errors: ['NotFound', 'Busy'],
    async run(call) {
      const id = canonicalKey(call.path.id!);
      const preview = call.query.preview === true;
      let erased: readonly HeldRows[];
      if (preview) {
        erased = await countHoldings(store, id);
        if (erased.length === 0) throw nothingHeld(id);
        await store.read((db) => assertNotHeld(db, id, clock()));
      } else {
        erased = await erasePerson({ store, files, clock }, id, actorOf({ ...call, body: {} }));
        forgetTokens();
      }
      return { changed: true, preview, item: null, erased };
    },
  };
}

function streamOf(first: string, pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: string | undefined = first;
  return new ReadableStream({
    async pull(controller) {
      const { value, done } =
        next === undefined ? await pieces.next() : { value: next, done: false };
      next = undefined;
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
}
