import { getRoute, type KindDeps, listRoute } from './kind.ts';
import { ARTICLES } from './kinds/articles.ts';
import { AUDIT } from './kinds/audit.ts';
import type { Route } from './route.ts';

/** Every route of the API. */
export function routesOf(deps: KindDeps): readonly Route[] {
  return [listRoute(ARTICLES, deps), getRoute(ARTICLES, deps), listRoute(AUDIT, deps), getRoute(AUDIT, deps)];
}
