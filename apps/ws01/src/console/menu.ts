import type { Admin } from '../domain/admins/admins.ts';
import type { MenuPart } from './layout.ts';
import { HOME, type Visit } from './visit.ts';

/** The menu, as far as a role may use it. */
export function menuFor({ say }: Visit, _admin: Admin, servicePath: string): readonly MenuPart[] {
  return [
    { heading: undefined, links: [{ path: HOME, text: say('nav.overview') }] },
    { heading: 'nav.operation', links: [{ path: servicePath, text: say('nav.help') }] },
  ];
}
