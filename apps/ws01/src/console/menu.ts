import { mayActAs, type Role } from '../contract/roles.ts';
import { API_DOCS_PATH } from '../web/own-paths.ts';
import type { Catalog } from './catalog.ts';
import type { MenuLink, MenuPart } from './layout.ts';
import type { TextKey } from './texts/en.ts';
import { wordFor } from './values.ts';
import { HOME, type Visit } from './visit.ts';

/** Pages of the menu that are no lists of records. */
const OWN = {
  overview: 'nav.overview',
  desk: 'nav.desk',
  inbox: 'nav.inbox',
  help: 'nav.help',
  api: 'nav.api',
} as const satisfies Record<string, TextKey>;

/**
 * The entries of the menu, each with the pages below it; an entry leads to the first of them. A part without a name is
 * its page alone. Lists that are missing here stand with the service.
 */
const PARTS: readonly { readonly name?: TextKey; readonly pages: readonly string[] }[] = [
  { pages: ['overview'] },
  { pages: ['desk'] },
  { name: 'nav.content', pages: ['articles', 'adverts', 'images', 'reviews', 'links', 'reports'] },
  { pages: ['users'] },
  { name: 'nav.messages', pages: ['inbox', 'mails', 'sms', 'codes', 'suppressions', 'queues'] },
  {
    name: 'nav.apps',
    pages: ['tokens', 'webhooks', 'deliveries', 'failures', 'events', 'help', 'api'],
  },
  { name: 'nav.service', pages: ['backups', 'audit', 'admins'] },
  { pages: ['settings'] },
];

/** Returns the menu with the pages that the role may see. */
export function menuFor(
  { translate }: Visit,
  role: Role,
  { kinds, tables }: Catalog,
  servicePath: string,
): readonly MenuPart[] {
  const lists = [...kinds.values(), ...tables].filter((list) => mayActAs(role, list.role));
  const seen = new Set(lists.map(({ name }) => name));
  const named = new Set(PARTS.flatMap(({ pages }) => pages));
  const others = [...seen].filter((name) => !named.has(name));
  const paths: Readonly<Record<string, string>> = {
    overview: HOME,
    desk: `${HOME}/desk`,
    ...(seen.has('mails') && { inbox: `${HOME}/inbox` }),
    help: servicePath,
    api: API_DOCS_PATH,
  };
  const linkTo = (name: string): MenuLink[] => {
    const list = seen.has(name) ? `${HOME}/${name}` : undefined;
    const path = Object.hasOwn(OWN, name) ? paths[name] : list;
    const text = Object.hasOwn(OWN, name)
      ? translate(OWN[name as keyof typeof OWN])
      : wordFor(translate, 'kind', name);
    return path === undefined ? [] : [{ path, text, icon: name }];
  };
  return PARTS.flatMap(({ name, pages }) => {
    const all = name === 'nav.service' ? [...pages, ...others] : pages;
    const links = all.flatMap(linkTo);
    const [only] = links;
    if (only === undefined) return [];
    return name === undefined || links.length === 1
      ? [{ name: only.text, icon: only.icon, links: [only] }]
      : [{ name: translate(name), icon: name.slice('nav.'.length), links }];
  });
}
