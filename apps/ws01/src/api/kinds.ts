import * as admins from '../records/admins.ts';
import * as adverts from '../records/adverts.ts';
import * as articles from '../records/articles.ts';
import * as audit from '../records/audit.ts';
import * as backups from '../records/backups.ts';
import * as calls from '../records/calls.ts';
import * as events from '../records/events.ts';
import * as images from '../records/images.ts';
import * as links from '../records/links.ts';
import * as mails from '../records/mails.ts';
import * as reviews from '../records/reviews.ts';
import * as sms from '../records/sms.ts';
import * as tokens from '../records/tokens.ts';
import * as users from '../records/users.ts';
import * as webhooks from '../records/webhooks.ts';
import { kindOf } from './kind.ts';

/** The records that the API lists. */

export const ADMINS = kindOf(admins.ADMINS);
export const ADVERTS = kindOf(adverts.ADVERTS);
export const ARTICLES = kindOf(articles.ARTICLES);
export const AUDIT = kindOf(audit.AUDIT);
export const BACKUPS = kindOf(backups.BACKUPS);
export const CODES = kindOf(audit.CODES);
export const DELIVERIES = kindOf(webhooks.WEBHOOK_DELIVERIES);
export const EVENTS = kindOf(events.EVENTS);
export const FAILURES = kindOf(calls.FAILURES);
export const IMAGES = kindOf(images.IMAGES);
export const LINKS = kindOf(links.LINKS);
export const MAILS = kindOf(mails.MAILS);
export const REVIEWS = kindOf(reviews.REVIEWS);
export const REVISIONS = kindOf(articles.REVISIONS);
export const SMS = kindOf(sms.SMS);
export const SUPPRESSIONS = kindOf(mails.SUPPRESSIONS);
export const TOKENS = kindOf(tokens.TOKENS);
export const USERS = kindOf(users.USERS);
export const WEBHOOKS = kindOf(webhooks.WEBHOOKS);
