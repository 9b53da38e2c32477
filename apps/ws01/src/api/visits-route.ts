import { NO_SOURCE } from '../domain/links/visit-sources.ts';
import type { Store } from '../store/store.ts';
import type { LinkVisitSourcesTable } from '../store/tables/tables.ts';
import type { Route } from './route.ts';
import { integer, list, nullable, object, type Schema, text } from './schema.ts';

/** Maximum and default number of days. */
const DAYS = { most: 366, usual: 31 } as const;

type SourceKind = LinkVisitSourcesTable['kind'];

/** For each kind of source, its member in the answer, and the description of a name. */
const KINDS: readonly [kind: SourceKind, member: string, name: string][] = [
  ['referrer', 'referrers', 'The host of the page that led to it'],
  ['country', 'countries', 'A country, ISO 3166, as a proxy told it'],
  [
    'language',
    'languages',
    'The language that the browser likes best, counted where no proxy tells countries',
  ],
];

/** Visits of a short link, by day and by source. */
export function visitsRoute({ store }: { readonly store: Store }): Route {
  const day: Schema = object({
    day: text('In the time zone of the service.', { format: 'date' }),
    visits: integer('How often people followed it.'),
    robots: integer('How often machines did that say so.'),
    looks: integer('How often something only asked where it leads.'),
    ...Object.fromEntries(KINDS.map(([, member, name]) => [member, sourcesSchema(name)])),
  });
  return {
    method: 'get',
    path: '/links/{code}/visits',
    id: 'listVisitsOfLink',
    tag: 'links',
    summary: 'How often it was followed, and where people came from, by day',
    role: 'reader',
    query: {
      days: integer(
        'The newest days on which it was followed; older visits are added up by month.',
        {
          minimum: 1,
          maximum: DAYS.most,
          default: DAYS.usual,
        },
      ),
    },
    result: object({ items: list('The newest first.', { ...day, title: 'LinkDay' }) }),
    async run({ path, query }) {
      const code = path.code!;
      if (code.includes('\0')) return { items: [] };
      const days = await store.scan((db) =>
        db
          .selectFrom('link_visits')
          .select(['day', 'visits', 'bots as robots', 'heads as looks'])
          .where('code', '=', code)
          .orderBy('day', 'desc')
          .limit(query.days as number)
          .execute(),
      );
      const oldest = days.at(-1)?.day;
      if (oldest === undefined) return { items: [] };
      const sources = await store.scan((db) =>
        db
          .selectFrom('link_visit_sources')
          .selectAll()
          .where('code', '=', code)
          .where('day', '>=', oldest)
          .execute(),
      );
      const byDay = Map.groupBy(sources, (source) => source.day);
      return { items: days.map((one) => ({ ...one, ...sourcesOf(byDay.get(one.day) ?? []) })) };
    },
  };
}

function sourcesSchema(name: string): Schema {
  const source = object({
    name: nullable(text(`${name}; null where none was told, \`*\` for all others.`)),
    visits: integer('Of people.'),
  });
  return list('The most frequent first.', { ...source, title: 'VisitSource' });
}

function sourcesOf(rows: readonly LinkVisitSourcesTable[]) {
  const often = rows.toSorted(
    (one, other) => other.visits - one.visits || (one.name < other.name ? -1 : 1),
  );
  const byKind = Map.groupBy(often, ({ kind }) => kind);
  return Object.fromEntries(
    KINDS.map(([kind, member]) => [
      member,
      (byKind.get(kind) ?? []).map(({ name, visits }) => ({
        name: name === NO_SOURCE ? null : name,
        visits,
      })),
    ]),
  );
}
