import { type AdminRouteDeps, adminRoutes } from './admin-routes.ts';
import { type ContentRouteDeps, contentRoutes } from './content-routes.ts';
import { type EventRouteDeps, eventRoutes } from './event-routes.ts';
import { funnelRoute } from './funnel-route.ts';
import { historyRoute } from './history-route.ts';
import {
  type ImageRouteDeps,
  imageFileRoute,
  type UploadRouteDeps,
  uploadRoute,
} from './image-routes.ts';
import type { Kind } from './kind.ts';
import { getRoute, listRoute } from './kind-routes.ts';
import {
  ADVERTS,
  ARTICLES,
  AUDIT,
  BACKUPS,
  CODES,
  FAILURES,
  IMAGES,
  LINKS,
  MAILS,
  REPORTS,
  REVIEWS,
  SMS,
  SUPPRESSIONS,
  TOKENS,
  USERS,
} from './kinds.ts';
import { type LinkRouteDeps, linkRoutes } from './link-routes.ts';
import { type MailServerDeps, mailServerRoutes } from './mail-server-routes.ts';
import { type MessageRouteDeps, messageRoutes } from './message-routes.ts';
import { type ModerationRouteDeps, moderationRoutes } from './moderation.ts';
import { namesRoute } from './names-route.ts';
import { type PublicRouteDeps, publicRoutes } from './public/routes.ts';
import { type ReportRouteDeps, reportRoutes } from './report-routes.ts';
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
  MailServerDeps &
  PublicRouteDeps &
  ImageRouteDeps &
  AdminRouteDeps &
  ReportRouteDeps &
  ContentRouteDeps &
  UploadRouteDeps &
  ModerationRouteDeps;

/** Returns all routes of the API. */
export function routesOf(deps: RouteDeps): readonly Route[] {
  const readable = <Row>(kind: Kind<Row>) => [listRoute(kind, deps), getRoute(kind, deps)];
  return [
    searchRoute(deps),
    namesRoute(deps),
    ...readable(ARTICLES),
    ...revisionRoutes(deps),
    ...moderationRoutes(ARTICLES, 'article', deps),
    ...readable(ADVERTS),
    ...moderationRoutes(ADVERTS, 'advert', deps),
    ...contentRoutes(deps),
    ...readable(IMAGES),
    imageFileRoute(deps),
    uploadRoute(deps),
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
    ...readable(REPORTS),
    ...reportRoutes(deps),
    ...readable(TOKENS),
    ...tokenRoutes(deps),
    ...adminRoutes(deps),
    ...readable(AUDIT),
    ...readable(BACKUPS),
    ...readable(FAILURES),
    historyRoute(deps),
    ...eventRoutes(deps),
    ...serviceRoutes(deps),
    ...mailServerRoutes(deps),
    ...publicRoutes(deps),
  ];
}
