import { mayActAs, type Role } from '../domain/admins/roles.ts';
import type { Offer } from './desk.ts';
import type { MenuPart } from './layout.ts';
import type { TextKey } from './texts/en.ts';
import { wordFor } from './values.ts';
import { HOME, type Visit } from './visit.ts';

/** The order of kinds in the menu; kinds that are missing here come last. */
const PARTS: readonly { readonly heading: TextKey; readonly kinds: readonly string[] }[] = [
  { heading: 'nav.content', kinds: ['articles', 'adverts', 'images', 'reviews', 'links', 'users'] },
  { heading: 'nav.messages', kinds: ['mails', 'sms', 'codes', 'suppressions'] },
  { heading: 'nav.operation', kinds: ['audit', 'tokens', 'webhooks', 'events', 'admins'] },
];

/** Returns the menu with the kinds that the role may see. */
export function menuFor(
  { say }: Visit,
  role: Role,
  { kinds, tables }: Offer,
  servicePath: string,
): readonly MenuPart[] {
  const desk = new Map([...kinds].filter(([, kind]) => mayActAs(role, kind.role)));
  const named = new Set(PARTS.flatMap((part) => part.kinds));
  const others = [...desk.keys()].filter((name) => !named.has(name));
  const links = (names: readonly string[]) =>
    names
      .filter((name) => desk.has(name))
      .map((name) => ({ path: `${HOME}/${name}`, text: wordFor(say, 'kind', name) }));
  const parts: readonly MenuPart[] = [
    {
      heading: undefined,
      links: [
        { path: HOME, text: say('nav.overview') },
        { path: `${HOME}/inbox`, text: say('nav.inbox') },
      ],
    },
    ...PARTS.map(({ heading, kinds: names }) => ({
      heading,
      links: [
        ...links(names),
        ...(heading === 'nav.operation'
          ? [
              ...links(others),
              ...tables.map((name) => ({ path: `${HOME}/${name}`, text: wordFor(say, 'kind', name) })),
              { path: servicePath, text: say('nav.help') },
              { path: '/api/docs', text: say('nav.api') },
            ]
          : []),
      ],
    })),
  ];
  return parts.filter((part) => part.links.length > 0);
}
