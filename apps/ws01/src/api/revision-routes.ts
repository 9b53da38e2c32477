import { type Kysely, sql } from 'kysely';
import { restoreRevision } from '../domain/articles/restore-revision.ts';
import { canonicalKey } from '../domain/values/keys.ts';
import type { RevisionRow } from '../records/articles.ts';
import type { Shown } from '../records/record.ts';
import type { Tables } from '../store/tables/tables.ts';
import { differencesOf } from './differences.ts';
import { itemOf, notFound } from './kind.ts';
import { itemSchema, pageParameters, pageSchema, summarySchema } from './kind-routes.ts';
import { ARTICLES, REVISIONS } from './kinds.ts';
import { readPage } from './list-query.ts';
import { invalid } from './problem.ts';
import type { ApiCall, Route } from './route.ts';
import { flag, list, nullable, object, type Schema, text, word } from './schema.ts';
import { type VerbDeps, verbRoute } from './verbs.ts';

const PATH = '/articles/{guid}/revisions';

/**
 * Routes to list, compare and restore the revisions of an article. The present content counts as a
 * revision.
 */
export function revisionRoutes(deps: VerbDeps): readonly Route[] {
  const restore = verbRoute(
    ARTICLES,
    {
      name: 'restore',
      part: '/revisions/{revision}',
      summary: 'Give the article this content again, as its newest revision',
      role: 'moderator',
      act: (tx, { key, path, ...call }) =>
        restoreRevision(tx, { guid: key, revision: numberOf(path.revision!), ...call }),
    },
    deps,
  );
  return [listRevisions(deps), getRevision(deps), { ...restore, id: 'restoreRevision' }];
}

function listRevisions({ store, shown, limits }: VerbDeps): Route {
  return {
    method: 'get',
    path: PATH,
    id: 'listRevisions',
    tag: 'articles',
    summary: 'A page of the contents of an article, the present one first',
    role: 'reader',
    query: pageParameters(Object.keys(REVISIONS.orders), REVISIONS.sort, limits),
    result: pageSchema(summarySchema(REVISIONS)),
    errors: ['NotFound'],
    async run(call) {
      const guid = canonicalKey(call.path.guid!);
      const { limit, cursor, sort } = call.query as {
        limit: number;
        cursor?: string;
        sort: string;
      };
      const descending = sort.startsWith('-');
      const present = await store.scan((db) => presentOf(db, guid, REVISIONS.columns));
      if (present === undefined) throw notFound(ARTICLES, guid);
      const { rows, next } = await readPage<RevisionRow>(store, {
        ...REVISIONS,
        sort: 'revision',
        order: REVISIONS.orders.revision!,
        descending,
        conditions: [{ sql: sql<boolean>`article_guid = ${guid}`, indexed: true }],
        limit,
        cursor,
        reading: { rows: limits.apiRowsRead, ms: limits.apiReadMs },
      });
      const before = descending && cursor === undefined ? [present] : [];
      const after = !descending && next === undefined ? [present] : [];
      const items = [...before, ...rows, ...after].map((row) =>
        show(row, shown(call), call, false),
      );
      return { items, next: next ?? null };
    },
  };
}

const CHANGE: Schema = {
  ...object({
    field: text('What changed.'),
    before: nullable(text('As text; null for nothing.')),
    after: nullable(text('As text; null for nothing.')),
  }),
  title: 'RevisionChange',
};

const HUNK: Schema = {
  ...object({
    kind: word('Who has these lines.', 'same', 'removed', 'added'),
    text: text('Lines.'),
  }),
  title: 'RevisionHunk',
};

function getRevision({ store, shown }: VerbDeps): Route {
  return {
    method: 'get',
    path: `${PATH}/{revision}`,
    id: 'getRevision',
    tag: 'articles',
    summary: 'A content of an article, and how it differs from the one before',
    role: 'reader',
    result: {
      ...object({
        item: itemSchema(REVISIONS),
        changes: list(
          'What differs from the revision before, but for the text; all of it in the first.',
          CHANGE,
        ),
        content: list('How the text of the revision before became this one, line by line.', HUNK),
        shortened: flag(
          'Whether the texts differ in so many lines that they are not compared line by line: all between the common beginning and end counts as changed.',
        ),
      }),
      title: 'RevisionDifferences',
    },
    errors: ['NotFound'],
    async run(call) {
      const guid = canonicalKey(call.path.guid!);
      const revision = numberOf(call.path.revision!);
      const [row, before] = await store.scan(async (db) => [
        await contentOf(db, guid, revision),
        await contentOf(db, guid, revision - 1),
      ]);
      if (row === undefined) throw notFound(REVISIONS, `${guid} ${revision}`);
      const context = shown(call);
      const item = show(row, context, call, true);
      const earlier = before === undefined ? {} : show(before, context, call, true);
      const { hunks, isShortened } = differencesOf(before?.content ?? '', row.content);
      return { item, changes: changesOf(earlier, item), content: hunks, shortened: isShortened };
    },
  };
}

/** All columns of a revision. */
const WHOLE = `${REVISIONS.columns}, ${REVISIONS.detailColumns}`;

/** Members of the content that are compared as whole values; the text is compared line by line. */
const COMPARED = [
  'caption',
  'categoryGuid',
  'contactPhone',
  'pinnedTopDueDate',
  'iconGuid',
  'status',
  'fromUrl',
] as const;

function changesOf(earlier: Record<string, unknown>, item: Record<string, unknown>) {
  const shown = (value: unknown) => (value === undefined || value === null ? null : String(value));
  return COMPARED.map((field) => ({
    field,
    before: shown(earlier[field]),
    after: shown(item[field]),
  })).filter(({ before, after }) => before !== after);
}

function show(row: RevisionRow, shown: Shown, call: ApiCall, isDetail: boolean) {
  return itemOf(REVISIONS.fields, row, shown, call.principal, isDetail);
}

async function contentOf(
  db: Kysely<Tables>,
  guid: string,
  revision: number,
): Promise<RevisionRow | undefined> {
  const { rows } = await sql<RevisionRow>`
    select ${sql.raw(WHOLE)} from article_revisions
    where article_guid = ${guid} and revision = ${revision}`.execute(db);
  if (rows[0] !== undefined) return rows[0];
  const present = await presentOf(db, guid, WHOLE);
  return present?.revision === revision ? present : undefined;
}

/** Reads the present content of an article as a revision. */
async function presentOf(
  db: Kysely<Tables>,
  guid: string,
  columns: string,
): Promise<RevisionRow | undefined> {
  const { rows } = await sql<RevisionRow>`select ${sql.raw(columns)}
    from (select articles.*, guid as article_guid, null as recorded_at from articles) article_revisions
    where article_guid = ${guid}`.execute(db);
  return rows[0];
}

/**
 * Returns the revision number in a path.
 * @throws {Ws01Error} `InvalidParameter`
 */
function numberOf(text: string): number {
  const revision = /^[1-9][0-9]{0,8}$/.test(text) ? Number(text) : undefined;
  if (revision === undefined) throw invalid('revision', 'revision must be a whole number from 1.');
  return revision;
}
