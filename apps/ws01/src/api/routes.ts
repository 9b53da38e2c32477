import { type AdminRouteDeps, adminRoutes } from './admin-routes.ts';
import { type EventRouteDeps, eventRoutes } from './event-routes.ts';
import { funnelRoute } from './funnel-route.ts';
import { type ImageRouteDeps, imageFileRoute } from './image-routes.ts';
import { getRoute, type Kind, listRoute } from './kind.ts';
import { ADVERTS } from './kinds/adverts.ts';
import { ARTICLES } from './kinds/articles.ts';
import { AUDIT } from './kinds/audit.ts';
import { BACKUPS } from './kinds/backups.ts';
import { CODES } from './kinds/codes.ts';
import { IMAGES } from './kinds/images.ts';
import { LINKS } from './kinds/links.ts';
import { MAILS, SUPPRESSIONS } from './kinds/mails.ts';
import { REVIEWS } from './kinds/reviews.ts';
import { SMS } from './kinds/sms.ts';
import { TOKENS } from './kinds/tokens.ts';
import { USERS } from './kinds/users.ts';
import { type LinkRouteDeps, linkRoutes } from './link-routes.ts';
import { type MessageRouteDeps, messageRoutes } from './message-routes.ts';
import { moderationRoutes } from './moderation.ts';
import { type PublicRouteDeps, publicRoutes } from './public/routes.ts';
import { revisionRoutes } from './revision-routes.ts';
import type { Route } from './route.ts';
import { searchRoute } from './search-route.ts';
import { type ServiceRouteDeps, serviceRoutes } from './service-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { type UserRouteDeps, userRoutes } from './user-routes.ts';

/** Dependencies of all routes. */
export type RouteDeps = UserRouteDeps &
  EventRouteDeps &
  MessageRouteDeps &
  LinkRouteDeps &
  ServiceRouteDeps &
  PublicRouteDeps &
  ImageRouteDeps &
  AdminRouteDeps;

/** Returns all routes of the API. */
export function routesOf(deps: RouteDeps): readonly Route[] {
  const readable = <Row>(kind: Kind<Row>) => [listRoute(kind, deps), getRoute(kind, deps)];
  return [
    searchRoute(deps),
    ...readable(ARTICLES),
    ...revisionRoutes(deps),
    ...moderationRoutes(ARTICLES, 'article', deps),
    ...readable(ADVERTS),
    ...moderationRoutes(ADVERTS, 'advert', deps),
    ...readable(IMAGES),
    imageFileRoute(deps),
    ...moderationRoutes(IMAGES, 'image', deps),
    ...readable(USERS),
    ...userRoutes(deps),
    ...readable(CODES),
    funnelRoute(deps),
    ...readable(MAILS),
    ...readable(SUPPRESSIONS),
    ...readable(SMS),
    ...messageRoutes(deps),
    ...readable(LINKS),
    ...linkRoutes(deps),
    ...readable(REVIEWS),
    ...moderationRoutes(REVIEWS, 'review', deps),
    ...readable(TOKENS),
    ...tokenRoutes(deps),
    ...adminRoutes(deps),
    ...readable(AUDIT),
    ...readable(BACKUPS),
    ...eventRoutes(deps),
    ...serviceRoutes(deps),
    ...publicRoutes(deps),
  ];
}
