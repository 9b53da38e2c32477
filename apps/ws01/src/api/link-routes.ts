import { Ws01Error } from '../contract/errors.ts';
import { say } from '../contract/sentence.ts';
import { disableLink, enableLink, type Links } from '../domain/links/links.ts';
import { LINKS } from './kinds.ts';
import type { Route } from './route.ts';
import { type Verb, type VerbDeps, verbRoute } from './verbs.ts';
import { visitsRoute } from './visits-route.ts';

/** Dependencies of the short link routes. */
export interface LinkRouteDeps extends VerbDeps {
  readonly links: Pick<Links, 'forget'>;
}

/** Routes of short links: visits, disable, enable. */
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

/**
 * Returns whether the link changed.
 * @throws {Ws01Error} `NotFound` when there is no such link.
 */
function known(code: string, changed: boolean | undefined): boolean {
  if (changed === undefined)
    throw new Ws01Error('NotFound', say`There is no ${{ kind: 'link' }} ${{ key: code }}.`, {
      parameter: 'code',
    });
  return changed;
}
