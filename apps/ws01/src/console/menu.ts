import { mayActAs, type Role } from '../contract/roles.ts';
import type { Catalog } from './catalog.ts';
import type { MenuPart } from './layout.ts';
import type { TextKey } from './texts/en.ts';
import { wordFor } from './values.ts';
import { HOME, type Visit } from './visit.ts';

/** The order of kinds in the menu; kinds that are missing here come last. */
const PARTS: readonly { readonly heading: TextKey; readonly kinds: readonly string[] }[] = [
  {
    heading: 'nav.content',
    kinds: ['articles', 'adverts', 'images', 'reviews', 'reports', 'links', 'users'],
  },
  { heading: 'nav.messages', kinds: ['mails', 'sms', 'codes', 'suppressions', 'queues'] },
  { heading: 'nav.apps', kinds: ['tokens', 'failures', 'webhooks', 'deliveries', 'events'] },
  { heading: 'nav.service', kinds: ['admins', 'audit', 'backups', 'settings'] },
];

/** Returns the menu with the kinds that the role may see. */
export function menuFor(
  { translate }: Visit,
  role: Role,
  { kinds, tables }: Catalog,
  servicePath: string,
): readonly MenuPart[] {
  const lists = [...kinds.values(), ...tables].filter((list) => mayActAs(role, list.role));
  const seen = new Set(lists.map(({ name }) => name));
  const named = new Set(PARTS.flatMap((part) => part.kinds));
  const others = [...seen].filter((name) => !named.has(name));
  const links = (names: readonly string[]) =>
    names
      .filter((name) => seen.has(name))
      .map((name) => ({
        path: `${HOME}/${name}`,
        text: wordFor(translate, 'kind', name),
        icon: name,
      }));
  const parts: readonly MenuPart[] = [
    {
      heading: undefined,
      links: [
        { path: HOME, text: translate('nav.overview'), icon: 'overview' },
        { path: `${HOME}/desk`, text: translate('nav.desk'), icon: 'desk' },
        ...(seen.has('mails')
          ? [{ path: `${HOME}/inbox`, text: translate('nav.inbox'), icon: 'inbox' }]
          : []),
      ],
    },
    ...PARTS.map(({ heading, kinds: names }) => ({
      heading,
      links: [
        ...links(names),
        ...(heading === 'nav.service' ? links(others) : []),
        ...(heading === 'nav.apps'
          ? [
              { path: servicePath, text: translate('nav.help'), icon: 'help' },
              { path: '/api/docs', text: translate('nav.api'), icon: 'api' },
            ]
          : []),
      ],
    })),
  ];
  return parts.filter((part) => part.links.length > 0);
}
