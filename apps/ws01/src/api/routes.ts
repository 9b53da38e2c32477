import { getRoute, type Kind, type KindDeps, listRoute } from './kind.ts';
import { ADVERTS } from './kinds/adverts.ts';
import { ARTICLES } from './kinds/articles.ts';
import { AUDIT } from './kinds/audit.ts';
import { CODES } from './kinds/codes.ts';
import { IMAGES } from './kinds/images.ts';
import { LINKS } from './kinds/links.ts';
import { MAILS, SUPPRESSIONS } from './kinds/mails.ts';
import { REVIEWS } from './kinds/reviews.ts';
import { SMS } from './kinds/sms.ts';
import { TOKENS } from './kinds/tokens.ts';
import { USERS } from './kinds/users.ts';
import type { Route } from './route.ts';

/** Every route of the API. */
export function routesOf(deps: KindDeps): readonly Route[] {
  const readable = <Row>(kind: Kind<Row>) => [listRoute(kind, deps), getRoute(kind, deps)];
  return [
    ...readable(ARTICLES),
    ...readable(ADVERTS),
    ...readable(IMAGES),
    ...readable(USERS),
    ...readable(CODES),
    ...readable(MAILS),
    ...readable(SUPPRESSIONS),
    ...readable(SMS),
    ...readable(LINKS),
    ...readable(REVIEWS),
    ...readable(TOKENS),
    ...readable(AUDIT),
  ];
}
