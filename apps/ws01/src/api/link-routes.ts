import { Ws01Error } from '../contract/errors.ts';
import { disableLink, enableLink, type Links } from '../domain/links/links.ts';
import { isShortCode } from '../domain/links/short-code.ts';
import { LINKS } from './kinds/links.ts';
import type { Route } from './route.ts';
import { integer, list, object, text } from './schema.ts';
import { type Verb, type VerbDeps, verbRoute } from './verbs.ts';

/** What routes of short links work with. */
export interface LinkRouteDeps extends VerbDeps {
  readonly links: Pick<Links, 'forget'>;
}

/** Days of one link that are shown at most; the newest. */
const DAYS = 366;

/** Short links: who followed them, taken down and let work again. */
export function linkRoutes(deps: LinkRouteDeps): readonly Route[] {
  const done = (code: string) => deps.links.forget(code);
  const verbs: readonly Verb[] = [
    {
      name: 'disable',
      summary: 'Take it down; its code is given to no other',
      role: 'moderator',
      act: async (tx, { key, at, by }) => known(key, await disableLink(tx, key, at, by)),
      done,
    },
    {
      name: 'enable',
      summary: 'Let it work again',
      role: 'moderator',
      act: async (tx, { key, at, by }) => known(key, await enableLink(tx, key, at, by)),
      done,
    },
  ];
  return [...verbs.map((verb) => verbRoute(LINKS, verb, deps)), visitsRoute(deps)];
}

/** @throws {Ws01Error} `NotFound` */
function known(code: string, changed: boolean | undefined): boolean {
  if (changed === undefined) throw new Ws01Error('NotFound', `There is no link ${code}.`, { parameter: 'code' });
  return changed;
}

function visitsRoute({ store }: LinkRouteDeps): Route {
  const day = object({
    day: text('In the time zone of the service.', { format: 'date' }),
    visits: integer('How often people followed it.'),
    robots: integer('How often machines did that say so.'),
    looks: integer('How often something only asked where it leads.'),
  });
  return {
    method: 'get',
    path: '/links/{code}/visits',
    id: 'listVisitsOfLink',
    tag: 'links',
    summary: `How often it was followed, by day; the newest ${DAYS} days that it was`,
    role: 'reader',
    result: object({ items: list('The newest first.', { ...day, title: 'LinkDay' }) }),
    async run({ path, address }) {
      const code = path.code!;
      if (!isShortCode(code)) return { items: [] };
      const rows = await store.scan(
        (db) =>
          db
            .selectFrom('link_visits')
            .select(['day', 'visits', 'bots', 'heads'])
            .where('code', '=', code)
            .orderBy('day', 'desc')
            .limit(DAYS)
            .execute(),
        address,
      );
      return {
        items: rows.map(({ day: of, visits, bots, heads }) => ({ day: of, visits, robots: bots, looks: heads })),
      };
    },
  };
}
